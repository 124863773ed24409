"""Several instances: what the first is given, the next one no longer sees."""

from __future__ import annotations

import random

import pytest

from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.model.request import Request, ResourceGroup
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.filters.base import Filter
from scheduler_lib.scheduling.scheduler import Scheduler
from scheduler_lib.scheduling.shortlist import BoolArray, Shortlist
from scheduler_lib.scheduling.weighers.packing import PackingWeigher
from tests.scheduling.fleets import (
    StoppedClock,
    ask,
    child,
    consumers,
    fleet_of,
    host,
    names,
    scheduler,
    soon,
)


class _KeepsSome(Filter):
    """A host passes while it has six free processors."""

    name = "keeps_some"

    def passes(self, shortlist: Shortlist, request: Request, now: float) -> BoolArray | None:
        return shortlist.free("VCPU") >= 6


def test_a_filter_that_looks_at_what_is_left_is_asked_again_after_each_pick() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}), host("b", {"VCPU": 8}), host("c", {"VCPU": 9}))
    settings = SchedulingSettings(alternates=0)
    keeping = Scheduler(
        settings,
        [_KeepsSome(settings)],
        [PackingWeigher(settings)],
        StoppedClock(),
        random.Random(1),
    )
    decision = keeping.select(ask({"VCPU": 3}, 3), fleet, None, soon())
    assert names(decision) == ["a", "b", "c"]
    with pytest.raises(NoValidHost):
        keeping.select(ask({"VCPU": 3}, 5), fleet, None, soon())


def test_a_tree_that_has_each_device_but_not_all_together_is_passed_over() -> None:
    fleet = fleet_of(
        host("a", {"VCPU": 64}),
        child("a-gpu", "a", {"CUSTOM_GPU": 4}),
        host("b", {"VCPU": 8}),
        child("b-gpu", "b", {"CUSTOM_GPU": 10}),
    )
    groups = {
        "": ResourceGroup({"VCPU": 1}),
        "1": ResourceGroup({"CUSTOM_GPU": 2}),
        "2": ResourceGroup({"CUSTOM_GPU": 3}),
    }
    request = Request(groups, tuple(consumers(2)))
    assert names(scheduler().select(request, fleet, None, soon())) == ["b", "b"]


@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_a_batch_names_as_many_alternates_as_are_asked_for(count: int) -> None:
    fleet = fleet_of(*(host(f"h{number}", {"VCPU": 9 - number}) for number in range(6)))
    decision = scheduler(alternates=count).select(ask({"VCPU": 1}, 2), fleet, None, soon())
    taken = set(names(decision))
    others = [f"h{number}" for number in range(6) if f"h{number}" not in taken]
    for selection in decision.selections:
        assert [item.host for item in selection.alternates] == others[:count]
