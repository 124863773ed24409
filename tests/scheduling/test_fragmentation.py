"""Leftovers stay useful: the arrays say what a plain loop over hosts, devices and shapes says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.request import Request, ResourceGroup
from scheduler_lib.scheduling.demand import Demand, Shape
from scheduler_lib.scheduling.devices import Devices
from scheduler_lib.scheduling.mix import Mix
from scheduler_lib.scheduling.treememo import TreeMemo
from scheduler_lib.scheduling.weighers.fragmentation import FragmentationWeigher
from tests.scheduling.fleets import (
    child,
    consumers,
    fleet_of,
    host,
    names,
    scheduler,
    soon,
    uuid_of,
)

GPU = "CUSTOM_GPU"
A, B = "CUSTOM_A", "CUSTOM_B"


def gpu_request(cpu: int, amount: int, quantity: int, *models: str) -> Request:
    group = ResourceGroup({GPU: amount}, any_of=(frozenset(models),) if models else ())
    groups = {"": ResourceGroup({"VCPU": cpu})}
    groups.update({str(number): group for number in range(quantity)})
    return Request(groups=groups, consumers=tuple(consumers(1)), group_policy="isolate")


def cluster(hosts: list[tuple[int, str, list[int]]]) -> Fleet:
    """Hosts as (free vcpus, model, free units of each device); every device has 10 units."""
    changes = []
    for number, (cpu, model, free) in enumerate(hosts):
        name = f"h{number}"
        changes.append(host(name, {"VCPU": (20, 20 - cpu)}))
        changes += [
            child(f"{name}-{place}", name, {GPU: (10, 10 - units)}, model)
            for place, units in enumerate(free)
        ]
    return fleet_of(*changes)


def usable(cpu: int, model: str, free: list[int], usual: list[tuple[Request, float]]) -> float:
    total = 0.0
    for request, share in usual:
        group = request.groups["0"]
        need, wanted = group.resources[GPU], len(request.groups) - 1
        allowed = not group.any_of or model in group.any_of[0]
        able = [units for units in free if units >= need and allowed]
        if cpu >= request.groups[""].resources.get("VCPU", 0) and len(able) >= wanted:
            total += share * sum(able)
    return total


def taken(free: list[int], model: str, request: Request) -> list[int]:
    group = request.groups["0"]
    left = list(free)
    allowed = not group.any_of or model in group.any_of[0]
    able = [place for place, units in enumerate(free) if units >= group.resources[GPU] and allowed]
    tightest = sorted(able, key=lambda place: free[place])[: len(request.groups) - 1]
    for place in tightest:
        left[place] -= group.resources[GPU]
    return left


_SHAPES = st.builds(
    lambda cpu, amount, quantity, models: gpu_request(cpu, amount, quantity, *models),
    st.integers(0, 6),
    st.sampled_from([2, 3, 5, 10]),
    st.integers(1, 3),
    st.sampled_from([(), (A,), (B,), (A, B)]),
)
_HOSTS = st.lists(
    st.tuples(
        st.integers(0, 20), st.sampled_from([A, B]), st.lists(st.integers(0, 10), max_size=4)
    ),
    min_size=1,
    max_size=6,
).filter(lambda hosts: any(free for _, _, free in hosts))


@settings(deadline=None, max_examples=60)
@given(_HOSTS, st.lists(_SHAPES, min_size=1, max_size=5), _SHAPES)
def test_what_is_lost_is_what_a_plain_loop_says(
    hosts: list[tuple[int, str, list[int]]], asked: list[Request], request: Request
) -> None:
    demand = Demand()
    for item in asked:
        demand.note(item)
    usual = demand.usual()
    shares = [(next(r for r in asked if Shape.of(r) == shape), share) for shape, share in usual]
    fleet = cluster(hosts)
    stock = fleet.stock(GPU)
    assert stock is not None
    devices = Devices(fleet, GPU, stock)
    with_devices = [row for row in hosts if row[2]]
    own = {"VCPU": np.array([cpu for cpu, _, _ in with_devices])}
    mix = Mix(usual, GPU)
    own = {name: own[name] for name in mix.own_classes}
    lost = mix.lost(Shape.of(request), devices, devices.free(), own)
    cpu_asked = request.groups[""].resources.get("VCPU", 0)
    # A host without the processors for the request is never weighed.
    expected = {
        place: usable(cpu, model, free, shares)
        - usable(cpu - cpu_asked, model, taken(free, model, request), shares)
        for place, (cpu, model, free) in enumerate(with_devices)
        if cpu >= cpu_asked
    }
    assert {place: lost[place] for place in expected} == pytest.approx(expected, abs=1e-4)


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=6))
def test_a_memo_gives_what_working_everything_out_gives(moments: list[list[int]]) -> None:
    memo = TreeMemo()
    worked_out: list[int] = []
    before: list[int] | None = None
    for moment in moments:
        given_now = np.array(moment)

        def work_out(columns: np.ndarray, given_now: np.ndarray = given_now) -> np.ndarray:
            worked_out.append(len(columns))
            return given_now[columns] * 2.0

        worked_out.clear()
        assert memo.numbers([given_now], work_out).tolist() == (given_now * 2.0).tolist()
        if before is not None:
            changed = sum(old != new for old, new in zip(before, moment, strict=True))
            assert sum(worked_out) == changed
        before = moment


def test_a_part_goes_on_the_device_that_is_broken_already() -> None:
    """Whole devices are what usually comes: a part should not break another one."""
    fleet = cluster([(20, A, [10, 10]), (20, A, [6, 10])])
    chooser = scheduler(FragmentationWeigher)
    for _ in range(20):
        chooser.select(gpu_request(1, 10, 1), fleet, None, soon())
    decision = chooser.select(gpu_request(1, 3, 1), fleet, None, soon())
    assert names(decision) == ["h1"]
    assert decision.destinations[0].mappings["0"] == (uuid_of("h1-0"),)


def test_processors_are_taken_where_no_device_needs_them() -> None:
    fleet = cluster([(4, A, [10, 10]), (20, A, [0, 0])])
    chooser = scheduler(FragmentationWeigher)
    for _ in range(5):
        chooser.select(gpu_request(2, 10, 1), fleet, None, soon())
    cpu_only = Request(groups={"": ResourceGroup({"VCPU": 3})}, consumers=tuple(consumers(1)))
    assert names(chooser.select(cpu_only, fleet, None, soon())) == ["h1"]


def test_without_devices_in_demand_the_fullest_host_wins() -> None:
    fleet = fleet_of(host("empty", {"VCPU": 8}), host("half", {"VCPU": (8, 4)}))
    asked = Request(groups={"": ResourceGroup({"VCPU": 1})}, consumers=tuple(consumers(1)))
    assert names(scheduler(FragmentationWeigher).select(asked, fleet, None, soon())) == ["half"]


def test_explaining_is_not_demand() -> None:
    fleet = cluster([(20, A, [10])])
    demand = Demand()
    chooser = scheduler(FragmentationWeigher)
    chooser._demand = demand
    chooser.explain(gpu_request(1, 3, 1), fleet)
    assert demand.usual() == ()
    chooser.select(gpu_request(1, 3, 1), fleet, None, soon())
    assert [share for _, share in demand.usual()] == [1.0]


def test_rare_shapes_are_left_out_of_the_usual_demand() -> None:
    demand = Demand()
    for _ in range(97):
        demand.note(gpu_request(1, 3, 1))
    for cpu in range(3):
        demand.note(gpu_request(cpu + 2, 10, 1))
    assert [(shape.own, share) for shape, share in demand.usual()] == [((("VCPU", 1),), 0.97)]


def test_what_is_worked_out_of_the_demand_goes_when_the_demand_has_moved() -> None:
    """Nothing piles up: what belonged to an older mix is let go."""
    demand = Demand()
    demand.note(gpu_request(1, 3, 1))
    first = demand.derived("key", lambda usual: [usual])
    assert demand.derived("key", lambda usual: [usual]) is first
    for _ in range(10):
        demand.note(gpu_request(2, 10, 1))
    second = demand.derived("key", lambda usual: [usual])
    assert second is not first
    assert second == [demand.usual()]


def test_old_demand_fades() -> None:
    demand = Demand()
    for _ in range(9_000):
        demand.note(gpu_request(1, 3, 1))
    for _ in range(30_000):
        demand.note(gpu_request(2, 10, 1))
    shares = {shape.own: share for shape, share in demand.usual()}
    assert shares[(("VCPU", 2),)] > 0.85
