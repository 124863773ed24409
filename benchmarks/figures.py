"""What a benchmark writes beside its median, for ``report`` to print."""

from __future__ import annotations

from typing import Any


def describe(benchmark: Any, what: str, *, target_us: float | None = None, per: int = 1) -> None:
    """Name a benchmark in the report.

    :param what: the row's first cell.
    :param target_us: the most the median may be, in microseconds.
    :param per: how many decisions one round makes, for the rate.
    """
    benchmark.extra_info.update(what=what, target_us=target_us, per=per)


def figure(
    benchmark: Any, what: str, value: float, unit: str, *, most: float | None = None,
    least: float | None = None,
) -> None:  # fmt: skip
    """Add a row of its own to the report.

    :param most: the target, when less is better.
    :param least: the target, when more is better.
    """
    rows = benchmark.extra_info.setdefault("figures", [])
    rows.append({"what": what, "value": value, "unit": unit, "most": most, "least": least})
