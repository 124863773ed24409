"""One open transaction, or one connection for reading: how statements are run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Connection, CursorResult, Dialect

from scheduler_lib.store.prepared import KeyedStatement, Prepared, Row, Statement, chunks

_EPOCH = datetime(1970, 1, 1)
NOTHING: Mapping[str, object] = {}


class Cursor(Protocol):
    """What running a statement gives."""

    @property
    def rowcount(self) -> int:
        """Rows that a write met."""
        ...

    @property
    def lastrowid(self) -> int | None:
        """The key of the row that was inserted last, where the driver knows."""
        ...

    def fetchall(self) -> Sequence[Row]:
        """Return the rows."""
        ...


class Texts:
    """The statements of one database, each compiled when it is first run."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._as_moment = sa.DateTime().dialect_impl(dialect).bind_processor(dialect)
        self._prepared: dict[Statement, Prepared] = {}
        self._widened: dict[tuple[Statement, int], Prepared] = {}

    def moment(self, now: float) -> object:
        """Return a moment in the form in which the driver takes a DateTime.

        :param now: seconds since 1970 UTC.
        """
        moment = _EPOCH + timedelta(seconds=now)
        return moment if self._as_moment is None else self._as_moment(moment)

    def of(self, statement: Statement) -> Prepared:
        """Return the statement's text."""
        prepared = self._prepared.get(statement)
        if prepared is None:
            prepared = Prepared.compile(statement, self.dialect)
            self._prepared[statement] = prepared
        return prepared

    def widened(self, statement: KeyedStatement, size: int) -> Prepared:
        """Return the statement's text for a number of keys."""
        key = (statement, size)
        prepared = self._widened.get(key)
        if prepared is None:
            prepared = self._widened[key] = self.of(statement).widened(size)
        return prepared


class Session:
    """Runs statements on one connection.

    :param connection: the connection.
    :param texts: the statements' texts on this database.
    :param now: see :meth:`start`.
    :ivar now: the moment that rows written here carry, seconds since 1970 UTC.
    :ivar moment: the same as the driver takes it for a DateTime column.
    :ivar server: ``sqlite``, ``postgresql``, ``mariadb`` or ``mysql``, whatever the dialect's name.
    :ivar wrote: whether anything may have been written since the start.
    :ivar after_commit: what to do once the transaction is committed.
    """

    now: float
    moment: object
    wrote: bool

    def __init__(self, connection: Connection, texts: Texts, now: float = 0.0) -> None:
        self.connection = connection
        self.dialect_name = texts.dialect.name
        self._errors: type[Exception] = texts.dialect.loaded_dbapi.Error
        self._is_disconnect: Callable[..., bool] = texts.dialect.is_disconnect
        # What the driver's dialect is called does not tell MySQL from MariaDB; the server does.
        self.server = (
            "mariadb" if getattr(texts.dialect, "is_mariadb", False) else texts.dialect.name
        )
        self.after_commit: list[Callable[[], None]] = []
        self._texts = texts
        self.start(now)
        self._execute: Callable[..., Cursor] = connection.exec_driver_sql
        self._executemany: Callable[..., Cursor] = connection.exec_driver_sql
        if self.dialect_name == "sqlite":
            # Half of what a short statement costs would be spent between here and the driver.
            driver = connection.connection.driver_connection
            self._execute = driver.execute  # type: ignore[union-attr]
            self._executemany = driver.executemany  # type: ignore[union-attr]

    def start(self, now: float) -> None:
        """Begin anew: set the moment that rows written here carry.

        :param now: seconds since 1970 UTC.
        """
        self.now = now
        self.moment = self._texts.moment(now)
        self.wrote = False

    def run(self, statement: Statement, parameters: Mapping[str, object] = NOTHING) -> Cursor:
        """Run a statement once."""
        text = self._texts.of(statement)
        self.wrote |= text.writes
        return self._execute(text.sql, text.parameters(parameters))

    def run_many(self, statement: Statement, rows: Sequence[Mapping[str, object]]) -> int:
        """Run a write for each row of parameters; return how many rows it met in all."""
        if not rows:
            return 0
        self.wrote = True
        text = self._texts.of(statement)
        if len(rows) == 1:
            return self._execute(text.sql, text.parameters(rows[0])).rowcount
        return self._executemany(text.sql, text.many(rows)).rowcount

    def rows(
        self, statement: Statement, parameters: Mapping[str, object] = NOTHING
    ) -> Sequence[Row]:
        """Run a query; return its rows."""
        return self.run(statement, parameters).fetchall()

    def rows_of(
        self,
        statement: KeyedStatement,
        keys: Sequence[object],
        parameters: Mapping[str, object] = NOTHING,
    ) -> list[Row]:
        """Run a query for a list of keys; return the rows of all."""
        found: list[Row] = []
        for part in chunks(keys):
            text = self._texts.widened(statement, len(part))
            given = {**part, **parameters} if parameters else part
            found.extend(self._execute(text.sql, text.parameters(given)).fetchall())
        return found

    def run_for(
        self,
        statement: KeyedStatement,
        keys: Sequence[object],
        parameters: Mapping[str, object] = NOTHING,
    ) -> int:
        """Run a write for a list of keys; return how many rows it met."""
        met = 0
        self.wrote = True
        for part in chunks(keys):
            text = self._texts.widened(statement, len(part))
            given = {**part, **parameters} if parameters else part
            met += self._execute(text.sql, text.parameters(given)).rowcount
        return met

    def script(self, sql: str, parameters: Mapping[str, object]) -> list[Sequence[Row]]:
        """Run a text in the server's own words; return the rows of every result it gives.

        It goes to the driver at once, whose errors come out as SQLAlchemy's all the same.
        """
        driver = self.connection.connection
        cursor = driver.cursor()
        results: list[Sequence[Row]] = []
        try:
            cursor.execute(sql, parameters)
            while True:
                if cursor.description is not None:
                    results.append(cursor.fetchall())
                if not cursor.nextset():
                    return results
        except self._errors as error:
            raise sa.exc.DBAPIError.instance(
                sql,
                None,
                error,
                self._errors,
                connection_invalidated=self._is_disconnect(error, driver, cursor),
            ) from error
        finally:
            cursor.close()

    def core(
        self, statement: sa.Executable, parameters: Sequence[Mapping[str, object]] | None = None
    ) -> CursorResult[tuple[object, ...]]:
        """Run a statement through SQLAlchemy, with its types."""
        self.wrote = True
        return self.connection.execute(statement, parameters)

    def command(self, sql: str) -> None:
        """Run a command of the database itself: BEGIN, COMMIT, SAVEPOINT."""
        self._execute(sql)

    def is_open(self) -> bool:
        """Tell whether a transaction is under way on SQLite; some errors end it."""
        return bool(self.connection.connection.driver_connection.in_transaction)  # type: ignore[union-attr]

    def undo(self) -> None:
        """Roll back what was begun by a command on SQLite, if anything was."""
        if self.is_open():
            self._execute("ROLLBACK")
