"""Claims one after another, by one client, on each database: new, replaced, ten at once, deleted.

Both sides by the clock: what they wait for is theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.placement import places, shapes
from benchmarks.placement.calls import Caller
from benchmarks.placement.lines import Line
from benchmarks.placement.sides import Side, fill, sides
from benchmarks.placement.timing import median_us

PROVIDERS = 1_000
TOGETHER = 10
LEAST_TIMES = 20.0

NEW = "PUT, a new consumer"
REPLACED = "PUT, a consumer moved to another provider"
SEVERAL = f"POST, {TOGETHER} new consumers"
DELETED = "DELETE"

Taken = dict[str, float]


def lines(kinds: Sequence[str] = places.KINDS) -> Iterator[Line]:
    """Measure both sides; give a line for each kind of claim and database."""
    ours, *peers = sides()
    for kind in places.answering(kinds):
        mine = _measured(ours, kind)
        theirs = _measured(peers[0], kind) if peers else {}
        for what, taken in mine.items():
            yield Line(
                what=f"{places.TITLES[kind]}: {what}",
                ours=taken,
                theirs=theirs.get(what),
                least_times=LEAST_TIMES if what == NEW else None,
            )


def _measured(side: Side, kind: str) -> Taken:
    with places.empty_database(kind) as url:
        fill(side, url, shapes.ample(PROVIDERS))
        with side.serving(url) as caller:
            client = Client(caller, [shape.uuid for shape in shapes.ample(PROVIDERS)])
            return {
                NEW: median_us(lambda number: client.claim("new", number)),
                REPLACED: median_us(
                    lambda number: client.claim("moved", number, shift=1, generation=1),
                    before=lambda number: client.claim("moved", number),
                ),
                SEVERAL: median_us(client.claim_several),
                DELETED: median_us(
                    lambda number: client.release("deleted", number),
                    before=lambda number: client.claim("deleted", number),
                ),
            }


class Client:
    """Claims for consumers that have names and numbers, spread over the providers."""

    def __init__(self, caller: Caller, providers: Sequence[str]) -> None:
        self._caller = caller
        self._providers = providers

    def claim(
        self, name: str, number: int, *, shift: int = 0, generation: int | None = None
    ) -> None:
        """Claim the small request on one provider."""
        body = shapes.claim([self._provider(number + shift)], generation)
        self._caller.put(f"/allocations/{shapes.identifier(f'{name}-{number}')}", body)

    def claim_several(self, number: int) -> None:
        """Claim the small request for ten consumers, each on a provider of its own."""
        body = {
            shapes.identifier(f"several-{number}-{which}"): shapes.claim(
                [self._provider(number * TOGETHER + which)]
            )
            for which in range(TOGETHER)
        }
        self._caller.post("/allocations", body)

    def release(self, name: str, number: int) -> None:
        """Delete what a consumer holds."""
        self._caller.delete(f"/allocations/{shapes.identifier(f'{name}-{number}')}")

    def _provider(self, number: int) -> str:
        return self._providers[number % len(self._providers)]
