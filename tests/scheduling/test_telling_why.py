"""What a refusal and an explanation say agrees with what was done."""

from __future__ import annotations

import pytest

from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.model.decision import ReasonKind, StageCount
from scheduler_lib.model.request import Request, ResourceGroup
from scheduler_lib.scheduling.demand import Demand, Shape
from scheduler_lib.scheduling.weighers.cpu import CpuWeigher
from tests.scheduling.fleets import (
    NOW,
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


def test_a_tree_with_each_part_but_no_combination_is_counted_as_such() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}), child("a-gpu", "a", {"CUSTOM_GPU": 4}))
    groups = {"1": ResourceGroup({"CUSTOM_GPU": 2}), "2": ResourceGroup({"CUSTOM_GPU": 3})}
    with pytest.raises(NoValidHost) as caught:
        scheduler().select(Request(groups, tuple(consumers(1))), fleet, None, soon())
    assert caught.value.decision is not None
    assert caught.value.decision.counts[-1] == StageCount("combination", 1, 0)


def test_counts_of_several_instances_are_those_of_the_one_that_found_no_place() -> None:
    fleet = fleet_of(host("a", {"VCPU": 1}), host("b", {"VCPU": 1}))
    with pytest.raises(NoValidHost, match="2 of 3") as caught:
        scheduler().select(ask({"VCPU": 1}, 3), fleet, None, soon())
    assert caught.value.decision is not None
    assert StageCount("VCPU", 2, 0) in caught.value.decision.counts
    reasons = caught.value.decision.reasons()
    assert [(item.host, item.check, item.free) for item in reasons] == [
        ("a", "VCPU", 0),
        ("b", "VCPU", 0),
    ]


def test_a_host_alone_scores_0_in_the_choice_and_in_the_explanation() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}))
    chooser = scheduler(CpuWeigher)
    (verdict,) = chooser.explain(ask({"VCPU": 1}), fleet).verdicts
    assert (verdict.fits, verdict.total) == (True, 0.0)
    chosen = chooser.select(ask({"VCPU": 1}), fleet, None, soon())
    assert chosen.destinations[0].score == 0.0


def test_filters_that_a_forced_request_skips_are_not_held_against_its_host() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}, disabled=True), host("b", {"VCPU": 8}))
    asked = ask({"VCPU": 1}, force_hosts=["a"], availability_zone="elsewhere")
    first, second = scheduler().explain(asked, fleet).verdicts
    assert (first.host, first.reasons) == ("a", ())
    assert (second.host, [item.check for item in second.reasons]) == ("b", ["forced"])
    assert names(scheduler().select(asked, fleet, None, soon())) == ["a"]


@pytest.mark.parametrize(("age_s", "fits"), [(60, True), (60.5, False), (-60, True)])
def test_the_oldest_heartbeat_that_counts_is_the_same_in_choice_and_explanation(
    age_s: float, fits: bool
) -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}, last_seen_up=NOW - age_s))
    (verdict,) = scheduler().explain(ask({"VCPU": 1}), fleet).verdicts
    assert verdict.fits == fits
    if fits:
        assert names(scheduler().select(ask({"VCPU": 1}), fleet, None, soon())) == ["a"]
    else:
        with pytest.raises(NoValidHost):
            scheduler().select(ask({"VCPU": 1}), fleet, None, soon())


def test_demand_counts_instances_not_calls() -> None:
    demand = Demand()
    small, large = ask({"VCPU": 1}, 3), ask({"VCPU": 8})
    demand.note(small)
    demand.note(large)
    assert demand.usual() == ((Shape.of(small), 0.75), (Shape.of(large), 0.25))


def test_rare_shapes_are_forgotten_when_there_are_too_many() -> None:
    demand = Demand()
    common = ask({"VCPU": 1}, 100)
    demand.note(common)
    for number in range(2, 700):
        demand.note(ask({"VCPU": number}))
    shapes = [shape for shape, _ in demand.usual()]
    assert shapes[0] == Shape.of(common)
    assert Shape.of(ask({"VCPU": 2})) not in shapes


ONE, TWO = uuid_of("aggregate 1"), uuid_of("aggregate 2")


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ({}, [("forced_down", ReasonKind.OFF, "forced down")]),
        (
            {"availability_zone": "east"},
            [
                ("availability_zone", ReasonKind.NEVER, "west, asked east"),
                ("forced_down", ReasonKind.OFF, "forced down"),
            ],
        ),
        (
            {"aggregates": (frozenset([ONE]), frozenset([TWO]))},
            [
                ("forced_down", ReasonKind.OFF, "forced down"),
                ("aggregate", ReasonKind.NEVER, f"in none of the aggregates {TWO}"),
            ],
        ),
        (
            {"forbidden_aggregates": frozenset([ONE, TWO])},
            [
                ("forced_down", ReasonKind.OFF, "forced down"),
                ("aggregate", ReasonKind.NEVER, f"in the forbidden aggregate {ONE}"),
            ],
        ),
        (
            {"retry_hosts": ["a"]},
            [
                ("forced_down", ReasonKind.OFF, "forced down"),
                ("retry", ReasonKind.EXCLUDED, "tried"),
            ],
        ),
        (
            {"ignore_hosts": ["A"]},
            [
                ("ignored", ReasonKind.EXCLUDED, "ignores"),
                ("forced_down", ReasonKind.OFF, "forced down"),
            ],
        ),
    ],
)
def test_each_check_that_a_host_fails_is_told_with_its_kind(
    wish: dict[str, object], expected: list[tuple[str, ReasonKind, str]]
) -> None:
    away = {"availability_zone": "west", "aggregates": [ONE], "forced_down": True}
    fleet = fleet_of(host("a", {"VCPU": 8}, **away))  # type: ignore[arg-type]
    (verdict,) = scheduler().explain(ask({"VCPU": 1}, **wish), fleet).verdicts
    assert [(item.check, item.kind) for item in verdict.reasons] == [item[:2] for item in expected]
    for reason, (_, _, text) in zip(verdict.reasons, expected, strict=True):
        assert text in reason.message
