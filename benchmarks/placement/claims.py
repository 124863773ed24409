"""Claims one after another, by one client, on each database: new, replaced, ten at once, deleted.

Both sides by the clock, turn by turn. How long a database takes to make anything durable is theirs
alike, so it stands beside them: one row inserted and committed, by the driver.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import sqlalchemy as sa

from benchmarks.placement import places, shapes
from benchmarks.placement.calls import Caller
from benchmarks.placement.lines import Line
from benchmarks.placement.sides import Side, fill, sides
from benchmarks.placement.timing import Call, medians_us

PROVIDERS = 1_000
TOGETHER = 10
LEAST_TIMES = 20.0
BUDGET_S = 6.0

NEW = "PUT, a new consumer"
REPLACED = "PUT, a consumer moved to another provider"
SEVERAL = f"POST, {TOGETHER} new consumers"
DELETED = "DELETE"


def lines(kinds: Sequence[str] = places.KINDS) -> Iterator[Line]:
    """Measure both sides; give a line for each kind of claim and database."""
    for kind in places.answering(kinds):
        where = places.TITLES[kind]
        with ExitStack() as stack:
            clients = [_client(stack, side, kind) for side in sides()]
            durable = _durable(stack, kind)
            for what, calls in _kinds(clients).items():
                bare, mine, *theirs = medians_us([durable, *calls], budget_s=BUDGET_S)
                yield Line(
                    what=f"{where}: {what}",
                    ours=mine,
                    theirs=theirs[0] if theirs else None,
                    least_times=LEAST_TIMES if what == NEW else None,
                )
                if what == NEW:
                    yield Line(f"{where}: the driver alone, one row and COMMIT, meanwhile", bare)


def _client(stack: ExitStack, side: Side, kind: str) -> Client:
    url = stack.enter_context(places.empty_database(kind))
    fill(side, url, shapes.ample(PROVIDERS))
    providers = [shape.uuid for shape in shapes.ample(PROVIDERS)]
    return Client(stack.enter_context(side.serving(url)), providers)


def _kinds(clients: Sequence[Client]) -> dict[str, list[Call]]:
    return {
        NEW: [Call(client.new) for client in clients],
        REPLACED: [Call(client.move, before=client.settle) for client in clients],
        SEVERAL: [Call(client.several) for client in clients],
        DELETED: [Call(client.leave, before=client.arrive) for client in clients],
    }


def _durable(stack: ExitStack, kind: str) -> Call:
    url = stack.enter_context(places.empty_database(kind))
    engine = sa.create_engine(url)
    stack.callback(engine.dispose)
    connection = stack.enter_context(engine.connect())
    connection.exec_driver_sql("CREATE TABLE bare (number INTEGER)")
    connection.commit()

    def insert(number: int) -> None:
        connection.exec_driver_sql(f"INSERT INTO bare VALUES ({number})")
        connection.commit()

    return Call(insert)


class Client:
    """Claims for consumers that have names and numbers, spread over the providers."""

    def __init__(self, caller: Caller, providers: Sequence[str]) -> None:
        self._caller = caller
        self._providers = providers

    def new(self, number: int) -> None:
        """Claim for a consumer that nobody knows."""
        self._put(f"new-{number}", number)

    def settle(self, number: int) -> None:
        """Claim for a consumer that will move."""
        self._put(f"moved-{number}", number)

    def move(self, number: int) -> None:
        """Replace what it holds by as much of another provider."""
        self._put(f"moved-{number}", number + 1, generation=1)

    def arrive(self, number: int) -> None:
        """Claim for a consumer that will leave."""
        self._put(f"left-{number}", number)

    def leave(self, number: int) -> None:
        """Delete what it holds."""
        self._caller.delete(f"/allocations/{shapes.identifier(f'left-{number}')}")

    def several(self, number: int) -> None:
        """Claim for ten consumers, each on a provider of its own."""
        body = {
            shapes.identifier(f"several-{number}-{which}"): shapes.claim(
                [self._provider(number * TOGETHER + which)]
            )
            for which in range(TOGETHER)
        }
        self._caller.post("/allocations", body)

    def _put(self, consumer: str, provider: int, *, generation: int | None = None) -> None:
        body = shapes.claim([self._provider(provider)], generation)
        self._caller.put(f"/allocations/{shapes.identifier(consumer)}", body)

    def _provider(self, number: int) -> str:
        return self._providers[number % len(self._providers)]
