"""The decision alone: default filters, three weighers, three alternates, no database."""

from __future__ import annotations

import pytest

from benchmarks import fleet_values
from benchmarks.deciding import medians_us
from benchmarks.figures import describe, figure
from benchmarks.fleet_shape import REQUESTS, hosts, serves

TARGETS_US = {1_000: 100.0, 10_000: 150.0, 100_000: 400.0}


@pytest.mark.parametrize("request_name", ["selective", "open"])
@pytest.mark.parametrize("size", sorted(TARGETS_US))
def test_one_instance(benchmark, deciders, size, request_name):
    shape = REQUESTS[request_name]
    decider, request = deciders(size), fleet_values.request(shape)
    candidates = sum(serves(host, shape) for host in hosts(size))
    describe(
        benchmark,
        f"decision only, {size:,} hosts, {candidates:,} candidates",
        target_us=TARGETS_US[size],
    )
    decision = benchmark(decider.decide, request)
    assert decision.counts[-1].after == candidates
    assert len(decision.selections[0].alternates) == fleet_values.ALTERNATES


@pytest.mark.parametrize("request_name", ["selective", "open"])
def test_a_hundred_times_the_hosts_cost_at_most_five_times_the_time(
    benchmark, deciders, request_name
):
    few, many = deciders(1_000), deciders(100_000)
    request = fleet_values.request(REQUESTS[request_name])
    calls = [lambda: few.decide(request), lambda: many.decide(request)]
    medians_us(calls, 20)
    at_few, at_many = medians_us(calls, 300)
    describe(benchmark, f"decision only, 100,000 hosts ({request_name}), beside 1,000")
    figure(
        benchmark,
        f"time at 100,000 hosts / time at 1,000 ({request_name})",
        at_many / at_few,
        "times",
        most=5.0,
    )
    benchmark.pedantic(many.decide, args=(request,), rounds=50)
    assert at_many / at_few <= 5.0


def test_a_hundred_instances(benchmark, deciders):
    decider = deciders(10_000)
    request = fleet_values.request(REQUESTS["open"], instances=100)
    describe(benchmark, "decision only, 100 instances in one request, 10,000 hosts", per=100)
    decision = benchmark(decider.decide, request)
    assert len(decision.selections) == 100
