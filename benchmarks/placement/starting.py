"""What it takes until a process answers, and what it then holds.

    python -m benchmarks.placement.starting SIDE URL

is one such process; it prints one JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from benchmarks import processes
from benchmarks.placement.lines import Line
from benchmarks.placement.timing import median_us

SIZES = (1_000, 10_000, 100_000)
PEER_SIZES = (1_000, 10_000)
RUNS = 3
EMULATOR_MOST_US = 200_000.0


class Measured(TypedDict):
    """What one process tells: microseconds since its first line, and megabytes in the end."""

    made_us: float
    answered_us: float
    memory_mb: float


def lines() -> Iterator[Line]:
    """Measure both sides; give lines for the time and the memory of each."""
    from benchmarks.placement.sides import sides

    names = [side.name for side in sides()]
    yield from _emulator()
    for size in SIZES:
        theirs = _best(names[1], size) if len(names) > 1 and size in PEER_SIZES else None
        mine = _best(names[0], size)
        where = f"SQLite file, {size:,} hosts"
        yield Line(
            f"{where}: imports, and the application", mine["made_us"], _of(theirs, "made_us")
        )
        yield Line(
            f"{where}: ... and ten candidates", mine["answered_us"], _of(theirs, "answered_us")
        )
        yield Line(f"{where}: memory then", mine["memory_mb"], _of(theirs, "memory_mb"), unit="MB")


def _of(measured: Measured | None, name: str) -> float | None:
    return None if measured is None else measured[name]  # type: ignore[literal-required]


def _emulator() -> Iterator[Line]:
    from scheduler_lib.testing.api import make_app

    taken = median_us(lambda number: make_app().close(), rounds=50)
    yield Line("make_app() and close()", taken, most=EMULATOR_MOST_US)
    script = (
        "import time; s = time.perf_counter();"
        "from scheduler_lib.testing.api import make_app; make_app();"
        "print((time.perf_counter() - s) * 1e6)"
    )
    runs = [float(processes.run([sys.executable, "-c", script]).output) for _ in range(RUNS)]
    yield Line("the first make_app() of a process, imports included", min(runs))


def _best(name: str, size: int) -> Measured:
    """Give the quickest of some runs: what else the machine does only ever adds."""
    from benchmarks.placement import places, shapes
    from benchmarks.placement.sides import fill, sides

    side = next(side for side in sides() if side.name == name)
    with places.empty_database("sqlite") as url:
        fill(side, url, shapes.flat(size))
        command = [sys.executable, "-m", "benchmarks.placement.starting", name, url]
        runs: list[Measured] = [json.loads(processes.run(command).output) for _ in range(RUNS)]
    return min(runs, key=lambda run: run["answered_us"])


def _memory_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def main(name: str, url: str) -> None:
    started = time.perf_counter()
    from benchmarks.placement.shapes import SMALL, candidates_path

    if name == "ours":
        from benchmarks.placement.sides import Ours as Chosen
    else:
        from benchmarks.peers.placement_peer import (  # type: ignore[assignment]
            PlacementPeer as Chosen,
        )
    with Chosen().serving(url) as caller:
        made_us = (time.perf_counter() - started) * 1e6
        caller.get(candidates_path(SMALL, 10))
        answered_us = (time.perf_counter() - started) * 1e6
        told: Measured = {
            "made_us": made_us,
            "answered_us": answered_us,
            "memory_mb": _memory_mb(),
        }
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
