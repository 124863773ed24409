"""The figures of a replay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scheduler_lib.cmd.trace.placing import Amounts, Count

# Names of the figures that are means when there are several runs; the others are added up.
_MEANS = (
    "placed",
    "refused",
    "gpu_allocation_percent",
    "cpu_allocation_percent",
    "memory_allocation_percent",
    "p50_us",
    "p99_us",
    "decisions_per_s",
)
_PEAKS = (
    "peak_gpu_allocation_percent",
    "peak_cpu_allocation_percent",
    "peak_memory_allocation_percent",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run, ended.

    :ivar seed: the seed it ran with.
    :ivar count: what happened.
    :ivar held: what was held when the last task had been asked for.
    :ivar capacity: what the nodes have.
    :ivar balanced: every check of the books passed, and every release was found.
    """

    seed: int
    count: Count
    held: Amounts
    capacity: Amounts
    balanced: bool

    def figures(self) -> dict[str, object]:
        """Return the figures by name: counts, percent, microseconds, decisions a second."""
        count = self.count
        return {
            "placed": count.placed,
            "refused": count.refused,
            "reasons": dict(sorted(count.reasons.items())),
            **_shares("", self.held, self.capacity),
            "p50_us": _percentile_us(count.seconds, 50),
            "p99_us": _percentile_us(count.seconds, 99),
            "decisions_per_s": _rate(count.seconds),
            "balanced": self.balanced,
            **_shares("peak_", count.peak, self.capacity),
        }


def summary(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """Return the figures of all runs: means, and the reasons added up.

    One run's figures are given as they are; of several, ``per_seed`` has each one's.

    :param outcomes: at least one.
    """
    each = [outcome.figures() for outcome in outcomes]
    if len(each) == 1:
        return each[0]
    total = {name: _mean([one[name] for one in each]) for name in (*_MEANS, *_PEAKS)}
    return {
        "placed": total["placed"],
        "refused": total["refused"],
        "reasons": _added(outcomes),
        **{name: total[name] for name in _MEANS[2:]},
        "balanced": all(outcome.balanced for outcome in outcomes),
        **{name: total[name] for name in _PEAKS},
        "per_seed": [
            {"seed": outcome.seed, **figures}
            for outcome, figures in zip(outcomes, each, strict=True)
        ],
    }


def _added(outcomes: Sequence[Outcome]) -> dict[str, int]:
    reasons: dict[str, int] = {}
    for outcome in outcomes:
        for check, number in outcome.count.reasons.items():
            reasons[check] = reasons.get(check, 0) + number
    return dict(sorted(reasons.items()))


def _mean(values: Sequence[object]) -> float:
    numbers = [value for value in values if isinstance(value, int | float)]
    return round(sum(numbers) / len(numbers), 2)


def _shares(prefix: str, part: Amounts, whole: Amounts) -> dict[str, float]:
    return {
        f"{prefix}gpu_allocation_percent": _percent(part.gpu_milli, whole.gpu_milli),
        f"{prefix}cpu_allocation_percent": _percent(part.cpu_milli, whole.cpu_milli),
        f"{prefix}memory_allocation_percent": _percent(part.memory_mib, whole.memory_mib),
    }


def _percent(part: int, whole: int) -> float:
    return round(100.0 * part / whole, 2) if whole else 0.0


def _percentile_us(seconds: Sequence[float], percent: int) -> float:
    """Return the nearest-rank percentile in microseconds."""
    if not seconds:
        return 0.0
    rank = max(math.ceil(len(seconds) * percent / 100), 1)
    return round(sorted(seconds)[rank - 1] * 1e6, 1)


def _rate(seconds: Sequence[float]) -> float:
    spent = sum(seconds)
    return round(len(seconds) / spent, 1) if spent else 0.0
