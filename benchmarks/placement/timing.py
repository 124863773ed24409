"""Medians, taken for as long as it is worth."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

WARM_UP = 1
LEAST_ROUNDS = 3
MOST_ROUNDS = 400
BUDGET_S = 2.0


class Call(NamedTuple):
    """What is measured; it takes the number of its round, so that no two rounds ask for the same.

    :ivar run: the call.
    :ivar before: done before each round, and not measured.
    :ivar clock_ns: what time is taken by.
    """

    run: Callable[[int], object]
    before: Callable[[int], object] | None = None
    clock_ns: Callable[[], int] = time.perf_counter_ns

    def timed_us(self, number: int) -> float:
        """Give the time of one round, in microseconds."""
        if self.before is not None:
            self.before(number)
        started = self.clock_ns()
        self.run(number)
        return (self.clock_ns() - started) / 1000


def median_us(
    run: Callable[[int], object],
    *,
    rounds: int = MOST_ROUNDS,
    before: Callable[[int], object] | None = None,
    clock_ns: Callable[[], int] = time.perf_counter_ns,
) -> float:
    """Give the median time of a call, in microseconds.

    :param rounds: how many, at most; there are three at least, however long they take.
    """
    return medians_us([Call(run, before, clock_ns)], rounds=rounds)[0]


def medians_us(
    calls: Sequence[Call], *, rounds: int = MOST_ROUNDS, budget_s: float = BUDGET_S
) -> list[float]:
    """Give the medians of several calls that take turns: what disturbs one disturbs all.

    :param budget_s: no further turn begins after so many seconds.
    """
    samples: list[list[float]] = [[] for _ in calls]
    end = time.perf_counter() + budget_s
    for number in range(WARM_UP + rounds):
        for call, taken in zip(calls, samples, strict=True):
            taken.append(call.timed_us(number))
        if number + 1 >= WARM_UP + LEAST_ROUNDS and time.perf_counter() > end:
            break
    return [statistics.median(taken[WARM_UP:]) for taken in samples]
