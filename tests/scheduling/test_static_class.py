"""What seldom changes of a host decides together, whoever asks for it: request, group or filter."""

from __future__ import annotations

import pytest

from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.decision import StageCount
from scheduler_lib.model.request import Request, ResourceGroup
from tests.scheduling.fleets import (
    ask,
    child,
    consumers,
    fleet_of,
    host,
    names,
    scheduler,
    soon,
    uuid_of,
)

ONE, TWO = uuid_of("aggregate 1"), uuid_of("aggregate 2")


def chosen(fleet: Fleet, request: Request) -> list[str]:
    return names(scheduler().select(request, fleet, None, soon()))


def test_aggregates_of_the_request_and_of_its_group_must_both_hold() -> None:
    fleet = fleet_of(
        host("a", {"VCPU": 32}, aggregates=[ONE]),
        host("b", {"VCPU": 16}, aggregates=[TWO]),
        host("c", {"VCPU": 8}, aggregates=[ONE, TWO]),
    )
    group = ResourceGroup({"VCPU": 1}, member_of=(frozenset([TWO]),))
    request = Request({"": group}, tuple(consumers(1)), aggregates=(frozenset([ONE]),))
    assert chosen(fleet, request) == ["c"]


def test_forbidden_aggregates_of_the_request_and_of_its_group_are_all_left_out() -> None:
    fleet = fleet_of(
        host("a", {"VCPU": 32}, aggregates=[ONE]),
        host("b", {"VCPU": 16}, aggregates=[TWO]),
        host("c", {"VCPU": 8}),
    )
    group = ResourceGroup({"VCPU": 1}, forbidden_aggregates=frozenset([TWO]))
    request = Request({"": group}, tuple(consumers(1)), forbidden_aggregates=frozenset([ONE]))
    assert chosen(fleet, request) == ["c"]


def test_traits_asked_of_the_root_and_of_the_group_must_both_be_there() -> None:
    fleet = fleet_of(
        host("a", {"VCPU": 32}, traits=["CUSTOM_A"]),
        host("b", {"VCPU": 16}, traits=["CUSTOM_B"]),
        host("c", {"VCPU": 8}, traits=["CUSTOM_A", "CUSTOM_B"]),
    )
    asked = ask({"VCPU": 1}, required=["CUSTOM_A"], root_required=["CUSTOM_B"])
    assert chosen(fleet, asked) == ["c"]


def test_traits_forbidden_on_the_root_and_by_the_group_are_all_left_out() -> None:
    fleet = fleet_of(
        host("a", {"VCPU": 32}, traits=["CUSTOM_A"]),
        host("b", {"VCPU": 16}, traits=["CUSTOM_B"]),
        host("c", {"VCPU": 8}),
    )
    asked = ask({"VCPU": 1}, forbidden=["CUSTOM_A"], root_forbidden=["CUSTOM_B"])
    assert chosen(fleet, asked) == ["c"]


def test_each_check_of_a_tree_counts_from_what_the_one_before_it_left() -> None:
    fleet = fleet_of(
        host("a", {"VCPU": 8}),
        child("a-gpu", "a", {"CUSTOM_GPU": 1}),
        host("b", {"VCPU": 1}),
        child("b-gpu", "b", {"CUSTOM_GPU": 4}),
        host("c", {"VCPU": 8}),
    )
    groups = {"": ResourceGroup({"VCPU": 2}), "1": ResourceGroup({"CUSTOM_GPU": 2})}
    with pytest.raises(NoValidHost) as caught:
        chosen(fleet, Request(groups, tuple(consumers(1))))
    assert caught.value.decision is not None
    counts = [item for item in caught.value.decision.counts if item.check in ("VCPU", "CUSTOM_GPU")]
    assert counts == [StageCount("VCPU", 3, 2), StageCount("CUSTOM_GPU", 2, 0)]
