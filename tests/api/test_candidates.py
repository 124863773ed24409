"""Candidates: how they are written at each microversion, and that they are of this moment."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scheduler_lib import conf as options
from scheduler_lib.api.app import create_app
from scheduler_lib.api.service import Service
from scheduler_lib.fleet import Fleet
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.testing import ManualClock
from tests.api.conftest import UUIDS, Api, OpenApi

CANDIDATES = "/allocation_candidates"
NO_BODY = {"allocation_requests": [], "provider_summaries": {}}


def traits(api: Api, provider: str, *names: str) -> None:
    body = {"resource_provider_generation": api.generation(provider), "traits": names}
    assert api.put(f"/resource_providers/{provider}/traits", body).status == 200


def aggregates(api: Api, provider: str, *uuids: str) -> None:
    body = {"resource_provider_generation": api.generation(provider), "aggregates": uuids}
    assert api.put(f"/resource_providers/{provider}/aggregates", body).status == 200


def givers(answer: dict[str, list[dict[str, dict[str, object]]]]) -> set[frozenset[str]]:
    return {frozenset(item["allocations"]) for item in answer["allocation_requests"]}


def test_an_answer_has_candidates_and_summaries(api_anywhere: Api) -> None:
    host = api_anywhere.make("host", VCPU=8, MEMORY_MB=1024)
    traits(api_anywhere, host, "COMPUTE_NODE")
    api_anywhere.allocate(UUIDS[0], host, VCPU=3)
    answer = api_anywhere.get(f"{CANDIDATES}?resources=VCPU:1,MEMORY_MB:64")
    assert answer.status == 200
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["last-modified"]
    assert answer.json == {
        "allocation_requests": [
            {
                "allocations": {host: {"resources": {"VCPU": 1, "MEMORY_MB": 64}}},
                "mappings": {"": [host]},
            }
        ],
        "provider_summaries": {
            host: {
                "resources": {
                    "VCPU": {"capacity": 8, "used": 3},
                    "MEMORY_MB": {"capacity": 1024, "used": 0},
                },
                "traits": ["COMPUTE_NODE"],
                "parent_provider_uuid": None,
                "root_provider_uuid": host,
            }
        },
    }


def test_allocations_are_a_list_before_112(api: Api) -> None:
    host = api.make("host", VCPU=8)
    body = api.get(f"{CANDIDATES}?resources=VCPU:1", version=11).json
    assert body["allocation_requests"] == [
        {"allocations": [{"resource_provider": {"uuid": host}, "resources": {"VCPU": 1}}]}
    ]


def test_summaries_show_more_from_version_to_version(api: Api) -> None:
    host = api.make("host", VCPU=8, DISK_GB=10)
    traits(api, host, "COMPUTE_NODE")
    by_minor = {
        minor: api.get(f"{CANDIDATES}?resources=VCPU:1", version=minor).json["provider_summaries"]
        for minor in (16, 17, 27, 29)
    }
    vcpu = {"VCPU": {"capacity": 8, "used": 0}}
    every = {**vcpu, "DISK_GB": {"capacity": 10, "used": 0}}
    there = {"parent_provider_uuid": None, "root_provider_uuid": host}
    assert by_minor == {
        16: {host: {"resources": vcpu}},
        17: {host: {"resources": vcpu, "traits": ["COMPUTE_NODE"]}},
        27: {host: {"resources": every, "traits": ["COMPUTE_NODE"]}},
        29: {host: {"resources": every, "traits": ["COMPUTE_NODE"], **there}},
    }


@pytest.mark.parametrize("minor", [28, 33])
def test_mappings_are_shown_since_134(api: Api, minor: int) -> None:
    api.make("host", VCPU=8)
    body = api.get(f"{CANDIDATES}?resources=VCPU:1", version=minor).json
    assert [set(item) for item in body["allocation_requests"]] == [{"allocations"}]


def test_summaries_hold_whole_trees(api_anywhere: Api) -> None:
    api = api_anywhere
    root = api.make("root", DISK_GB=10)
    numa, empty = api.make("numa", root, VCPU=4), api.make("empty", root)
    card = api.make("card", numa, SRIOV_NET_VF=2)
    api.make("other", VCPU=1)
    body = api.get(f"{CANDIDATES}?resources=VCPU:2").json
    assert givers(body) == {frozenset({numa})}
    shown = body["provider_summaries"]
    assert {uuid: item["parent_provider_uuid"] for uuid, item in shown.items()} == {
        root: None,
        numa: root,
        empty: root,
        card: numa,
    }
    assert {item["root_provider_uuid"] for item in shown.values()} == {root}
    assert shown[empty]["resources"] == {}
    assert shown[empty]["traits"] == []


def test_a_flat_request_shows_the_whole_tree_too(api: Api) -> None:
    root = api.make("root", VCPU=10)
    card = api.make("card", root, SRIOV_NET_VF=2)
    shown = api.get(f"{CANDIDATES}?resources=VCPU:2").json["provider_summaries"]
    assert set(shown) == {root, card}


def test_groups_are_mapped_to_who_serves_them(api: Api) -> None:
    root = api.make("root", DISK_GB=10)
    left, right = api.make("left", root, VCPU=4), api.make("right", root, VCPU=4)
    query = "resources=DISK_GB:5&resources_A=VCPU:2&resources_B=VCPU:2&group_policy=isolate"
    found = api.get(f"{CANDIDATES}?{query}").json["allocation_requests"]
    assert [item["mappings"] for item in found if item["mappings"]["_A"] == [left]] == [
        {"": [root], "_A": [left], "_B": [right]}
    ]
    assert len(found) == 2


def test_amounts_of_groups_on_one_provider_are_summed(api: Api) -> None:
    root = api.make("root", VCPU=4)
    query = "resources_A=VCPU:1&resources_B=VCPU:2&group_policy=none"
    found = api.get(f"{CANDIDATES}?{query}").json["allocation_requests"]
    assert found == [
        {
            "allocations": {root: {"resources": {"VCPU": 3}}},
            "mappings": {"_A": [root], "_B": [root]},
        }
    ]


def test_before_129_a_tree_gives_from_one_provider(api: Api) -> None:
    root = api.make("root", DISK_GB=10)
    numa = api.make("numa", root, VCPU=4)
    flat = api.make("flat", VCPU=4, DISK_GB=10)
    both = f"{CANDIDATES}?resources=VCPU:1,DISK_GB:1"
    assert givers(api.get(both).json) == {frozenset({root, numa}), frozenset({flat})}
    old = api.get(both, version=28).json
    assert givers(old) == {frozenset({flat})}
    assert set(old["provider_summaries"]) == {flat}


def test_sharing_providers_give_with_every_tree_of_their_aggregate(api: Api) -> None:
    left, right = api.make("left", VCPU=4), api.make("right", VCPU=4)
    alone, disks = api.make("alone", VCPU=4), api.make("disks", DISK_GB=100)
    traits(api, disks, "MISC_SHARES_VIA_AGGREGATE")
    for provider in (left, right, disks):
        aggregates(api, provider, UUIDS[8])
    body = api.get(f"{CANDIDATES}?resources=VCPU:1,DISK_GB:1").json
    assert givers(body) == {frozenset({left, disks}), frozenset({right, disks})}
    assert set(body["provider_summaries"]) == {left, right, disks}
    assert alone not in body["provider_summaries"]


def test_a_limit_cuts_candidates_and_summaries(api: Api) -> None:
    for number in range(5):
        api.make(f"host{number}", VCPU=4)
    body = api.get(f"{CANDIDATES}?resources=VCPU:1&limit=2").json
    assert len(body["allocation_requests"]) == 2
    assert {frozenset({uuid}) for uuid in body["provider_summaries"]} == givers(body)
    assert len(api.get(f"{CANDIDATES}?resources=VCPU:1&limit=9").json["allocation_requests"]) == 5


@pytest.mark.parametrize(
    "query",
    [
        "resources=VCPU:9",
        "resources=PGPU:1",
        "resources=VCPU:99999999999999999999",
        f"resources=VCPU:1&member_of={UUIDS[0]}",
        f"resources=VCPU:1&in_tree={UUIDS[0]}",
        "resources=VCPU:1&required=HW_CPU_X86_SSE",
        "resources1=VCPU:1&root_required=HW_CPU_X86_SSE",
    ],
)
def test_nobody_fits_is_no_error(api: Api, query: str) -> None:
    api.make("host", VCPU=8)
    answer = api.get(f"{CANDIDATES}?{query}")
    assert (answer.status, answer.json) == (200, NO_BODY)


def test_custom_names_must_exist_at_this_moment(api: Api) -> None:
    host = api.make("host", VCPU=8)
    asked = f"{CANDIDATES}?resources=CUSTOM_GPU:1&required=CUSTOM_GOLD"
    assert "CUSTOM_GPU" in api.get(asked).detail
    api.put("/resource_classes/CUSTOM_GPU")
    assert "No such trait(s): CUSTOM_GOLD." in api.get(asked).detail
    api.put("/traits/CUSTOM_GOLD")
    assert api.get(asked).json == NO_BODY
    api.post(
        f"/resource_providers/{host}/inventories", {"resource_class": "CUSTOM_GPU", "total": 1}
    )
    traits(api, host, "CUSTOM_GOLD")
    assert givers(api.get(asked).json) == {frozenset({host})}
    traits(api, host)
    api.delete("/traits/CUSTOM_GOLD")
    assert "No such trait(s): CUSTOM_GOLD." in api.get(asked).detail


def test_standard_traits_are_shown_first(api: Api) -> None:
    host = api.make("host", VCPU=8)
    api.put("/traits/CUSTOM_A")
    traits(api, host, "CUSTOM_A", "STORAGE_DISK_SSD", "HW_CPU_X86_SSE")
    shown = api.get(f"{CANDIDATES}?resources=VCPU:1").json["provider_summaries"][host]["traits"]
    assert shown == ["HW_CPU_X86_SSE", "STORAGE_DISK_SSD", "CUSTOM_A"]


def test_a_candidate_can_be_sent_as_a_claim(api_anywhere: Api) -> None:
    api = api_anywhere
    root = api.make("root", DISK_GB=10)
    numa = api.make("numa", root, VCPU=4)
    asked = f"{CANDIDATES}?resources=DISK_GB:5&resources1=VCPU:3"
    (candidate,) = api.get(asked).json["allocation_requests"]
    owned = {"project_id": "p", "user_id": "u", "consumer_generation": None, "consumer_type": "X"}
    assert api.put(f"/allocations/{UUIDS[0]}", {**candidate, **owned}).status == 204
    held = api.get(f"/allocations/{UUIDS[0]}").json["allocations"]
    assert {uuid: share["resources"] for uuid, share in held.items()} == {
        root: {"DISK_GB": 5},
        numa: {"VCPU": 3},
    }
    assert api.get(asked).json == NO_BODY


def test_candidates_see_every_write_before_them(api_anywhere: Api) -> None:
    api = api_anywhere
    host = api.make("host", VCPU=8)
    asked = f"{CANDIDATES}?resources=VCPU:1"

    def used() -> int:
        shown = api.get(asked).json["provider_summaries"]
        return int(shown[host]["resources"]["VCPU"]["used"])

    assert used() == 0
    api.allocate(UUIDS[0], host, VCPU=2)
    assert used() == 2
    body = {
        UUIDS[index]: {
            "allocations": {host: {"resources": {"VCPU": amount}}},
            "project_id": "p",
            "user_id": "u",
            "consumer_generation": generation,
            "consumer_type": "X",
        }
        for index, amount, generation in ((0, 1, 1), (1, 4, None))
    }
    assert api.post("/allocations", body).status == 204
    assert used() == 5
    assert api.delete(f"/allocations/{UUIDS[0]}").status == 204
    assert used() == 4
    inventory = {"total": 16, "resource_provider_generation": api.generation(host)}
    assert api.put(f"/resource_providers/{host}/inventories/VCPU", inventory).status == 200
    shown = api.get(asked).json["provider_summaries"][host]["resources"]["VCPU"]
    assert shown == {"capacity": 16, "used": 4}
    new = api.make("new", VCPU=1)
    assert givers(api.get(asked).json) == {frozenset({host}), frozenset({new})}


def test_candidates_see_what_another_process_wrote(open_api: OpenApi, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/books.sqlite"
    here, there = open_api(url=url), open_api(url=url)
    host = here.make("host", VCPU=8)
    asked = f"{CANDIDATES}?resources=VCPU:6"
    assert givers(there.get(asked).json) == {frozenset({host})}
    here.allocate(UUIDS[0], host, VCPU=4)
    assert there.get(asked).json == NO_BODY
    there.delete(f"/allocations/{UUIDS[0]}")
    assert givers(here.get(asked).json) == {frozenset({host})}


def test_providers_of_many_kinds_are_each_shown_with_their_own(api: Api) -> None:
    # More classes than a sign has bits, some of them the only thing that tells two hosts apart.
    names = [f"CUSTOM_C{number}" for number in range(50)]
    for name in names:
        api.put(f"/resource_classes/{name}")
    expected = {}
    for number in range(8):
        own = {name: 1 + index for index, name in enumerate(names) if (index + number) % 4}
        uuid = api.make(f"host{number}", VCPU=4 + number % 2)
        inventories = {
            "VCPU": {"total": 4 + number % 2},
            **{n: {"total": t} for n, t in own.items()},
        }
        body = {"resource_provider_generation": 1, "inventories": inventories}
        assert api.put(f"/resource_providers/{uuid}/inventories", body).status == 200
        expected[uuid] = {
            name: {"capacity": item["total"], "used": 0} for name, item in inventories.items()
        }
    shown = api.get(f"{CANDIDATES}?resources=VCPU:1").json["provider_summaries"]
    assert {uuid: item["resources"] for uuid, item in shown.items()} == expected


def test_two_that_differ_in_the_first_of_many_classes_are_shown_apart(api: Api) -> None:
    # So many that a number of 64 bits would forget the first one.
    names = [f"CUSTOM_C{number:03}" for number in range(80)]
    for name in names:
        api.put(f"/resource_classes/{name}")
    expected = {}
    for host, own in (("all", names), ("but one", names[1:])):
        uuid = api.make(host, VCPU=4)
        inventories = {name: {"total": 2} for name in ["VCPU", *own]}
        body = {"resource_provider_generation": 1, "inventories": inventories}
        assert api.put(f"/resource_providers/{uuid}/inventories", body).status == 200
        expected[uuid] = set(inventories)
    shown = api.get(f"{CANDIDATES}?resources=VCPU:1", version=27).json["provider_summaries"]
    assert {uuid: set(item["resources"]) for uuid, item in shown.items()} == expected


@contextmanager
def configured(clock: Clock | None = None, **placement: object) -> Iterator[Api]:
    conf = options.load(environment={"XDG_STATE_HOME": tempfile.gettempdir()})
    options.placement.register_libraries(conf)
    conf.set_override("connection", "sqlite://", group="database")
    conf.set_override("auth_strategy", "noauth2", group="api")
    for name, value in placement.items():
        conf.set_override(name, value, group="placement")
    with create_app(conf, clock=clock) as app:
        yield Api(app)


def test_the_deployment_may_bound_how_many_candidates_there_are() -> None:
    with configured(max_allocation_candidates=3) as api:
        for number in range(5):
            api.make(f"host{number}", VCPU=4)
        for query, count in (("", 3), ("&limit=2", 2), ("&limit=4", 3)):
            body = api.get(f"{CANDIDATES}?resources=VCPU:1{query}").json
            assert len(body["allocation_requests"]) == count


@pytest.mark.parametrize(
    ("strategy", "trees"), [("breadth-first", 2), ("depth-first", 1)], ids=["breadth", "depth"]
)
def test_the_deployment_chooses_whether_trees_take_turns(strategy: str, trees: int) -> None:
    with configured(allocation_candidates_generation_strategy=strategy) as api:
        for number in range(2):
            root = api.make(f"root{number}")
            for child in range(2):
                api.make(f"root{number}_{child}", root, VCPU=4)
        body = api.get(f"{CANDIDATES}?resources=VCPU:1&limit=2").json
        roots = {item["root_provider_uuid"] for item in body["provider_summaries"].values()}
        assert len(roots) == trees


@pytest.mark.parametrize("query", ["resources=VCPU:1", "resources1=VCPU:1"])
def test_the_deployment_may_have_candidates_in_random_order(query: str) -> None:
    with configured(randomize_allocation_candidates=True) as api:
        for number in range(30):
            api.make(f"host{number}", VCPU=4)
        orders = {
            tuple(
                next(iter(item["allocations"]))
                for item in api.get(f"{CANDIDATES}?{query}").json["allocation_requests"]
            )
            for _ in range(3)
        }
        assert len(orders) > 1
        assert len({frozenset(order) for order in orders}) == 1


@pytest.mark.parametrize(
    "query",
    [
        "resources=VCPU:1",
        "resources1=VCPU:1",
        "resources1=VCPU:3&resources2=VCPU:2&group_policy=none",
    ],
    ids=["flat", "a group", "nobody"],
)
def test_a_search_that_takes_too_long_is_given_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, query: str
) -> None:
    clock, read = ManualClock(), Service.fleet

    def late(service: Service, deadline: Deadline) -> Fleet:
        fleet = read(service, deadline)
        clock.advance(61)
        return fleet

    monkeypatch.setattr(Service, "fleet", late)
    with configured(clock) as api:
        api.make("host", VCPU=4)
        assert api.get(f"{CANDIDATES}?{query}").status == 503
    assert "looking for candidates" in caplog.text
