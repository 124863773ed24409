"""Connections kept open between calls, for reading and for writing on a server."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy.engine import Connection, Engine

from scheduler_lib.exceptions import SchedulerLibError, Unavailable
from scheduler_lib.model.clock import Clock
from scheduler_lib.store.errors import DATABASE_ERRORS, is_disconnect, translated
from scheduler_lib.store.session import Session, Texts

# How each database is told to show one moment to all statements that follow.
_SNAPSHOT = {
    "sqlite": ("BEGIN",),
    "postgresql": ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",),
    "mysql": (
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
    ),
}
# How long a connection may lie idle before it is asked whether the server is still there.
TRUSTED_S = 1.0

_SNAPSHOT["mariadb"] = _SNAPSHOT["mysql"]


def hold(engine: Engine) -> Connection:
    """Open a connection that begins and ends no transaction unless it is told to."""
    if engine.dialect.name != "sqlite":
        return engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    connection = engine.connect()
    # SQLAlchemy begins a transaction with the first statement and then believes in it for good;
    # from here on only our own commands begin and end one.
    connection.exec_driver_sql("SELECT 1")
    if connection.connection.driver_connection.in_transaction:  # type: ignore[union-attr]
        connection.exec_driver_sql("COMMIT")
    return connection


def discard(connection: Connection) -> None:
    """Close a connection for good, whatever state it is in."""
    # Lost, or broken: then there is nothing to roll back either.
    with suppress(*DATABASE_ERRORS):
        connection.rollback()
    connection.invalidate()
    connection.close()


def _answers(session: Session) -> bool:
    try:
        session.command("SELECT 1")
    except DATABASE_ERRORS:
        return False
    return True


def _is_answer(error: BaseException) -> bool:
    """Tell whether an error says what was found, and nothing about the connection."""
    return isinstance(error, SchedulerLibError) and not isinstance(error, Unavailable)


class Readers:
    """Lends connections for reading, the one used last first.

    :param engine: where they come from.
    :param texts: the statements' texts on this database.
    :param backend: the database, as it may be shown.
    :param keep: how many idle ones are kept open.
    """

    def __init__(self, engine: Engine, texts: Texts, backend: str, keep: int, clock: Clock) -> None:
        self._engine = engine
        self._texts = texts
        self._backend = backend
        self._keep = keep
        self._clock = clock
        self._idle: list[tuple[Session, float]] = []
        self._lock = threading.Lock()
        self._process = os.getpid()

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Lend a session in which each statement stands for itself.

        :raises BackendUnavailable: when the database does not answer.
        """
        try:
            with self.lent() as session:
                yield session
        except DATABASE_ERRORS as error:
            raise translated(error, self._backend) from error

    @contextmanager
    def lent(self) -> Iterator[Session]:
        """Lend such a session to somebody who knows what to do about the database's own errors."""
        session = self._take()
        try:
            yield session
        except BaseException as error:
            session.after_commit.clear()
            if _is_answer(error):
                self._give_back(session)
                raise
            # Whatever state it is in: it is not worth finding out.
            discard(session.connection)
            if isinstance(error, DATABASE_ERRORS) and is_disconnect(error):
                self._drop_idle()
            raise
        self._give_back(session)

    @contextmanager
    def snapshot(self) -> Iterator[Session]:
        """Lend a session in which all statements see the same moment.

        :raises BackendUnavailable: when the database does not answer.
        """
        with self.session() as session:
            for command in _SNAPSHOT[session.dialect_name]:
                session.command(command)
            try:
                yield session
            except SchedulerLibError:
                session.command("COMMIT")
                raise
            session.command("COMMIT")

    def close(self) -> None:
        """Close the idle connections."""
        self._drop_idle()

    def _take(self) -> Session:
        if self._process != os.getpid():
            self._forget()
        while True:
            try:
                session, since = self._idle.pop()
            except IndexError:
                break
            if self._clock.monotonic() - since < TRUSTED_S or _answers(session):
                return session
            discard(session.connection)
        return Session(hold(self._engine), self._texts)

    def _give_back(self, session: Session) -> None:
        told, session.after_commit = session.after_commit, []
        for tell in told:
            tell()
        if len(self._idle) < self._keep:
            self._idle.append((session, self._clock.monotonic()))
        else:
            discard(session.connection)

    def _drop_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for session, _ in idle:
            discard(session.connection)

    def _forget(self) -> None:
        # A child process must not touch its parent's connections, not even to close them.
        with self._lock:
            if self._process != os.getpid():
                self._abandoned = self._idle
                self._idle = []
                self._process = os.getpid()
