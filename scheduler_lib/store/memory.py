"""A database that lives in this process: one connection, lent to one caller at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.engine import Engine

from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.store.errors import DATABASE_ERRORS, translated
from scheduler_lib.store.readers import hold
from scheduler_lib.store.session import Session, Texts
from scheduler_lib.store.transaction import Quick, T, Work


class MemoryTransactions:
    """Runs work, and lends the same connection for reading in between."""

    def __init__(self, engine: Engine, texts: Texts, backend: str, clock: Clock) -> None:
        self._engine = engine
        self._texts = texts
        self._backend = backend
        self._clock = clock
        self._lock = threading.RLock()
        self._session: Session | None = None

    def run(self, work: Work[T], deadline: Deadline, step: str, quick: Quick[T] | None = None) -> T:
        """Run work as one transaction; see :class:`.transaction.Transactions`."""
        with self.session() as session:
            deadline.check(step)
            session.start(self._clock.now())
            session.command("BEGIN IMMEDIATE")
            try:
                result = work(session)
                session.command("COMMIT")
            except BaseException:
                session.undo()
                session.after_commit.clear()
                raise
            told, session.after_commit = session.after_commit, []
            for tell in told:
                tell()
            return result

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Lend the session; nobody else has it meanwhile."""
        with self._lock:
            if self._session is None:
                self._session = Session(hold(self._engine), self._texts)
            try:
                yield self._session
            except DATABASE_ERRORS as error:
                raise translated(error, self._backend) from error

    # Others wait until it is given back: what it shows cannot change meanwhile.
    snapshot = session

    def close(self) -> None:
        """Close the connection, and with it the database."""
        with self._lock:
            if self._session is not None:
                self._session.connection.close()
                self._session = None
