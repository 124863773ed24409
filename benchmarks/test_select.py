"""The whole call: select, claim durably, name alternates; SQLite file, WAL, NORMAL."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import count

import pytest

from benchmarks import fleet_values
from benchmarks.figures import describe
from benchmarks.fleet_shape import REQUESTS
from benchmarks.serving import serving

SIZE = 10_000


@pytest.fixture
def path(databases):
    return databases.copy(SIZE)


@pytest.fixture
def client(path):
    with serving(path) as client:
        yield client


def consumers(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM consumers").fetchone()[0]


@pytest.mark.parametrize("request_name", ["selective", "open"])
def test_one_instance(benchmark, client, path, request_name):
    numbers = count()

    def another():
        request = fleet_values.request(REQUESTS[request_name], first=next(numbers))
        return (None, request), {}

    describe(
        benchmark,
        f"select, durable claim, 3 alternates, 10,000 hosts ({request_name})",
        target_us=400.0,
    )
    before = consumers(path)
    decision = benchmark.pedantic(client.select, setup=another, rounds=1_000, warmup_rounds=20)
    assert decision.destinations[0].claimed
    assert len(decision.selections[0].alternates) == fleet_values.ALTERNATES
    assert consumers(path) == before + next(numbers)


def test_a_hundred_instances(benchmark, client, path):
    numbers = count(step=100)

    def another():
        request = fleet_values.request(REQUESTS["open"], instances=100, first=next(numbers))
        return (None, request), {}

    describe(
        benchmark,
        "select, durable claims, 100 instances in one request, 10,000 hosts",
        target_us=15_000.0,
        per=100,
    )
    before = consumers(path)
    decision = benchmark.pedantic(client.select, setup=another, rounds=40, warmup_rounds=2)
    assert len(decision.destinations) == 100
    assert consumers(path) == before + next(numbers)
