"""Why a tree cannot serve: each kind of refusal, with its numbers."""

from __future__ import annotations

import pytest

from scheduler_lib.model.decision import ReasonKind
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import Stock
from scheduler_lib.model.request import ResourceGroup
from scheduler_lib.placement import Search, Shortfall
from tests.fleet.builders import Forest, uid
from tests.placement.asking import group

NEVER, NOT_NOW = ReasonKind.NEVER, ReasonKind.NOT_NOW


def host() -> Forest:
    vcpus = Stock(Inventory(8, max_unit=6), used=5)
    forest = Forest().add("CN", {"VCPU": vcpus, "DISK_GB": Inventory(90, step_size=10)}, host=True)
    for number, used in enumerate((0, 0, 400, 1000)):
        stock = Stock(Inventory(1000), used)
        forest.add(f"GPU{number}", {"GPU": stock}, under="CN", traits={"HW_T4"})
    return forest


def why(*groups: ResourceGroup, forest: Forest | None = None, **rest: object) -> list[Shortfall]:
    fleet = (forest or host()).fleet()
    named = {f"_{number}" if number else "": one for number, one in enumerate(groups)}
    return list(Search(fleet, named, **rest).reasons(fleet.row(uid("CN"))))  # type: ignore[arg-type]


NOTHING = ResourceGroup()


def test_there_is_nothing_to_say_of_a_tree_that_can() -> None:
    assert why(group(VCPU=3)) == []


@pytest.mark.parametrize(
    ("asked", "kind", "free", "limit"),
    [({"VCPU": 4}, NOT_NOW, 3, 6), ({"VCPU": 7}, NEVER, 3, 6), ({"NPU": 1}, NEVER, 0, 0)],
)
def test_too_little_is_not_now_or_never(
    asked: dict[str, int], kind: ReasonKind, free: int, limit: int
) -> None:
    (only,) = why(ResourceGroup(asked))
    ((name, amount),) = asked.items()
    found = (only.check, only.kind, only.asked, only.free, only.limit)
    assert found == (name, kind, amount, free, limit)
    assert str(amount) in only.message


def test_every_class_that_is_short_is_named() -> None:
    assert [item.check for item in why(group(VCPU=7, DISK_GB=100))] == ["DISK_GB", "VCPU"]


def test_an_amount_beside_the_step_can_never_be_served() -> None:
    (only,) = why(group(DISK_GB=15))
    assert (only.kind, only.asked) == (NEVER, 15)
    assert "steps of 10" in only.message


def test_the_best_of_several_providers_counts() -> None:
    (only,) = why(NOTHING, group(GPU=1001))
    assert (only.group, only.kind, only.free, only.limit) == ("_1", NEVER, 1000, 1000)


@pytest.mark.parametrize(
    ("condition", "check"),
    [
        ({"required": {"HW_T4", "HW_A100"}}, "HW_A100"),
        ({"any_of": (frozenset({"HW_B", "HW_A"}),)}, "HW_A or HW_B"),
        ({"forbidden": {"HW_T4"}}, "HW_T4"),
        ({"member_of": (frozenset({uid("A")}),)}, "aggregates"),
    ],
)
def test_the_part_of_a_condition_that_nobody_meets_is_named(
    condition: dict[str, object], check: str
) -> None:
    (only,) = why(NOTHING, group(GPU=1, **condition))
    assert (only.check, only.kind, only.group) == (check, NEVER, "_1")


def test_a_trait_that_no_used_provider_could_bring_is_named() -> None:
    (only,) = why(group(VCPU=1, required={"HW_T4"}))
    assert (only.check, only.kind) == ("HW_T4", NEVER)


def test_another_tree_is_the_requests_own_wish() -> None:
    (only,) = why(group(VCPU=1, in_tree=uid("elsewhere")))
    assert (only.check, only.kind) == ("in_tree", ReasonKind.EXCLUDED)


@pytest.mark.parametrize(
    ("count", "kind", "empty"), [(3, NOT_NOW, 4), (4, NOT_NOW, 4), (5, NEVER, 4)]
)
def test_isolation_counts_the_providers_that_can(count: int, kind: ReasonKind, empty: int) -> None:
    (only,) = why(NOTHING, *[group(GPU=700)] * count, group_policy="isolate")
    assert (only.kind, only.asked, only.free, only.limit) == (kind, count, 2, empty)
    assert only.message == f"2 providers can serve 700 GPU, {count} asked"


def test_the_sum_of_unlike_groups_is_compared_with_what_is_left() -> None:
    (only,) = why(NOTHING, group(GPU=1000), group(GPU=999), group(GPU=998))
    assert (only.check, only.kind, only.asked, only.free) == ("GPU", NOT_NOW, 2997, 2600)


def test_groups_that_fit_one_by_one_but_not_together_say_so() -> None:
    (only,) = why(NOTHING, group(GPU=900), group(GPU=800), group(GPU=700))
    assert only.check == "combination"
    assert "not all of them together" in only.message


def test_the_roots_traits_are_named() -> None:
    found = why(group(VCPU=1), root_required=frozenset({"HW_X"}))
    assert [(item.check, item.kind) for item in found] == [("HW_X", NEVER)]
