"""Turn pytest-benchmark's JSON into a table for the documentation.

pytest benchmarks --benchmark-json results.json
python -m benchmarks.report results.json
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

TITLES = ("what", "median", "rate", "target", "met")


class Row(NamedTuple):
    """One line of the table, as text."""

    what: str
    median: str
    rate: str = ""
    target: str = ""
    met: str = ""


def rows(results: dict[str, Any]) -> Iterator[Row]:
    """Give two kinds of rows: medians, and the figures that benchmarks add."""
    for benchmark in sorted(results["benchmarks"], key=lambda item: item["fullname"]):
        extra = benchmark["extra_info"]
        yield _median(benchmark, extra)
        for figure in extra.get("figures", ()):
            yield _figure(figure)


def _median(benchmark: dict[str, Any], extra: dict[str, Any]) -> Row:
    median_us = benchmark["stats"]["median"] * 1e6
    target_us = extra.get("target_us")
    return Row(
        what=extra.get("what", benchmark["name"]),
        median=duration(median_us),
        rate=f"{extra.get('per', 1) * 1e6 / median_us:,.0f}/s" if median_us < 1e6 else "",
        target="" if target_us is None else f"<= {duration(target_us)}",
        met="" if target_us is None else _yes(median_us <= target_us),
    )


def _figure(figure: dict[str, Any]) -> Row:
    value, unit = figure["value"], figure["unit"]
    most, least = figure.get("most"), figure.get("least")
    target = met = ""
    if most is not None:
        target, met = f"<= {number(most)} {unit}", _yes(value <= most)
    elif least is not None:
        target, met = f">= {number(least)} {unit}", _yes(value >= least)
    return Row(figure["what"], f"{number(value)} {unit}", "", target, met)


def _yes(met: bool) -> str:
    return "yes" if met else "**no**"


def duration(microseconds: float) -> str:
    """Give a duration in the unit that reads best."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{number(microseconds / size)} {unit}"
    return f"{number(microseconds)} us"


def number(value: float) -> str:
    """Give three significant digits, or all of the whole ones."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(lines: Iterable[Row]) -> str:
    """Give a simple table in reStructuredText."""
    cells = [TITLES, *lines]
    widths = [max(len(line[column]) for line in cells) for column in range(len(TITLES))]
    rule = "  ".join("=" * width for width in widths)
    text = [
        # An empty first cell would continue the line above; no row has one.
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    return "\n".join([rule, text[0], rule, *text[1:], rule])


def machine(results: dict[str, Any]) -> str:
    """Say on what the figures were taken, without the machine's name."""
    info = results["machine_info"]
    processor = info.get("cpu", {})
    versions = ", ".join(
        f"{name} {metadata.version(name)}" for name in ("numpy", "SQLAlchemy", "oslo.db")
    )
    return (
        f"{processor.get('brand_raw', info.get('processor'))}, {processor.get('count')} logical "
        f"processors, {_memory_gib():.0f} GiB; {info['system']} {info['release'].split('-')[0]}; "
        f"Python {info['python_version']}, {versions}; {results['datetime'][:10]}."
    )


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def main(path: Path) -> None:
    results = json.loads(path.read_text())
    print(machine(results))
    print()
    print(table(rows(results)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
