"""Allocations: written by consumer, one or many, and read by consumer and by provider."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_lib.model.inventory import MAX_UNITS
from tests.api.conftest import UUIDS, Api

ONE, TWO, NOBODY = UUIDS[:3]


def claim(provider: str, minor: int = 39, **amounts: int) -> dict[str, Any]:
    """Return the body that books amounts of one provider, in the form of a microversion."""
    shares: Any = {provider: {"resources": amounts}} if amounts else {}
    if minor < 12:
        shares = [{"resource_provider": {"uuid": provider}, "resources": amounts}]
    body = {"allocations": shares}
    if minor >= 8:
        body.update(project_id="project", user_id="user")
    if minor >= 28:
        body.update(consumer_generation=None)
    if minor >= 38:
        body.update(consumer_type="INSTANCE")
    return body


@pytest.mark.parametrize("minor", [0, 7, 8, 11, 12, 27, 28, 33, 34, 37, 38, 39])
def test_every_form_books_the_same(api: Api, minor: int) -> None:
    host = api.make("host", VCPU=8)
    sent = claim(host, minor, VCPU=3)
    assert api.put(f"/allocations/{ONE}", sent, version=minor).status == 204
    shown = api.get(f"/allocations/{ONE}", version=minor)
    owned: dict[str, object] = {}
    if minor >= 12:
        owned |= {"project_id": "project", "user_id": "user"}
    if minor >= 28:
        owned |= {"consumer_generation": 1}
    if minor >= 38:
        owned |= {"consumer_type": "INSTANCE"}
    shares = {host: {"resources": {"VCPU": 3}, "generation": 2}}
    assert shown.json == {"allocations": shares, **owned}
    assert ("last-modified" in shown.headers) is (minor >= 15)


def test_who_names_nobody_is_booked_on_the_incomplete_ones(api: Api) -> None:
    host = api.make("host", VCPU=8)
    api.put(f"/allocations/{ONE}", claim(host, 0, VCPU=1), version=0)
    shown = api.get(f"/allocations/{ONE}").json
    nobody = "00000000-0000-0000-0000-000000000000"
    assert (shown["project_id"], shown["user_id"]) == (nobody, nobody)
    assert shown["consumer_type"] == "unknown"


def test_of_a_provider_that_is_listed_twice_the_last_share_counts(api: Api) -> None:
    host = api.make("host", VCPU=8)
    body = {"allocations": claim(host, 0, VCPU=1)["allocations"] * 1}
    body["allocations"] += claim(host, 0, VCPU=2)["allocations"]
    assert api.put(f"/allocations/{ONE}", body, version=0).status == 204
    assert api.get(f"/allocations/{ONE}").json["allocations"][host]["resources"] == {"VCPU": 2}


def test_a_provider_tells_who_holds_what(api_anywhere: Api) -> None:
    api = api_anywhere
    host = api.make("host", VCPU=8, DISK_GB=10)
    api.allocate(ONE, host, VCPU=1, DISK_GB=2)
    api.allocate(TWO, host, VCPU=2)
    path = f"/resource_providers/{host}/allocations"
    assert api.get(path).json == {
        "resource_provider_generation": 4,
        "allocations": {
            ONE: {"resources": {"VCPU": 1, "DISK_GB": 2}, "consumer_generation": 1},
            TWO: {"resources": {"VCPU": 2}, "consumer_generation": 1},
        },
    }
    assert "consumer_generation" not in api.get(path, version=27).json["allocations"][ONE]


def test_what_a_provider_that_is_not_there_holds_is_not_found(api: Api) -> None:
    for uuid in (NOBODY, "x"):
        answer = api.get(f"/resource_providers/{uuid}/allocations")
        assert answer.status == 404
        assert f"No resource provider with uuid {uuid} found" in answer.detail


@pytest.mark.parametrize("who", [NOBODY, "anything", NOBODY.replace("-", "")])
def test_whoever_is_not_known_holds_nothing(api: Api, who: str) -> None:
    answer = api.get(f"/allocations/{who}")
    assert (answer.status, answer.json) == (200, {"allocations": {}})
    assert answer.headers["last-modified"]
    gone = api.delete(f"/allocations/{who}")
    assert gone.status == 404
    assert f"No allocations for consumer '{who}'" in gone.detail


def test_a_consumer_without_dashes_is_stored_with_them(api: Api) -> None:
    host = api.make("host", VCPU=8)
    assert api.put(f"/allocations/{ONE.replace('-', '')}", claim(host, VCPU=1)).status == 204
    assert api.get(f"/allocations/{ONE}").json["allocations"]
    assert api.post("/allocations", {ONE.replace("-", ""): claim(host, VCPU=1)}).status == 400


def test_a_consumer_is_a_uuid(api: Api) -> None:
    host = api.make("host", VCPU=8)
    answer = api.put("/allocations/me", claim(host, VCPU=1))
    assert answer.status == 400
    assert "Malformed consumer_uuid: me" in answer.detail


def test_what_is_released_is_free_again(api_anywhere: Api) -> None:
    api = api_anywhere
    host = api.make("host", VCPU=8)
    api.allocate(ONE, host, VCPU=8)
    generation = api.generation(host)
    assert api.delete(f"/allocations/{ONE}").status == 204
    assert api.generation(host) == generation
    api.allocate(TWO, host, VCPU=8)
    assert api.delete(f"/allocations/{ONE}").status == 404


def test_a_claim_replaces_what_was_held(api_anywhere: Api) -> None:
    api = api_anywhere
    first, second = api.make("first", VCPU=8), api.make("second", VCPU=8)
    api.allocate(ONE, first, VCPU=8)
    moved = {**claim(second, VCPU=2), "consumer_generation": 1, "project_id": "other"}
    moved["consumer_type"] = "MIGRATION"
    assert api.put(f"/allocations/{ONE}", moved).status == 204
    shown = api.get(f"/allocations/{ONE}").json
    assert set(shown["allocations"]) == {second}
    assert shown["consumer_generation"] == 2
    assert (shown["project_id"], shown["consumer_type"]) == ("other", "MIGRATION")
    assert api.get(f"/resource_providers/{first}/allocations").json["allocations"] == {}


def test_a_claim_of_an_older_form_leaves_the_type(api: Api) -> None:
    host = api.make("host", VCPU=8)
    api.allocate(ONE, host, VCPU=1)
    sent = {**claim(host, 37, VCPU=2), "consumer_generation": 1}
    assert api.put(f"/allocations/{ONE}", sent, version=37).status == 204
    assert api.get(f"/allocations/{ONE}").json["consumer_type"] == "INSTANCE"


def test_a_claim_of_nothing_releases(api: Api) -> None:
    host = api.make("host", VCPU=8)
    api.allocate(ONE, host, VCPU=1)
    nothing = {**claim(host), "consumer_generation": 1}
    assert api.put(f"/allocations/{ONE}", nothing).status == 204
    assert api.get(f"/allocations/{ONE}").json == {"allocations": {}}
    old = api.put(f"/allocations/{ONE}", claim(host, 27), version=27)
    assert old.status == 400


@pytest.mark.parametrize(
    ("stored", "given", "told"),
    [
        (True, None, "expected 1 but got None"),
        (True, 7, "expected 1 but got 7"),
        (True, -1, "expected 1 but got -1"),
        (True, -2, "expected 1 but got -2"),
        (False, 5, "expected null but got 5"),
        (False, -1, "expected null but got -1"),
    ],
)
def test_a_claim_on_another_generation_is_refused(
    api_anywhere: Api, *, stored: bool, given: int | None, told: str
) -> None:
    api = api_anywhere
    host = api.make("host", VCPU=8)
    if stored:
        api.allocate(ONE, host, VCPU=1)
    for answer in (
        api.put(f"/allocations/{ONE}", {**claim(host, VCPU=2), "consumer_generation": given}),
        api.post("/allocations", {ONE: {**claim(host, VCPU=2), "consumer_generation": given}}),
    ):
        assert answer.status == 409
        assert answer.code == "placement.concurrent_update"
        assert f"consumer generation conflict - {told}" in answer.detail


def test_before_128_generations_are_not_looked_at(api: Api) -> None:
    host = api.make("host", VCPU=8)
    for amount in (1, 2):
        sent = claim(host, 27, VCPU=amount)
        assert api.put(f"/allocations/{ONE}", sent, version=27).status == 204
    assert api.get(f"/allocations/{ONE}").json["consumer_generation"] == 2


@pytest.mark.parametrize(
    ("amounts", "status", "told"),
    [
        ({"VCPU": 9}, 409, "violate inventory constraints"),
        ({"VCPU": MAX_UNITS + 1}, 409, "violate inventory constraints"),
        ({"DISK_GB": 15}, 409, "violate inventory constraints"),
        ({"MEMORY_MB": 200}, 409, "The requested amount would exceed the capacity"),
        ({"PCI_DEVICE": 1}, 409, "Inventory for 'PCI_DEVICE' on resource provider"),
        ({"CUSTOM_X": 1}, 400, "No such resource class CUSTOM_X."),
        ({"COWS": 1}, 400, "No such resource class COWS."),
        ({"VCPU": 2**63}, 400, "JSON does not validate"),
        ({"VCPU": 0}, 400, "JSON does not validate: 0 is less than the minimum of 1"),
        ({"VCPU": True}, 400, "JSON does not validate: True is not of type 'integer'"),
        ({"vcpu": 1}, 400, "JSON does not validate: 'vcpu' does not match any of the regexes"),
    ],
)
def test_what_cannot_be_given_is_refused(
    api_anywhere: Api, amounts: dict[str, int], status: int, told: str
) -> None:
    api = api_anywhere
    host = api.make("host")
    inventories = {
        "VCPU": {"total": 16, "max_unit": 8},
        "DISK_GB": {"total": 100, "step_size": 10},
        "MEMORY_MB": {"total": 100},
    }
    body = {"resource_provider_generation": 0, "inventories": inventories}
    api.put(f"/resource_providers/{host}/inventories", body)
    for answer in (
        api.put(f"/allocations/{ONE}", claim(host, **amounts)),
        api.post("/allocations", {ONE: claim(host, **amounts), TWO: claim(host, VCPU=1)}),
    ):
        assert answer.status == status
        assert told in answer.detail
        assert answer.code == "placement.undefined_code"
        if "JSON" not in told:
            assert "Unable to allocate inventory" in answer.detail


def test_an_amount_may_be_written_with_a_point(api: Api) -> None:
    host = api.make("host", VCPU=8)
    body = claim(host, VCPU=1)
    body["allocations"][host]["resources"]["VCPU"] = 2.0
    assert api.put(f"/allocations/{ONE}", body).status == 204
    assert api.get(f"/allocations/{ONE}").json["allocations"][host]["resources"] == {"VCPU": 2}


@pytest.mark.parametrize("provider", [NOBODY, "-" * 36, NOBODY[:-1] + "F"])
def test_a_provider_that_is_not_there_is_a_mistake(api: Api, provider: str) -> None:
    for answer in (
        api.put(f"/allocations/{ONE}", claim(provider, VCPU=1)),
        api.post("/allocations", {ONE: claim(provider, VCPU=1)}),
    ):
        assert answer.status == 400
        told = f"Allocation for resource provider '{provider}' that does not exist"
        assert told in answer.detail


def test_a_refused_claim_leaves_no_trace(api_anywhere: Api) -> None:
    api = api_anywhere
    host = api.make("host", VCPU=8)
    generation = api.generation(host)
    for provider, amounts in ((host, {"VCPU": 9}), (host, {"COWS": 1}), (NOBODY, {"VCPU": 1})):
        api.put(f"/allocations/{ONE}", claim(provider, **amounts))
    assert api.generation(host) == generation
    assert api.get("/usages?project_id=project").json["usages"] == {}
    # Nobody made the consumer: it must still be new.
    api.allocate(ONE, host, VCPU=1)


def test_several_consumers_are_booked_together_or_not_at_all(api_anywhere: Api) -> None:
    api = api_anywhere
    host = api.make("host", VCPU=8)
    api.allocate(ONE, host, VCPU=8)
    too_much = {
        ONE: {**claim(host, VCPU=6), "consumer_generation": 1},
        TWO: claim(host, VCPU=3),
    }
    assert api.post("/allocations", too_much).status == 409
    assert api.get(f"/allocations/{ONE}").json["allocations"][host]["resources"] == {"VCPU": 8}
    fitting = {
        ONE: {**claim(host), "consumer_generation": 1},
        TWO: claim(host, VCPU=8),
    }
    assert api.post("/allocations", fitting).status == 204
    assert api.get(f"/allocations/{ONE}").json == {"allocations": {}}
    assert set(api.get(f"/resource_providers/{host}/allocations").json["allocations"]) == {TWO}


def test_many_at_once_came_with_113(api: Api) -> None:
    host = api.make("host", VCPU=8)
    assert api.post("/allocations", {ONE: claim(host, 12, VCPU=1)}, version=12).status == 404
    assert api.post("/allocations", {ONE: claim(host, 13, VCPU=1)}, version=13).status == 204
    assert api.post("/allocations", {ONE: claim(host, 13)}, version=13).status == 204
    assert api.get(f"/allocations/{ONE}").json == {"allocations": {}}


@pytest.mark.parametrize(
    ("minor", "change"),
    [
        (7, {"project_id": "p", "user_id": "u"}),
        (8, {"project_id": ""}),
        (8, {"user_id": "x" * 256}),
        (12, {"allocations": []}),
        (12, {"allocations": {}}),
        (27, {"consumer_generation": None}),
        (28, {"consumer_generation": "1"}),
        (28, {"consumer_generation": 2**63}),
        (33, {"mappings": {"": [NOBODY]}}),
        (34, {"mappings": {}}),
        (34, {"mappings": {"a": []}}),
        (34, {"mappings": {"a": ["x"]}}),
        (37, {"consumer_type": "INSTANCE"}),
        (38, {"consumer_type": "instance"}),
        (38, {"consumer_type": "A" * 256}),
        (39, {"more": 1}),
        (39, {"project_id": "a\u0000b"}),
        (39, {"project_id": "\ud800"}),
    ],
)
def test_bodies_of_another_form_are_refused(
    api: Api, minor: int, change: dict[str, object]
) -> None:
    host = api.make("host", VCPU=8)
    body = {**claim(host, minor, VCPU=1), **change}
    assert api.put(f"/allocations/{ONE}", body, version=minor).status == 400


@pytest.mark.parametrize(
    ("minor", "missing"),
    [(8, "project_id"), (12, "user_id"), (28, "consumer_generation"), (38, "consumer_type")],
)
def test_what_a_body_needs_is_told(api: Api, minor: int, missing: str) -> None:
    host = api.make("host", VCPU=8)
    body = claim(host, minor, VCPU=1)
    del body[missing]
    answer = api.put(f"/allocations/{ONE}", body, version=minor)
    assert answer.status == 400
    assert f"'{missing}' is a required property" in answer.detail


def test_mappings_are_taken_and_not_kept(api: Api) -> None:
    host = api.make("host", VCPU=8)
    body = {**claim(host, VCPU=1), "mappings": {"": [host], "_A": [host]}}
    body["allocations"][host]["generation"] = 99
    assert api.put(f"/allocations/{ONE}", body).status == 204
    assert "mappings" not in api.get(f"/allocations/{ONE}").json


def test_of_several_providers_that_are_not_there_the_first_of_the_body_is_told(
    api_anywhere: Api,
) -> None:
    there = api_anywhere.make("a", VCPU=8)
    late, early = UUIDS[8], UUIDS[7]
    shares = {uuid: {"resources": {"VCPU": 1}} for uuid in (there, late, early)}
    body = {
        "allocations": shares,
        "project_id": "p",
        "user_id": "u",
        "consumer_generation": None,
        "consumer_type": "INSTANCE",
    }
    answer = api_anywhere.put(f"/allocations/{UUIDS[0]}", body)
    assert answer.status == 400
    assert f"'{late}' that does not exist" in answer.detail
