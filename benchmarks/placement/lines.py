"""What a measurement gives: figures of both sides beside each other, and whether they are met."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from benchmarks.report import duration, number

TITLES = ("what", "openstack-placement", "ours", "times", "target", "met")


class Line(NamedTuple):
    """One line of a table: two durations, or two rates, or one figure in a unit of its own.

    :ivar ours: microseconds for ``unit`` empty, else in the unit.
    :ivar theirs: the peer's, likewise; None where the peer was not asked.
    :ivar note: said instead of the peer's figure when there is none.
    :ivar most: the most that ours may be.
    :ivar least: the least that ours may be.
    :ivar least_times: how many times better than the peer ours must be.
    :ivar more_is_better: for rates.
    :ivar compared: False for what has no sensible ratio.
    """

    what: str
    ours: float
    theirs: float | None = None
    unit: str = ""
    note: str = ""
    most: float | None = None
    least: float | None = None
    least_times: float | None = None
    more_is_better: bool = False
    compared: bool = True

    @property
    def times(self) -> float | None:
        """How many times better than the peer ours is."""
        if self.theirs is None or not self.compared:
            return None
        return self.ours / self.theirs if self.more_is_better else self.theirs / self.ours

    @property
    def missed(self) -> list[str]:
        """The targets that are not met, as a table would say them."""
        return [text for text, met in self._targets() if not met]

    def cells(self) -> tuple[str, ...]:
        """Give the line as text."""
        targets = list(self._targets())
        theirs = self.note if self.theirs is None else self._shown(self.theirs)
        return (
            self.what,
            theirs,
            self._shown(self.ours),
            "" if self.times is None else number(self.times),
            ", ".join(text for text, _ in targets),
            "" if not targets else "yes" if all(met for _, met in targets) else "**no**",
        )

    def _targets(self) -> Iterator[tuple[str, bool]]:
        if self.most is not None:
            yield f"<= {self._shown(self.most)}", self.ours <= self.most
        if self.least is not None:
            yield f">= {self._shown(self.least)}", self.ours >= self.least
        if self.least_times is not None and self.times is not None:
            yield f">= {number(self.least_times)} times", self.times >= self.least_times

    def _shown(self, value: float) -> str:
        return f"{number(value)} {self.unit}" if self.unit else duration(value)


def table(lines: Iterable[Line]) -> str:
    """Give a simple table in reStructuredText; columns that are empty are left out."""
    rows = [TITLES, *(line.cells() for line in lines)]
    columns = [column for column in zip(*rows, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in columns]
    rule = "  ".join("=" * width for width in widths)
    text = [_row(cells, widths) for cells in zip(*columns, strict=True)]
    return "\n".join([rule, text[0], rule, *text[1:], rule])


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return "  ".join(padded).rstrip()


def machine() -> str:
    """Say on what the figures are taken, without the machine's name."""
    names = ("numpy", "SQLAlchemy", "falcon", "openstack-placement")
    versions = ", ".join(f"{name} {version}" for name in names if (version := _version(name)))
    load = ", ".join(f"{item:.1f}" for item in os.getloadavg())
    day = datetime.datetime.now(datetime.UTC).date()
    return (
        f"{_processor()}, {os.cpu_count()} logical processors; {platform.system()} "
        f"{platform.release().split('-')[0]}; Python {platform.python_version()}, {versions}; "
        f"{day}; load average {load}."
    )


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
