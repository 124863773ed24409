"""In which order tasks come and go in the two modes."""

from __future__ import annotations

from collections import Counter

import pytest

from scheduler_lib.cmd.trace.history import steps
from scheduler_lib.cmd.trace.inflate import DEMAND, arrivals
from scheduler_lib.cmd.trace.reading import Node, Task
from scheduler_lib.exceptions import InvalidFile


def task(name: str, created: float = 0, deleted: float | None = None, gpus: int = 1) -> Task:
    return Task(name, 1, 1, gpus, 1000 if gpus else 0, (), created, deleted)


def told(tasks: list[Task]) -> list[tuple[list[str], str | None]]:
    return [
        ([each.name for each in step.leaving], step.arriving.name if step.arriving else None)
        for step in steps(tasks)
    ]


def test_departures_come_before_the_arrival_of_the_same_moment() -> None:
    assert told([task("b", 5, 9), task("a", 0, 5)]) == [
        ([], "a"),
        (["a"], "b"),
        (["b"], None),
    ]


def test_arrivals_of_one_moment_keep_the_order_of_the_file() -> None:
    assert told([task("b"), task("a")]) == [([], "b"), ([], "a"), ([], None)]


def test_a_task_that_leaves_the_moment_it_comes_was_there() -> None:
    assert told([task("a", 3, 3), task("b", 3, 8)]) == [([], "a"), (["a"], "b"), (["b"], None)]


def test_departures_come_in_order_of_their_time() -> None:
    assert told([task("a", 0, 9), task("b", 1, 2), task("c", 10, 11)]) == [
        ([], "a"),
        ([], "b"),
        (["b", "a"], "c"),
        (["c"], None),
    ]


def test_inflation_stops_when_the_gpu_demand_is_reached() -> None:
    nodes = [Node("n", 1, 1, 8, "")]
    tasks = [task("a", gpus=2), task("b", gpus=1), task("c", gpus=0)]
    order = arrivals(nodes, tasks, seed=1)
    demand = sum(each.gpu_demand for each, _ in order)
    assert DEMAND * 8000 <= demand < DEMAND * 8000 + 2000
    assert {(each.name, copy) for each, copy in order} >= {("a", 0), ("b", 0), ("c", 0)}


def test_demand_is_inflated_to_130_percent_of_the_gpus() -> None:
    assert len(arrivals([Node("n", 1, 1, 100, "")], [task("a")], seed=1)) == 130


def test_copies_are_numbered_without_a_gap_or_a_double() -> None:
    order = arrivals([Node("n", 1, 1, 20, "")], [task("a"), task("b")], seed=3)
    assert len({(each.name, copy) for each, copy in order}) == len(order)
    for name, number in Counter(each.name for each, _ in order).items():
        assert {copy for each, copy in order if each.name == name} == set(range(number))


def test_the_same_seed_gives_the_same_order_and_another_seed_another() -> None:
    nodes, tasks = [Node("n", 1, 1, 20, "")], [task(f"t{number}") for number in range(9)]
    assert arrivals(nodes, tasks, 42) == arrivals(nodes, tasks, 42)
    assert arrivals(nodes, tasks, 42) != arrivals(nodes, tasks, 43)


def test_tasks_that_ask_for_more_already_get_no_copies() -> None:
    order = arrivals([Node("n", 1, 1, 1, "")], [task("a", gpus=2)], seed=1)
    assert [copy for _, copy in order] == [0]


def test_demand_that_cannot_grow_is_an_error_and_no_endless_loop() -> None:
    with pytest.raises(InvalidFile, match="no demand"):
        arrivals([Node("n", 1, 1, 1, "")], [task("a", gpus=0)], seed=1)
