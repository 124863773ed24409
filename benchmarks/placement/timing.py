"""Medians, taken for as long as it is worth."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

WARM_UP = 1
LEAST_ROUNDS = 3
MOST_ROUNDS = 400
BUDGET_S = 2.0


def median_us(
    call: Callable[[int], object],
    *,
    rounds: int = MOST_ROUNDS,
    budget_s: float = BUDGET_S,
    before: Callable[[int], object] | None = None,
    clock_ns: Callable[[], int] = time.perf_counter_ns,
) -> float:
    """Give the median time of a call, in microseconds.

    :param call: takes the number of its round, so that no two rounds need ask for the same.
    :param rounds: how many, at most; there are three at least, however long they take.
    :param budget_s: no further round begins after so many seconds.
    :param before: done before each round, and not measured.
    :param clock_ns: what time is taken by.
    """
    samples = []
    end = time.perf_counter() + budget_s
    for number in range(WARM_UP + rounds):
        if before is not None:
            before(number)
        started = clock_ns()
        call(number)
        taken = clock_ns() - started
        if number >= WARM_UP:
            samples.append(taken / 1000)
        if len(samples) >= LEAST_ROUNDS and time.perf_counter() > end:
            break
    return statistics.median(samples)
