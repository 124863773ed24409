"""The store: one database, opened, with one object for each noun in it."""

from __future__ import annotations

import os
import threading
from random import Random
from types import TracebackType
from typing import Self

from scheduler_lib.model.clock import Clock
from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings
from scheduler_lib.store.aggregates import Aggregates
from scheduler_lib.store.books import Books
from scheduler_lib.store.changes import Pruning
from scheduler_lib.store.claims import Claims
from scheduler_lib.store.database import Database
from scheduler_lib.store.feed import Feed
from scheduler_lib.store.hosts import Hosts
from scheduler_lib.store.imports import Imports
from scheduler_lib.store.inventories import Inventories
from scheduler_lib.store.names import Names
from scheduler_lib.store.providers import Providers
from scheduler_lib.store.reports import Planner
from scheduler_lib.store.request_keys import RequestKeys
from scheduler_lib.store.reshapes import Reshapes
from scheduler_lib.store.resource_classes import ResourceClasses
from scheduler_lib.store.traits import Traits
from scheduler_lib.store.usages import Usages


class Store:
    """The books in one database; `open` it, or use it with `with`.

    :param settings: which database, and how patiently it is used.
    :param capacity: how reported totals become inventories.
    :param clock: what time it is.
    :param random: makes uuids and pauses; None for one of its own.
    :ivar hosts: compute nodes.
    :ivar claims: who holds what.
    :ivar request_keys: answers that were given.
    :ivar feed: everything once, then what changed.
    :ivar providers: providers and trees.
    :ivar inventories: what providers have.
    :ivar traits: which there are, and which providers have.
    :ivar resource_classes: which there are.
    :ivar aggregates: which providers are in.
    :ivar usages: what is used, by provider and by project.
    :ivar reshapes: inventories and claims, moved together.
    :ivar imports: other databases, copied into this one.
    :ivar books: the invariant.
    """

    hosts: Hosts
    claims: Claims
    request_keys: RequestKeys
    feed: Feed
    providers: Providers
    inventories: Inventories
    traits: Traits
    resource_classes: ResourceClasses
    aggregates: Aggregates
    usages: Usages
    reshapes: Reshapes
    imports: Imports
    books: Books

    def __init__(
        self,
        settings: DatabaseSettings,
        capacity: CapacitySettings,
        clock: Clock,
        random: Random | None = None,
    ) -> None:
        self._settings = settings
        self._capacity = capacity
        self._clock = clock
        self._random = random
        self._lock = threading.Lock()
        self._database: Database | None = None

    def open(self) -> Store:
        """Connect; a new SQLite database is made here. Opening an open store does nothing.

        :raises InvalidConfiguration: when the settings cannot work.
        :raises SchemaMismatch: when the database belongs to another version.
        :raises BackendUnavailable: when it does not answer.
        """
        with self._lock:
            if self._database is None:
                database = self._connect()
                try:
                    database.prepare()
                except BaseException:
                    database.close()
                    raise
                self._furnish(database)
                self._database = database
        return self

    def close(self) -> None:
        """Disconnect. Closing a closed store does nothing; it can be opened again."""
        with self._lock:
            database, self._database = self._database, None
        if database is not None:
            database.close()

    def upgrade(self) -> str:
        """Bring the database to this library's schema and return the revision.

        :raises SchemaMismatch: when the database is from a newer library.
        """
        database = self._connect()
        try:
            return database.upgrade()
        finally:
            database.close()

    def current(self) -> str | None:
        """Return the revision of the database's schema; None when it has no tables of ours."""
        database = self._connect()
        try:
            return database.current()
        finally:
            database.close()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _connect(self) -> Database:
        # Seeded by the system, and by the process: two must not make the same uuids or pauses.
        random = self._random or Random(os.urandom(32))  # noqa: S311
        return Database(self._settings, self._clock, random)

    def _furnish(self, database: Database) -> None:
        names = Names()
        settings = self._settings
        pruning = Pruning(settings.change_retention_s, self._clock)
        planner = Planner(self._capacity, names, database.random)
        self.request_keys = RequestKeys(database, settings.request_key_retention_s, self._clock)
        self.hosts = Hosts(database, names, planner, pruning)
        self.claims = Claims(database, names, self.request_keys, pruning)
        self.feed = Feed(database, names, self._clock)
        self.providers = Providers(database, names, pruning)
        self.inventories = Inventories(database, names, pruning)
        self.traits = Traits(database, names, pruning)
        self.resource_classes = ResourceClasses(database, names, pruning)
        self.aggregates = Aggregates(database, names, pruning)
        self.usages = Usages(database, names)
        self.reshapes = Reshapes(database, names, pruning)
        self.imports = Imports(database, names)
        self.books = Books(database)
