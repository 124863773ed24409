"""GET /allocation_candidates over hosts with NUMA nodes and NICs: six requests, three limits."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.placement import places, shapes
from benchmarks.placement.lines import Line
from benchmarks.placement.sides import Side, fill, sides
from benchmarks.placement.timing import median_us

HOSTS = 1_000
LIMITS = (10, 1_000, None)
LEAST_TIMES = 100.0

Taken = dict[tuple[str, int | None], float]


def lines(hosts: int = HOSTS) -> Iterator[Line]:
    """Measure both sides; give a line for each request and limit."""
    ours, *peers = sides()
    mine = _measured(ours, hosts)
    theirs = _measured(peers[0], hosts) if peers else {}
    for (name, limit), taken in mine.items():
        limited = "no limit" if limit is None else f"limit {limit:,}"
        yield Line(
            what=f"{name}; {limited}",
            ours=taken,
            theirs=theirs.get((name, limit)),
            least_times=LEAST_TIMES,
        )


def _measured(side: Side, hosts: int) -> Taken:
    taken: Taken = {}
    with places.empty_database("sqlite") as url:
        fill(side, url, shapes.nested(hosts))
        with side.serving(url) as caller:
            for name, (each, query) in shapes.NESTED_REQUESTS.items():
                found = caller.get(shapes.candidates_path(query, None)).json()
                if len(found["allocation_requests"]) != each * hosts:
                    raise AssertionError(f"{name}: {len(found['allocation_requests'])} candidates")
                for limit in LIMITS:
                    taken[name, limit] = median_us(
                        lambda number, query=query, limit=limit: caller.get(
                            shapes.candidates_path(_varied(query, number), limit)
                        ),
                        clock_ns=side.clock_ns,
                    )
    return taken


def _varied(query: str, number: int) -> str:
    """Ask for another amount of memory in each round."""
    return query.replace("MEMORY_MB:2048", f"MEMORY_MB:{2048 + number}")
