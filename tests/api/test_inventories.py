"""Inventories: what providers have, under their generation."""

from __future__ import annotations

import json

import pytest

from tests.api.conftest import Api

PROVIDERS = "/resource_providers"
FULL = {
    "total": 100,
    "reserved": 10,
    "min_unit": 5,
    "max_unit": 50,
    "step_size": 5,
    "allocation_ratio": 2.5,
}


def stock(api: Api, uuid: str) -> str:
    return f"{PROVIDERS}/{uuid}/inventories"


def test_an_inventory_comes_back_with_every_field(api_anywhere: Api) -> None:
    uuid = api_anywhere.make("a")
    made = api_anywhere.post(stock(api_anywhere, uuid), {"resource_class": "DISK_GB", **FULL})
    assert made.status == 201
    assert made.headers["location"].endswith(f"{stock(api_anywhere, uuid)}/DISK_GB")
    assert made.json == {**FULL, "resource_provider_generation": 1}
    assert api_anywhere.get(f"{stock(api_anywhere, uuid)}/DISK_GB").json == made.json
    assert api_anywhere.get(stock(api_anywhere, uuid)).json == {
        "resource_provider_generation": 1,
        "inventories": {"DISK_GB": FULL},
    }


def test_what_is_not_given_has_a_default(api: Api) -> None:
    uuid = api.make("a", VCPU=4)
    assert api.get(f"{stock(api, uuid)}/VCPU").json == {
        "total": 4,
        "reserved": 0,
        "min_unit": 1,
        "max_unit": 2**31 - 1,
        "step_size": 1,
        "allocation_ratio": 1.0,
        "resource_provider_generation": 1,
    }


def test_every_write_counts_a_generation_even_one_that_changes_nothing(api_anywhere: Api) -> None:
    uuid = api_anywhere.make("a", VCPU=4)
    body = {"total": 4, "resource_provider_generation": 1}
    assert api_anywhere.put(f"{stock(api_anywhere, uuid)}/VCPU", body).status == 200
    both = {"resource_provider_generation": 2, "inventories": {"VCPU": {"total": 4}}}
    assert api_anywhere.put(stock(api_anywhere, uuid), both).status == 200
    assert api_anywhere.delete(f"{stock(api_anywhere, uuid)}/VCPU").status == 204
    assert api_anywhere.delete(stock(api_anywhere, uuid)).status == 204
    assert api_anywhere.generation(uuid) == 5


def test_a_write_under_an_old_generation_changes_nothing(api_anywhere: Api) -> None:
    uuid = api_anywhere.make("a", VCPU=4)
    for generation in (0, 2, -1, 2**63 - 1):
        one = {"total": 9, "resource_provider_generation": generation}
        every = {"inventories": {}, "resource_provider_generation": generation}
        for path, body in (
            (f"{stock(api_anywhere, uuid)}/VCPU", one),
            (stock(api_anywhere, uuid), every),
        ):
            refused = api_anywhere.put(path, body)
            assert (refused.status, refused.code) == (409, "placement.concurrent_update")
            assert "resource provider generation conflict" in refused.detail
    assert api_anywhere.get(f"{stock(api_anywhere, uuid)}/VCPU").json["total"] == 4


def test_adding_asks_for_no_generation_but_adds_once(api: Api) -> None:
    uuid = api.make("a")
    body = {"resource_class": "VCPU", "total": 4, "resource_provider_generation": 77}
    assert api.post(stock(api, uuid), body).status == 201
    again = api.post(stock(api, uuid), body)
    assert (again.status, again.code) == (409, "placement.concurrent_update")
    assert "Update conflict" in again.detail


def test_replacing_keeps_what_is_named_alone(api_anywhere: Api) -> None:
    uuid = api_anywhere.make("a", VCPU=4, DISK_GB=10)
    body = {
        "resource_provider_generation": 2,
        "inventories": {"DISK_GB": {"total": 20}, "MEMORY_MB": {"total": 30}},
    }
    answer = api_anywhere.put(stock(api_anywhere, uuid), body)
    assert answer.json["resource_provider_generation"] == 3
    shown = api_anywhere.get(stock(api_anywhere, uuid)).json["inventories"]
    assert {name: one["total"] for name, one in shown.items()} == {"DISK_GB": 20, "MEMORY_MB": 30}


def test_what_is_allocated_cannot_go_but_may_become_too_little(
    api_anywhere: Api, uuids: tuple[str, ...]
) -> None:
    uuid = api_anywhere.make("a", VCPU=4, DISK_GB=10)
    api_anywhere.allocate(uuids[0], uuid, VCPU=4)
    path = stock(api_anywhere, uuid)
    generation = api_anywhere.generation(uuid)
    nothing = {"resource_provider_generation": generation, "inventories": {}}
    for refused, code in (
        (api_anywhere.delete(f"{path}/VCPU"), "placement.concurrent_update"),
        (api_anywhere.delete(path), "placement.inventory.inuse"),
        (api_anywhere.put(path, nothing), "placement.inventory.inuse"),
    ):
        assert (refused.status, refused.code) == (409, code)
        assert f"Inventory for 'VCPU' on resource provider '{uuid}' in use." in refused.detail
    assert api_anywhere.generation(uuid) == generation
    smaller = {"total": 1, "resource_provider_generation": generation}
    assert api_anywhere.put(f"{path}/VCPU", smaller).status == 200
    assert api_anywhere.get(f"{PROVIDERS}/{uuid}/usages").json["usages"] == {
        "VCPU": 4,
        "DISK_GB": 0,
    }


def test_a_class_that_is_not_there_is_told_as_clients_know_it(api: Api) -> None:
    uuid = api.make("a", VCPU=4)
    path = stock(api, uuid)
    made = api.post(path, {"resource_class": "NONE", "total": 1})
    assert made.status == 400
    assert "Unable to create inventory for resource provider" in made.detail
    assert "No such resource class NONE" in made.detail
    body = {"resource_provider_generation": 1, "inventories": {"NONE": {"total": 1}}}
    assert "Unknown resource class in inventory" in api.put(path, body).detail
    one = {"total": 1, "resource_provider_generation": 1}
    absent = api.put(f"{path}/DISK_GB", one)
    assert absent.status == 400
    assert "No inventory record with resource class" in absent.detail
    for name in ("DISK_GB", "NONE", "small", "\0"):
        assert api.get(f"{path}/{name}").status == 404
        assert api.delete(f"{path}/{name}").status == 404
    for name in ("NONE", "small", "\0"):
        assert api.put(f"{path}/{name}", one).status == 404
    assert api.generation(uuid) == 1


@pytest.mark.parametrize(
    ("reserved", "ratio", "status_1_25", "status_1_26"),
    [
        (3, 1.0, 201, 201), (4, 1.0, 400, 201), (5, 1.0, 400, 400), (0, 0.0, 400, 201),
        (0, 0.2, 400, 201),
    ],
)  # fmt: skip
def test_since_1_26_all_of_an_inventory_may_be_reserved(
    api: Api, reserved: int, ratio: float, status_1_25: int, status_1_26: int
) -> None:
    body = {
        "resource_class": "VCPU", "total": 4, "reserved": reserved, "allocation_ratio": ratio
    }  # fmt: skip
    before, after = api.make("before"), api.make("after")
    assert api.post(stock(api, before), body, version=25).status == status_1_25
    assert api.post(stock(api, after), body, version=26).status == status_1_26


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("total", 0), ("total", -1), ("total", 2**31), ("total", 2**80), ("total", 1.5),
        ("total", True), ("total", "4"), ("total", None),
        ("reserved", -1), ("reserved", False), ("min_unit", 0), ("max_unit", 0), ("step_size", 0),
        ("max_unit", 2**31), ("step_size", 10**400), ("allocation_ratio", -1),
        ("allocation_ratio", 3.5e38), ("allocation_ratio", "1"), ("allocation_ratio", True),
        ("resource_provider_generation", 2**63), ("resource_provider_generation", "1"),
        ("resource_provider_generation", True), ("resource_class", "small"),
        ("resource_class", "VCPU\n"), ("resource_class", "A" * 256), ("resource_class", "A\0"),
        ("more", 1),
    ],
)  # fmt: skip
def test_a_field_out_of_its_bounds_is_refused(api: Api, field: str, value: object) -> None:
    uuid = api.make("a")
    body = {"resource_class": "VCPU", "total": 4, field: value}
    refused = api.post(stock(api, uuid), body)
    assert refused.status == 400
    assert "JSON does not validate" in refused.detail
    assert api.generation(uuid) == 0


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity", "9" * 5000])
def test_a_number_that_no_database_keeps_is_refused(api: Api, number: str) -> None:
    uuid = api.make("a")
    text = f'{{"resource_class": "VCPU", "total": 4, "allocation_ratio": {number}}}'
    answer = api.post(stock(api, uuid), text.encode())
    assert answer.status == 400


def test_an_integer_written_as_a_float_is_kept_as_an_integer(api_anywhere: Api) -> None:
    uuid = api_anywhere.make("a")
    body = {"resource_class": "VCPU", "total": 4.0, "reserved": 1.0, "allocation_ratio": 2}
    shown = api_anywhere.post(stock(api_anywhere, uuid), body).json
    assert json.dumps([shown["total"], shown["reserved"]]) == "[4, 1]"
    assert json.dumps(shown["allocation_ratio"]) == "2.0"


def test_one_generation_of_two_writers_wins(api_anywhere: Api) -> None:
    uuid = api_anywhere.make("a", VCPU=4)
    bodies = [{"total": total, "resource_provider_generation": 1} for total in (5, 6)]
    statuses = [api_anywhere.put(f"{stock(api_anywhere, uuid)}/VCPU", b).status for b in bodies]
    assert statuses == [200, 409]
    assert api_anywhere.get(f"{stock(api_anywhere, uuid)}/VCPU").json["total"] == 5


def test_that_the_provider_is_not_there_or_was_changed_is_told_before_a_wrong_amount(
    api: Api,
) -> None:
    uuid, nobody = api.make("a", VCPU=4), "11111111-1111-4111-8111-111111111111"
    wrong = {"total": 1, "reserved": 2}
    for generation, status in ((1, 400), (7, 409)):
        one = {**wrong, "resource_provider_generation": generation}
        several = {
            "inventories": {"VCPU": wrong}, "resource_provider_generation": generation
        }  # fmt: skip
        for provider, expected in ((uuid, status), (nobody, 404)):
            assert api.put(f"{stock(api, provider)}/VCPU", one).status == expected
            assert api.put(stock(api, provider), several).status == expected
    fresh = {**wrong, "resource_class": "DISK_GB", "resource_provider_generation": 7}
    assert api.post(stock(api, uuid), fresh).status == 400
    assert api.post(stock(api, nobody), fresh).status == 404
