"""As it happened: arrivals in their order, departures at their time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scheduler_lib.cmd.trace.reading import Task


@dataclass(frozen=True, slots=True)
class Step:
    """One moment: who leaves before the next task arrives.

    :ivar leaving: tasks whose time has come.
    :ivar arriving: the next task; None when all have come.
    """

    leaving: tuple[Task, ...]
    arriving: Task | None


def steps(tasks: Sequence[Task]) -> Iterator[Step]:
    """Yield the moments in order of time; at one moment, departures come before arrivals.

    A task that leaves the moment it comes is there until the next arrival. Tasks without a
    departure never leave.
    """
    leaving: list[tuple[float, int, Task]] = []
    for number, task in enumerate(sorted(tasks, key=lambda task: task.created_s)):
        yield Step(tuple(_due(leaving, task.created_s)), task)
        if task.deleted_s is not None:
            heapq.heappush(leaving, (task.deleted_s, number, task))
    last = max((moment for moment, _, _ in leaving), default=0.0)
    yield Step(tuple(_due(leaving, last)), None)


def _due(leaving: list[tuple[float, int, Task]], now_s: float) -> Iterator[Task]:
    while leaving and leaving[0][0] <= now_s:
        yield heapq.heappop(leaving)[2]
