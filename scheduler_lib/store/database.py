"""One database: the engine, how it is written and how it is read."""

from __future__ import annotations

from contextlib import AbstractContextManager
from random import Random

import sqlalchemy as sa

from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.model.settings import DatabaseSettings
from scheduler_lib.store import versions
from scheduler_lib.store.engine import is_memory, make_engine, parse_url, shown
from scheduler_lib.store.errors import DATABASE_ERRORS, translated
from scheduler_lib.store.memory import MemoryTransactions
from scheduler_lib.store.readers import Readers
from scheduler_lib.store.session import Session, Texts
from scheduler_lib.store.transaction import Quick, ServerTransactions, T, Transactions, Work
from scheduler_lib.store.writer import Writer


class Database:
    """Where the books are, connected.

    :param settings: which database, and how patiently it is used.
    :raises InvalidConfiguration: when the settings cannot work.
    :raises BackendUnavailable: when an SQLite file's directory cannot be made.
    """

    def __init__(self, settings: DatabaseSettings, clock: Clock, random: Random) -> None:
        url = parse_url(settings.connection)
        self.settings = settings
        self.clock = clock
        self.random = random
        self.backend = shown(url)
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self._engine = make_engine(settings)
        self._texts = Texts(self._engine.dialect)
        self._transactions: Transactions
        self._lender: MemoryTransactions | Readers
        if is_memory(url):
            memory = MemoryTransactions(self._engine, self._texts, self.backend, clock)
            self._transactions = self._lender = memory
            return
        self._lender = readers = Readers(
            self._engine, self._texts, self.backend, settings.max_pool_size, clock
        )
        self._transactions = self._writer() if self.is_sqlite else self._server(readers)

    def _writer(self) -> Writer:
        return Writer(
            self._engine,
            self._texts,
            self.backend,
            self.clock,
            self.random,
            self.settings.busy_timeout_s,
        )

    def _server(self, readers: Readers) -> ServerTransactions:
        attempts = self.settings.max_retries + 1
        return ServerTransactions(readers, self.backend, self.clock, self.random, attempts)

    def prepare(self) -> None:
        """Make sure that the schema is this library's; a new SQLite database gets it here.

        :raises SchemaMismatch: when it is not.
        :raises BackendUnavailable: when the database does not answer.
        """
        found = self.current()
        if self.is_sqlite and found != versions.HEAD:
            found = self._upgrade_sqlite(found)
        versions.check(found)

    def current(self) -> str | None:
        """Return the revision the database is at; None when it has no tables of ours."""
        try:
            with self._engine.connect() as connection:
                return versions.current(connection)
        except DATABASE_ERRORS as error:
            raise translated(error, self.backend) from error

    def upgrade(self) -> str:
        """Bring the schema to this library's revision and return it.

        :raises SchemaMismatch: when the database is from a newer library.
        """
        if self.is_sqlite:
            self.prepare()
            return versions.HEAD
        try:
            versions.upgrade(self._engine)
        except DATABASE_ERRORS as error:
            raise translated(error, self.backend) from error
        return versions.HEAD

    def write(
        self, work: Work[T], deadline: Deadline, step: str, quick: Quick[T] | None = None
    ) -> T:
        """Run work as one transaction; see :class:`.transaction.Transactions`."""
        return self._transactions.run(work, deadline, step, quick)

    def reading(self) -> AbstractContextManager[Session]:
        """Lend a session for reading; each statement stands for itself."""
        return self._lender.session()

    def snapshot(self) -> AbstractContextManager[Session]:
        """Lend a session for reading; all statements see the same moment."""
        return self._lender.snapshot()

    def close(self) -> None:
        """Close every connection."""
        self._transactions.close()
        self._lender.close()
        self._engine.dispose()

    def _upgrade_sqlite(self, found: str | None) -> str | None:
        def make(session: Session) -> str | None:
            connection = session.connection
            # Another process may have been here between the look and the lock.
            if (now := versions.current(connection)) is None:
                versions.create(connection)
                return versions.HEAD
            return now

        # Nobody has given this step a deadline: it is part of opening, and bounded by SQLite's own.
        deadline = Deadline.after(self.settings.busy_timeout_s, self.clock)
        try:
            if found is None:
                return self._transactions.run(make, deadline, "making the tables")
            versions.upgrade(self._engine)
            return self.current()
        except sa.exc.SQLAlchemyError as error:
            raise translated(error, self.backend) from error
