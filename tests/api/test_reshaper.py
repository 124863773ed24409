"""The reshaper: inventories and what is held of them move together."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import UUIDS, Api

ONE, TWO, NOBODY = UUIDS[:3]
RESHAPER = "/reshaper"


def share(**amounts: int) -> dict[str, Any]:
    return {"resources": amounts}


def held(generation: int | None, **shares: Any) -> dict[str, Any]:
    return {
        "allocations": shares,
        "project_id": "project",
        "user_id": "user",
        "consumer_generation": generation,
        "consumer_type": "INSTANCE",
    }


def stock(generation: int, **totals: int) -> dict[str, Any]:
    inventories = {name: {"total": total} for name, total in totals.items()}
    return {"resource_provider_generation": generation, "inventories": inventories}


def inventories(api: Api, provider: str) -> dict[str, int]:
    shown = api.get(f"/resource_providers/{provider}/inventories").json["inventories"]
    return {name: item["total"] for name, item in shown.items()}


@pytest.fixture
def tree(api_anywhere: Api) -> tuple[Api, str, str]:
    """A root with a consumer, and a child with nothing."""
    api = api_anywhere
    root = api.make("root", VCPU=8, DISK_GB=100)
    child = api.make("child", root)
    api.allocate(ONE, root, VCPU=2, DISK_GB=10)
    return api, root, child


def test_a_class_moves_to_a_child_with_its_consumers(tree: tuple[Api, str, str]) -> None:
    api, root, child = tree
    asked = "/allocation_candidates?resources=VCPU:6"
    assert set(api.get(asked).json["allocation_requests"][0]["allocations"]) == {root}
    body = {
        "inventories": {
            root: stock(api.generation(root), DISK_GB=100),
            child: stock(api.generation(child), VCPU=8),
        },
        "allocations": {ONE: held(1, **{root: share(DISK_GB=10), child: share(VCPU=2)})},
    }
    assert api.post(RESHAPER, body).status == 204
    assert inventories(api, root) == {"DISK_GB": 100}
    assert inventories(api, child) == {"VCPU": 8}
    shown = api.get(f"/allocations/{ONE}").json
    shares = {uuid: item["resources"] for uuid, item in shown["allocations"].items()}
    assert shares == {root: {"DISK_GB": 10}, child: {"VCPU": 2}}
    assert shown["consumer_generation"] == 2
    found = api.get(asked).json
    assert set(found["allocation_requests"][0]["allocations"]) == {child}
    assert found["provider_summaries"][child]["resources"]["VCPU"]["used"] == 2


def test_nothing_need_be_held(tree: tuple[Api, str, str]) -> None:
    api, _, child = tree
    body = {"inventories": {child: stock(0, VCPU=4)}, "allocations": {}}
    assert api.post(RESHAPER, body).status == 204
    assert inventories(api, child) == {"VCPU": 4}


def test_a_refused_reshape_changes_nothing(tree: tuple[Api, str, str]) -> None:
    api, root, child = tree
    before = api.generation(root)
    without_vcpu = {root: stock(before, DISK_GB=100), child: stock(0, VCPU=8)}
    moved = held(1, **{root: share(DISK_GB=10), child: share(VCPU=2)})
    too_much = held(1, **{root: share(DISK_GB=10), child: share(VCPU=9)})
    cases: list[tuple[dict[str, Any], dict[str, Any], int, str, str]] = [
        (without_vcpu, {}, 409, "inventory.inuse", "update conflict: Inventory for 'VCPU' on"),
        (
            {**without_vcpu, root: stock(before - 1, DISK_GB=100)},
            {ONE: moved},
            409,
            "concurrent_update",
            f"resource provider generation conflict for provider {root}: "
            f"actual: {before}, given: {before - 1}",
        ),
        (
            without_vcpu,
            {ONE: {**moved, "consumer_generation": 3}},
            409,
            "concurrent_update",
            "consumer generation conflict - expected 1 but got 3",
        ),
        (without_vcpu, {ONE: too_much}, 409, "undefined_code", "Unable to allocate inventory: "),
        (
            {**without_vcpu, NOBODY: stock(0, VCPU=1)},
            {ONE: moved},
            400,
            "resource_provider.not_found",
            f"Resource provider {NOBODY} in inventories not found",
        ),
        (
            without_vcpu,
            {ONE: moved, TWO: held(None, **{NOBODY: share(VCPU=1)})},
            400,
            "undefined_code",
            f"Allocation for resource provider '{NOBODY}' that does not exist",
        ),
        (
            {**without_vcpu, child: stock(0, VCPU=8, COWS=1)},
            {ONE: moved},
            400,
            "undefined_code",
            "malformed reshaper data: No such resource class COWS.",
        ),
        (
            without_vcpu,
            {ONE: held(1, **{root: share(DISK_GB=10), child: share(COWS=2)})},
            400,
            "undefined_code",
            "malformed reshaper data: No such resource class COWS.",
        ),
    ]
    for stocks, claims, status, code, told in cases:
        answer = api.post(RESHAPER, {"inventories": stocks, "allocations": claims})
        assert (answer.status, answer.code) == (status, f"placement.{code}")
        assert told in answer.detail
    assert api.generation(root) == before
    assert inventories(api, root) == {"VCPU": 8, "DISK_GB": 100}
    assert inventories(api, child) == {}
    assert set(api.get(f"/allocations/{ONE}").json["allocations"]) == {root}
    assert api.get(f"/allocations/{TWO}").json == {"allocations": {}}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"inventories": {}, "allocations": {}},
        {"inventories": {NOBODY: stock(0, VCPU=1)}},
        {"inventories": {"x": stock(0, VCPU=1)}, "allocations": {}},
        {"inventories": {"-" * 36: stock(0, VCPU=1)}, "allocations": {}},
        {"inventories": {NOBODY: stock(0, VCPU=0)}, "allocations": {}},
        {"inventories": {NOBODY: stock(2**63, VCPU=1)}, "allocations": {}},
        {"inventories": {NOBODY: {"inventories": {}}}, "allocations": {}},
        {"inventories": {NOBODY: stock(0, VCPU=1)}, "allocations": {}, "more": 1},
        {"inventories": {NOBODY: stock(0, VCPU=1)}, "allocations": {"x": held(None)}},
    ],
)
def test_bodies_of_another_form_are_refused(api: Api, body: dict[str, object]) -> None:
    assert api.post(RESHAPER, body).status == 400


def test_it_came_with_130_and_follows_the_forms_of_allocations(api: Api) -> None:
    root = api.make("root", VCPU=8)
    typed = held(None, **{root: share(VCPU=1)})
    plain = {key: value for key, value in typed.items() if key != "consumer_type"}
    body = {"inventories": {root: stock(1, VCPU=8)}, "allocations": {ONE: plain}}
    assert api.post(RESHAPER, body, version=29).status == 404
    assert api.post(RESHAPER, body, version=38).status == 400
    assert api.post(RESHAPER, body, version=30).status == 204
    mapped = {**plain, "consumer_generation": 1, "mappings": {"a": [root]}}
    body = {
        "inventories": {root: stock(api.generation(root), VCPU=8)},
        "allocations": {ONE: mapped},
    }
    assert api.post(RESHAPER, body, version=33).status == 400
    assert api.post(RESHAPER, body, version=34).status == 204


def test_limits_that_are_written_hold_for_what_is_kept(tree: tuple[Api, str, str]) -> None:
    api, root, _ = tree
    narrow = stock(api.generation(root), VCPU=8, DISK_GB=100)
    narrow["inventories"]["VCPU"]["max_unit"] = 1
    kept = held(1, **{root: share(VCPU=2, DISK_GB=10)})
    answer = api.post(RESHAPER, {"inventories": {root: narrow}, "allocations": {ONE: kept}})
    assert answer.status == 409
    assert "Unable to allocate inventory" in answer.detail
    assert api.get(f"/allocations/{ONE}").json["consumer_generation"] == 1


def test_what_is_wrong_with_a_provider_is_told_before_what_is_wrong_with_a_consumer(
    tree: tuple[Api, str, str],
) -> None:
    api, root, child = tree
    late = {ONE: held(7, **{root: share(VCPU=1)})}
    unknown = {child: stock(0, VCPU=1), NOBODY: stock(0, VCPU=1)}
    answer = api.post(RESHAPER, {"inventories": unknown, "allocations": late})
    assert (answer.status, answer.code) == (400, "placement.resource_provider.not_found")
    stale = {child: stock(api.generation(child) + 1)}
    answer = api.post(RESHAPER, {"inventories": stale, "allocations": late})
    assert (answer.status, answer.code) == (409, "placement.concurrent_update")
    assert f"generation conflict for provider {child}" in answer.detail
    good = {child: stock(api.generation(child))}
    answer = api.post(RESHAPER, {"inventories": good, "allocations": late})
    assert "consumer generation conflict" in answer.detail
