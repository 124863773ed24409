"""GET /allocation_candidates over flat hosts, by how many there are and how many are asked for.

No two requests are equal: each asks for another amount of memory, so no answer can be one that was
kept. In the rows "after a claim" a provider has changed since the request before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.placement import places, shapes
from benchmarks.placement.calls import Caller
from benchmarks.placement.lines import Line
from benchmarks.placement.sides import Side, fill, sides
from benchmarks.placement.timing import median_us

SIZES = (1_000, 10_000, 100_000)
# Hundred thousand providers take the peer half a minute and gigabytes a request.
PEER_SIZES = (1_000, 10_000)
LIMITS = (10, 1_000, None)
CONDITIONS = {
    "": "",
    ", 2 traits": f"&{shapes.TWO_TRAITS}",
    ", member_of": f"&{shapes.MEMBER_OF}",
    ", both": f"&{shapes.TWO_TRAITS}&{shapes.MEMBER_OF}",
}
CLAIMED = ", after a claim"
# At 10,000 hosts, nothing but amounts asked for: microseconds, and times faster than the peer.
TARGETS = {10: (1_500.0, 400.0), 1_000: (10_000.0, 70.0)}
TARGET_SIZE = 10_000
MOST_GROWTH = 3.0

# By size, condition and limit.
Taken = dict[tuple[int, str, int | None], float]


def lines(sizes: Sequence[int] = SIZES, peer_sizes: Sequence[int] = PEER_SIZES) -> Iterator[Line]:
    """Measure both sides; give a line for each request, and the growth."""
    ours, *peers = sides()
    mine = _measured(ours, sizes)
    theirs = _measured(peers[0], [s for s in sizes if s in peer_sizes]) if peers else {}
    for (size, condition, limit), taken in mine.items():
        aimed = size == TARGET_SIZE and not condition and limit is not None
        most, least_times = TARGETS[limit] if aimed and limit is not None else (None, None)
        yield Line(
            what=f"{size:,} hosts, {_limit(limit)}{condition}",
            ours=taken,
            theirs=theirs.get((size, condition, limit)),
            most=most,
            least_times=least_times,
        )
    few, many = (mine.get((size, "", 10)) for size in (SIZES[0], SIZES[-1]))
    if few is not None and many is not None:
        what = f"limit 10: time at {SIZES[-1]:,} hosts / time at {SIZES[0]:,}"
        yield Line(what, many / few, unit="times", most=MOST_GROWTH)


def _measured(side: Side, sizes: Sequence[int]) -> Taken:
    taken: Taken = {}
    for size in sizes:
        with places.empty_database("sqlite") as url:
            fill(side, url, shapes.flat(size))
            with side.serving(url) as caller:
                asking = Asking(side, caller, size)
                for condition, conditions in CONDITIONS.items():
                    for limit in LIMITS:
                        taken[size, condition, limit] = asking.median_us(conditions, limit)
                for limit in LIMITS:
                    taken[size, CLAIMED, limit] = asking.median_us("", limit, claimed=True)
    return taken


class Asking:
    """Requests to one side that has so many hosts."""

    def __init__(self, side: Side, caller: Caller, size: int) -> None:
        self._side = side
        self._caller = caller
        self._hosts = list(shapes.flat(size))
        self._claims = 0

    def median_us(self, conditions: str, limit: int | None, *, claimed: bool = False) -> float:
        """Give the median time of a request.

        :param claimed: whether something is claimed before each.
        """
        matching = self._matching(conditions)
        expected = matching if limit is None else min(limit, matching)
        answer = self._caller.get(_path(0, conditions, limit)).json()
        if len(answer["allocation_requests"]) != expected:
            raise AssertionError(f"{len(answer['allocation_requests'])} candidates, not {expected}")
        return median_us(
            lambda number: self._caller.get(_path(number, conditions, limit)),
            before=self._claim if claimed else None,
            clock_ns=self._side.clock_ns,
        )

    def _claim(self, number: int) -> None:
        self._claims += 1
        host = self._hosts[self._claims % len(self._hosts)]
        consumer = shapes.identifier(f"consumer-{self._claims}")
        self._caller.put(f"/allocations/{consumer}", shapes.claim([host.uuid]))

    def _matching(self, conditions: str) -> int:
        traits = {pair[0] for pair in shapes.TRAIT_PAIRS[:2]} if "required" in conditions else set()
        group = shapes.aggregate(0) if "member_of" in conditions else None
        return sum(
            traits <= set(host.traits) and (group is None or group in host.aggregates)
            for host in self._hosts
        )


def _path(number: int, conditions: str, limit: int | None) -> str:
    amounts = f"resources=VCPU:1,MEMORY_MB:{512 + number},DISK_GB:10"
    return shapes.candidates_path(amounts + conditions, limit)


def _matching(size: int, conditions: str) -> int:
    traits = {pair[0] for pair in shapes.TRAIT_PAIRS[:2]} if "required" in conditions else set()
    group = shapes.aggregate(0) if "member_of" in conditions else None
    return sum(
        traits <= set(host.traits) and (group is None or group in host.aggregates)
        for host in shapes.flat(size)
    )


def _limit(limit: int | None) -> str:
    return "no limit" if limit is None else f"limit {limit:,}"
