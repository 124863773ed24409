"""Providers: who is made, shown, found, renamed, moved and removed."""

from __future__ import annotations

import pytest

from tests.api.conftest import Api

PROVIDERS = "/resource_providers"


def names(api: Api, query: str, version: int = 39) -> set[str]:
    answer = api.get(f"{PROVIDERS}?{query}", version=version)
    assert answer.status == 200, answer
    return {provider["name"] for provider in answer.json["resource_providers"]}


def test_a_provider_comes_back_as_it_was_made(api_anywhere: Api, uuids: tuple[str, ...]) -> None:
    made = api_anywhere.post(PROVIDERS, {"name": "Müller ☃", "uuid": uuids[0]})
    assert made.status == 200
    assert made.headers["location"].endswith(f"{PROVIDERS}/{uuids[0]}")
    shown = api_anywhere.get(f"{PROVIDERS}/{uuids[0]}")
    assert shown.json == made.json
    assert {name: shown.json[name] for name in shown.json if name != "links"} == {
        "uuid": uuids[0],
        "name": "Müller ☃",
        "generation": 0,
        "parent_provider_uuid": None,
        "root_provider_uuid": uuids[0],
    }


def test_before_1_20_a_new_provider_is_told_by_its_location_alone(api: Api) -> None:
    made = api.post(PROVIDERS, {"name": "a"}, version=19)
    assert (made.status, made.json) == (201, None)
    assert "content-type" not in made.headers
    path = made.headers["location"].partition(PROVIDERS)
    assert api.get(path[1] + path[2]).json["name"] == "a"


def test_a_uuid_is_kept_dashed_and_in_lower_case(api: Api, uuids: tuple[str, ...]) -> None:
    made = api.post(PROVIDERS, {"name": "a", "uuid": f"{uuids[0].replace('-', '').upper()}"})
    assert made.json["uuid"] == uuids[0]


def test_neither_name_nor_uuid_is_given_twice(api_anywhere: Api, uuids: tuple[str, ...]) -> None:
    assert api_anywhere.post(PROVIDERS, {"name": "a", "uuid": uuids[0]}).status == 200
    for body in ({"name": "a"}, {"name": "b", "uuid": uuids[0]}):
        refused = api_anywhere.post(PROVIDERS, body)
        assert refused.status == 409
        assert refused.code == "placement.duplicate_name"
        assert "Conflicting resource provider" in refused.detail
    assert names(api_anywhere, "") == {"a"}


@pytest.mark.parametrize(
    "body",
    [
        {"name": ""}, {"name": "x" * 201}, {"name": 1}, {"name": None}, {}, [], "a",
        {"name": "a", "uuid": "no"}, {"name": "a", "uuid": None}, {"name": "a", "more": 1},
        {"name": "a", "parent_provider_uuid": 1},
    ],
)  # fmt: skip
def test_what_is_no_provider_is_not_made(api: Api, body: object) -> None:
    assert api.post(PROVIDERS, body).status == 400
    assert names(api, "") == set()


def test_a_name_that_not_every_database_keeps_is_refused(api_anywhere: Api) -> None:
    for name in ("a\0b", "\ud800"):
        assert api_anywhere.post(PROVIDERS, {"name": name}).status == 400


def test_the_parent_of_a_new_provider_is_another_one_that_is_there(
    api: Api, uuids: tuple[str, ...]
) -> None:
    for parent in uuids[:2]:
        body = {"name": "a", "uuid": uuids[0], "parent_provider_uuid": parent}
        refused = api.post(PROVIDERS, body)
        assert refused.status == 400
        assert f'Unable to create resource provider "a", {uuids[0]}' in refused.detail
    body = {"name": "a", "parent_provider_uuid": None}
    assert api.post(PROVIDERS, body, version=13).status == 400


def test_nobody_has_a_uuid_that_is_not_written_like_one(api_anywhere: Api) -> None:
    api_anywhere.post(PROVIDERS, {"name": "a", "uuid": "a" * 32})
    for uuid in ("nobody", "\0", "☃", "a" * 32, "AAAAAAAA-AAAA-AAAA-AAAA-AAAAAAAAAAAA"):
        path = f"{PROVIDERS}/{uuid}"
        for noun in ("", "/inventories", "/inventories/VCPU", "/usages", "/traits", "/aggregates"):
            assert api_anywhere.get(path + noun).status == 404
        assert api_anywhere.delete(path).status == 404
        assert api_anywhere.put(path, {"name": "a"}).status == 404


def test_a_provider_that_is_not_there_is_told_before_what_is_wrong_with_the_body(
    api: Api, uuids: tuple[str, ...]
) -> None:
    path = f"{PROVIDERS}/{uuids[0]}"
    for noun in ("", "/inventories", "/inventories/VCPU", "/aggregates"):
        assert api.put(path + noun, {"no": "body"}).status == 404
    assert api.post(f"{path}/inventories", {}).status == 404


def test_a_provider_is_renamed_and_keeps_all_else(api_anywhere: Api) -> None:
    parent = api_anywhere.make("parent")
    uuid = api_anywhere.make("a", parent, VCPU=4)
    before = api_anywhere.get(f"{PROVIDERS}/{uuid}").json
    renamed = api_anywhere.put(f"{PROVIDERS}/{uuid}", {"name": "b"})
    assert renamed.status == 200
    assert renamed.json == {**before, "name": "b"}
    assert names(api_anywhere, "") == {"parent", "b"}
    taken = api_anywhere.put(f"{PROVIDERS}/{uuid}", {"name": "parent"})
    assert (taken.status, taken.code) == (409, "placement.duplicate_name")


def test_before_1_37_a_provider_that_has_a_parent_stays_where_it_is(api: Api) -> None:
    one, other = api.make("one"), api.make("other")
    uuid = api.make("a")

    def move(parent: str | None, version: int) -> tuple[int, str]:
        body = {"name": "a", "parent_provider_uuid": parent}
        answer = api.put(f"{PROVIDERS}/{uuid}", body, version=version)
        return answer.status, "" if answer.status == 200 else answer.detail

    assert move(one, 36)[0] == 200
    assert move(one, 36)[0] == 200
    status, detail = move(other, 36)
    assert status == 400
    assert "re-parenting a provider is not currently allowed" in detail
    status, detail = move(None, 36)
    assert status == 400
    assert "un-parenting a provider is not currently allowed" in detail
    assert move(other, 37)[0] == 200
    assert move(None, 37)[0] == 200


def test_a_provider_moves_with_all_that_is_under_it_but_never_under_itself(
    api_anywhere: Api, uuids: tuple[str, ...]
) -> None:
    root, other = api_anywhere.make("root"), api_anywhere.make("other")
    child = api_anywhere.make("child", root)
    leaf = api_anywhere.make("leaf", child)

    def move(parent: str) -> int:
        body = {"name": "child", "parent_provider_uuid": parent}
        return api_anywhere.put(f"{PROVIDERS}/{child}", body).status

    assert move(other) == 200
    assert api_anywhere.get(f"{PROVIDERS}/{leaf}").json["root_provider_uuid"] == other
    assert names(api_anywhere, f"in_tree={leaf}") == {"other", "child", "leaf"}
    for parent in (child, leaf, uuids[0]):
        assert move(parent) == 400
    assert names(api_anywhere, f"in_tree={root}") == {"root"}


def test_a_provider_goes_when_nobody_needs_it(api_anywhere: Api, uuids: tuple[str, ...]) -> None:
    root = api_anywhere.make("root", VCPU=4)
    child = api_anywhere.make("child", root)
    api_anywhere.allocate(uuids[0], root, VCPU=1)
    parent = api_anywhere.delete(f"{PROVIDERS}/{root}")
    assert (parent.status, parent.code) == (
        409,
        "placement.resource_provider.cannot_delete_parent",
    )
    assert api_anywhere.delete(f"{PROVIDERS}/{child}").status == 204
    used = api_anywhere.delete(f"{PROVIDERS}/{root}")
    assert (used.status, used.code) == (409, "placement.resource_provider.inuse")
    assert api_anywhere.delete(f"/allocations/{uuids[0]}").status == 204
    assert api_anywhere.delete(f"{PROVIDERS}/{root}").status == 204
    again = api_anywhere.delete(f"{PROVIDERS}/{root}")
    assert again.status == 404
    assert f"No resource provider with uuid {root} found for delete" in again.detail


def test_providers_are_found_by_name_uuid_and_tree_together(api_anywhere: Api) -> None:
    root, other = api_anywhere.make("root"), api_anywhere.make("other")
    child = api_anywhere.make("child", root)
    assert names(api_anywhere, "name=child") == {"child"}
    assert names(api_anywhere, "name=Child") == set()
    assert names(api_anywhere, f"uuid={other}") == {"other"}
    assert names(api_anywhere, f"uuid={other.upper()}") == {"other"}
    assert names(api_anywhere, f"in_tree={child}") == {"root", "child"}
    assert names(api_anywhere, f"in_tree={child}&name=root") == {"root"}
    assert names(api_anywhere, f"in_tree={child}&uuid={other}") == set()
    assert names(api_anywhere, "in_tree=00000000-0000-4000-8000-000000000000") == set()


def test_providers_are_found_by_what_they_can_give_themselves(
    api: Api, uuids: tuple[str, ...]
) -> None:
    small = api.make("small", VCPU=4, MEMORY_MB=100)
    api.make("child", small, DISK_GB=10)
    large = api.make("large", VCPU=8)
    body = {
        "resource_class": "MEMORY_MB", "total": 100, "min_unit": 10, "max_unit": 40,
        "step_size": 10, "reserved": 50, "allocation_ratio": 1.5,
    }  # fmt: skip
    api.post(f"{PROVIDERS}/{large}/inventories", body)
    assert names(api, "resources=VCPU:4") == {"small", "large"}
    assert names(api, "resources=VCPU:5") == {"large"}
    assert names(api, "resources=VCPU:9") == set()
    assert names(api, "resources=VCPU:1,DISK_GB:1") == set()
    assert names(api, "resources=MEMORY_MB:40,VCPU:4") == {"small", "large"}
    for refused in (5, 15, 50):
        assert names(api, f"resources=MEMORY_MB:{refused}") == {"small"}
    api.allocate(uuids[0], large, VCPU=4, MEMORY_MB=40)
    assert names(api, "resources=VCPU:4,MEMORY_MB:30") == {"small", "large"}
    assert names(api, "resources=MEMORY_MB:40") == {"small"}
    assert names(api, "resources=PGPU:1") == set()
    assert names(api, "resources=VCPU:99999999999999999999") == set()


def test_providers_are_found_by_traits(api: Api) -> None:
    for name, traits in (
        ("a", ["HW_CPU_X86_VMX"]),
        ("b", ["CUSTOM_X", "HW_CPU_X86_VMX"]),
        ("c", []),
    ):
        uuid = api.make(name)
        api.put("/traits/CUSTOM_X")
        body = {"traits": traits, "resource_provider_generation": 0}
        assert api.put(f"{PROVIDERS}/{uuid}/traits", body).status == 200
    assert names(api, "required=HW_CPU_X86_VMX") == {"a", "b"}
    assert names(api, "required=HW_CPU_X86_VMX,!CUSTOM_X") == {"a"}
    assert names(api, "required=in:CUSTOM_X,HW_CPU_X86_VMX&required=!CUSTOM_X") == {"a"}
    assert names(api, "required=CUSTOM_X&required=HW_CPU_X86_VMX") == {"b"}
    # Before 1.39 the last one of several counts.
    assert names(api, "required=CUSTOM_X&required=HW_CPU_X86_VMX", 38) == {"a", "b"}
    assert names(api, "required=HW_CPU_X86_AVX") == set()


def test_providers_are_found_by_the_aggregates_they_are_in_themselves(
    api: Api, uuids: tuple[str, ...]
) -> None:
    one, two, nobodys = uuids[:3]
    root = api.make("root")
    both = api.make("both", root)
    api.make("none")
    for uuid, aggregates in ((root, [one]), (both, [one, two])):
        body = {"aggregates": aggregates, "resource_provider_generation": 0}
        assert api.put(f"{PROVIDERS}/{uuid}/aggregates", body).status == 200
    assert names(api, f"member_of={two}") == {"both"}
    assert names(api, f"member_of=in:{one},{nobodys}", 3) == {"root", "both"}
    assert names(api, f"member_of={one}&member_of={two}", 24) == {"both"}
    assert names(api, f"member_of=!{two}") == {"root", "none"}
    assert names(api, f"member_of=!in:{two},{one}") == {"none"}
    assert names(api, f"member_of={nobodys}") == set()


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("resources=", "Got: empty string."),
        ("resources=VCPU", "Badly formed resources parameter."),
        ("resources=VCPU:0", "requires amount >= 1"),
        ("resources=VCPU:x", "expected positive integer amount"),
        ("resources=NONE:1", "Invalid resource class in resources parameter"),
        ("required=NONE", "No such trait(s): NONE."),
        ("required=", "Got an empty trait"),
        ("member_of=x", "to contain valid UUID(s)"),
        ("member_of=a,b", "must be prefixed with the 'in:'"),
        ("uuid=x", "Invalid query string parameters"),
        ("uuid=11111111111141118111111111111111", "Invalid query string parameters"),
        ("in_tree=x", "Invalid query string parameters"),
        ("unknown=1", "Additional properties are not allowed"),
        ("name=a%00", "Invalid query string parameters"),
        ("name=%ff", "Invalid query string parameters"),
    ],
)
def test_filters_that_cannot_mean_anything_are_refused(api: Api, query: str, told: str) -> None:
    refused = api.get(f"{PROVIDERS}?{query}")
    assert refused.status == 400
    assert told in refused.detail


@pytest.mark.parametrize(
    ("query", "since"),
    [
        ("member_of={}", 3),
        ("resources=VCPU:1", 4),
        ("in_tree={}", 14),
        ("required=HW_CPU_X86_VMX", 18),
        ("required=!HW_CPU_X86_VMX", 22),
        ("member_of={}&member_of={}", 24),
        ("member_of=!{}", 32),
        ("required=in:HW_CPU_X86_VMX,HW_CPU_X86_AVX", 39),
    ],
)
def test_each_filter_has_its_microversion(
    api: Api, uuids: tuple[str, ...], query: str, since: int
) -> None:
    path = f"{PROVIDERS}?{query.format(*uuids[:2])}"
    assert api.get(path, version=since - 1).status == 400
    assert api.get(path, version=since).status == 200


def test_what_a_list_finds_is_what_was_written_just_before(api: Api) -> None:
    for number in range(3):
        api.make(f"host{number}", VCPU=4)
        assert len(names(api, "resources=VCPU:1")) == number + 1


def test_a_list_and_one_provider_are_written_alike_whatever_their_names(api: Api) -> None:
    names = ['"quoted"', "back\\slash", "100%b %s", "Ünïcode 雪", "<uuid>"]
    parent = api.make("parent")
    for name in names:
        answer = api.post("/resource_providers", {"name": name, "parent_provider_uuid": parent})
        assert answer.status == 200
    for version in (0, 1, 6, 11, 14, 39):
        for root in ("", "/place/ment%22"):
            listed = api.get("/resource_providers", version=version, root=root).json
            found = listed["resource_providers"]
            assert [item["name"] for item in found] == ["parent", *names]
            for item in found:
                path = f"/resource_providers/{item['uuid']}"
                assert api.get(path, version=version, root=root).json == item
                assert item["links"][0] == {"rel": "self", "href": f"{root}{path}"}
                hrefs = [link["href"] for link in item["links"][1:]]
                assert hrefs == [f"{root}{path}/{link['rel']}" for link in item["links"][1:]]
                assert ("root_provider_uuid" in item) == (version >= 14)
    assert {item["root_provider_uuid"] for item in found} == {parent}
    assert [item["parent_provider_uuid"] for item in found] == [None, *[parent] * len(names)]
