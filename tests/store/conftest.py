"""A store on each database, and short words for what tests do with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from scheduler_lib.model.allocation import Claim, Receipt
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.provider import Provider
from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings
from scheduler_lib.model.stats import HostStats
from scheduler_lib.store.store import Store
from scheduler_lib.testing import ManualClock


class Desk:
    """A store, with deadlines made on the way."""

    def __init__(self, store: Store, clock: ManualClock, url: str) -> None:
        self.store = store
        self.clock = clock
        self.url = url

    def deadline(self, seconds: float = 60.0) -> Deadline:
        return Deadline.after(seconds, self.clock)

    def report(self, host: str, node: str | None = None, /, **stats: object) -> tuple[int, ...]:
        name = ResourceName(host, node or host)
        return self.store.hosts.report(name, HostStats.parse(stats), self.deadline())

    def get(self, host: str, node: str | None = None) -> dict[str, object]:
        return self.store.hosts.get(ResourceName(host, node or host), self.deadline())

    def delete(self, host: str) -> tuple[int, ...]:
        return self.store.hosts.delete(ResourceName(host, host), self.deadline())

    def uuid(self, name: str) -> str:
        return self.store.providers.get(name, self.deadline()).uuid

    def claim(self, provider: str, consumer: str | None = None, /, **amounts: int) -> str:
        """Claim on a provider, by its name; return the consumer."""
        consumer = consumer or str(uuid4())
        self.write(Claim(consumer, {self.uuid(provider): amounts}))
        return consumer

    def write(self, *claims: Claim) -> Receipt:
        return self.store.claims.write(claims, self.deadline())

    def release(self, *consumers: str) -> Receipt:
        return self.store.claims.release(consumers, self.deadline())

    def held(self, consumer: str) -> Claim:
        return self.store.claims.get(consumer, self.deadline())

    def providers(self) -> dict[str, Provider]:
        with self.store.feed.load() as (_, providers):
            return {provider.name: provider for provider in providers}

    def used(self, provider: str) -> dict[str, int]:
        found = self.store.providers.get(provider, self.deadline())
        return {name: stock.used for name, stock in found.stocks.items() if stock.used}

    def generation(self, provider: str) -> int:
        return self.store.providers.get(provider, self.deadline()).generation

    def discrepancies(self) -> list[tuple[str, str]]:
        return [(d.kind, d.message) for d in self.store.books.check(self.deadline())]

    def newest_change(self) -> int:
        with self.store.feed.load() as (cursor, _):
            return cursor.last


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


OpenDesk = Callable[..., Desk]


@pytest.fixture
def open_desk(clock: ManualClock) -> Iterator[OpenDesk]:
    """Opens stores on a URL; each is closed in the end."""
    opened: list[Store] = []

    def open_(url: str, capacity: CapacitySettings | None = None, **settings: object) -> Desk:
        store = Store(
            DatabaseSettings(url, **settings),  # type: ignore[arg-type]
            capacity or CapacitySettings(),
            clock,
        )
        opened.append(store)
        return Desk(store.open(), clock, url)

    yield open_
    for store in opened:
        store.close()


@pytest.fixture
def desk(database_url: str, open_desk: OpenDesk) -> Desk:
    """A store on each database in turn."""
    return open_desk(database_url)


@pytest.fixture
def sqlite_desk(tmp_path: Path, open_desk: OpenDesk) -> Desk:
    """A store on an SQLite file."""
    return open_desk(f"sqlite:///{tmp_path / 'books.sqlite'}")
