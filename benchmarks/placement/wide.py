"""One host with eight equal devices, asked for k of them in k groups (scenario N09).

Each request stands in a process of its own, so that the most memory it ever held is its own.

    python -m benchmarks.placement.wide SIDE GROUPS LIMIT

prints one JSON object.
"""

from __future__ import annotations

import json
import math
import resource
import sys
from collections.abc import Iterator
from typing import TypedDict

from benchmarks import processes
from benchmarks.placement import places, shapes
from benchmarks.placement.calls import Caller
from benchmarks.placement.lines import Line
from benchmarks.placement.sides import Side, fill, sides
from benchmarks.placement.timing import median_us

# At 6 groups the peer takes most of a minute, at 7 many, at 8 nobody has waited.
PEER_MOST_GROUPS = 5
LIMITED_MOST_US = 100_000.0
IMPOSSIBLE_MOST_US = 500_000.0
NONE = 0


class Measured(TypedDict):
    """What one process tells."""

    candidates: int
    median_us: float
    grown_mb: float


def lines(peer_most_groups: int = PEER_MOST_GROUPS) -> Iterator[Line]:
    """Measure both sides; give time and memory for each number of groups."""
    names = [side.name for side in sides()]
    yield from _pair(names, shapes.GPUS, 1, most_us=LIMITED_MOST_US, peer=False)
    yield from _pair(names, shapes.GPUS + 1, NONE, most_us=IMPOSSIBLE_MOST_US, peer=False)
    for groups in range(4, shapes.GPUS + 1):
        yield from _pair(names, groups, NONE, peer=groups <= peer_most_groups)


def _pair(
    names: list[str], groups: int, limit: int, *, peer: bool, most_us: float | None = None
) -> Iterator[Line]:
    ours = _asked(names[0], groups, limit)
    theirs = _asked(names[1], groups, limit) if peer and len(names) > 1 else None
    limited = f"limit {limit}" if limit else "no limit"
    what = f"{groups} groups, {limited}, {ours['candidates']:,} candidates"
    note = "" if theirs else "(not run)"
    yield Line(what, ours["median_us"], theirs and theirs["median_us"], note=note, most=most_us)
    yield Line(
        f"... memory at its peak, above the idle process, {groups} groups, {limited}",
        ours["grown_mb"],
        theirs and theirs["grown_mb"],
        unit="MB",
        note=note,
    )


def _asked(side: str, groups: int, limit: int) -> Measured:
    command = [sys.executable, "-m", "benchmarks.placement.wide", side, str(groups), str(limit)]
    answer: Measured = json.loads(processes.run(command).output)
    return answer


def _expected(groups: int, limit: int) -> int:
    found = math.perm(shapes.GPUS, groups)
    return min(found, limit) if limit else found


def _measure(side: Side, caller: Caller, groups: int, limit: int) -> Measured:
    path = shapes.candidates_path(shapes.devices_query(groups), limit or None)
    caller.get(shapes.candidates_path(shapes.devices_query(2), 1))
    before_mb = _peak_mb()
    answer = caller.get(path)
    found = len(answer.json()["allocation_requests"])
    if found != _expected(groups, limit):
        raise AssertionError(f"{found} candidates, not {_expected(groups, limit)}")
    del answer
    grown_mb = _peak_mb() - before_mb
    median = median_us(lambda number: caller.get(path), clock_ns=side.clock_ns)
    return {"candidates": found, "median_us": median, "grown_mb": grown_mb}


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(name: str, groups: int, limit: int) -> None:
    side = next(side for side in sides() if side.name == name)
    with places.empty_database("sqlite") as url:
        fill(side, url, shapes.wide())
        with side.serving(url) as caller:
            json.dump(_measure(side, caller, groups, limit), sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
