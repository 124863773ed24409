"""Connections for reading: kept when a call was answered, whatever the answer, else thrown away."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
import sqlalchemy as sa

from scheduler_lib.exceptions import (
    BackendUnavailable,
    ConsumerNotFound,
    InvalidRequest,
    ProviderNotFound,
)
from scheduler_lib.store.database import Database
from tests.store.conftest import Desk, OpenDesk

U = str(uuid4())


class Connections:
    """Counts those that are opened from here on."""

    def __init__(self, engine: sa.Engine) -> None:
        self.opened = 0
        self._engine = engine
        sa.event.listen(engine, "connect", self._count)

    def _count(self, *_: object) -> None:
        self.opened += 1

    def remove(self) -> None:
        sa.event.remove(self._engine, "connect", self._count)


def database(desk: Desk) -> Database:
    return desk.store.feed._database


@pytest.fixture
def connections(desk: Desk) -> Iterator[Connections]:
    """Counted after the desk has opened those it needs."""
    desk.store.providers.create(U, "a", None, desk.deadline())
    desk.store.providers.record(U, desk.deadline())
    found = Connections(database(desk)._engine)
    yield found
    found.remove()


def test_what_is_not_there_costs_no_connection(desk: Desk, connections: Connections) -> None:
    for _ in range(5):
        with pytest.raises(ConsumerNotFound):
            desk.store.claims.consumer(str(uuid4()), desk.deadline())
        with pytest.raises(ProviderNotFound):
            desk.store.traits.of(str(uuid4()), desk.deadline())
        with pytest.raises(InvalidRequest), database(desk).reading():
            raise InvalidRequest("x")
    assert connections.opened == 0


def test_after_a_refusal_the_next_call_sees_what_is_there_then(
    desk: Desk, open_desk: OpenDesk, connections: Connections
) -> None:
    other, new = open_desk(desk.url), str(uuid4())
    with pytest.raises(ProviderNotFound):
        desk.store.traits.of(new, desk.deadline())
    other.store.providers.create(new, "b", None, other.deadline())
    assert desk.store.traits.of(new, desk.deadline()).names == ()
    with database(desk).reading() as session:
        query = sa.text("SELECT count(*) FROM resource_providers")
        assert session.connection.execute(query).scalar() == 2
    other.store.providers.delete(new, other.deadline())
    with pytest.raises(ProviderNotFound):
        desk.store.traits.of(new, desk.deadline())
    assert connections.opened == 0


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, BackendUnavailable])
def test_a_connection_in_an_unknown_state_is_not_lent_again(
    desk: Desk, connections: Connections, error: type[BaseException]
) -> None:
    with pytest.raises(error), database(desk).snapshot():
        raise error("x")
    desk.store.providers.record(U, desk.deadline())
    assert connections.opened == 1
