"""What a scheduler does for each instance: candidates, one of them chosen, and its claim."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from random import Random

from benchmarks.placement import places, shapes
from benchmarks.placement.calls import Caller
from benchmarks.placement.lines import Line
from benchmarks.placement.sides import Side, fill, sides
from benchmarks.placement.timing import median_us

SIZES = (1_000, 10_000)
LIMIT = 10
OWNER = {
    "project_id": "project",
    "user_id": "user",
    "consumer_generation": None,
    "consumer_type": "INSTANCE",
}


def lines(kinds: Sequence[str] = places.KINDS) -> Iterator[Line]:
    """Measure both sides; give a line for each database and size."""
    ours, *peers = sides()
    for kind in places.answering(kinds):
        for size in SIZES:
            mine = _measured(ours, kind, size)
            theirs = _measured(peers[0], kind, size) if peers else None
            what = f"{places.TITLES[kind]}, {size:,} hosts: candidates (limit {LIMIT}) and claim"
            yield Line(what, mine, theirs)


def _measured(side: Side, kind: str, size: int) -> float:
    with places.empty_database(kind) as url:
        fill(side, url, shapes.flat(size))
        with side.serving(url) as caller:
            random = Random(size)
            return median_us(lambda number: decide(caller, random))


def decide(caller: Caller, random: Random) -> None:
    """Ask for candidates, choose one, and claim it as it is."""
    path = shapes.candidates_path(shapes.SMALL, LIMIT)
    chosen = random.choice(caller.get(path).json()["allocation_requests"])
    consumer = uuid.UUID(int=random.getrandbits(128), version=4)
    caller.put(f"/allocations/{consumer}", {**chosen, **OWNER})
