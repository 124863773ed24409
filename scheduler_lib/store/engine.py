"""Engines: how each database is connected to."""

from __future__ import annotations

import time
from pathlib import Path

import sqlalchemy as sa
from oslo_db.sqlalchemy.engines import create_engine
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from scheduler_lib.exceptions import BackendUnavailable, InvalidConfiguration
from scheduler_lib.model.settings import DatabaseSettings

DRIVERS = {"postgresql": "psycopg", "mysql": "pymysql", "mariadb": "pymysql"}
SYNCHRONOUS = ("NORMAL", "FULL")

# How long a server may let a statement wait for a lock before the transaction is run again; the
# call's deadline decides how often.
LOCK_TIMEOUT_S = 5

# How long a call waits for a connection when all are lent.
POOL_TIMEOUT_S = 30

# Of a new SQLite file. A claim changes a few bytes on each of a dozen pages, and the commit copies
# and sums each of them whole. Less than this makes the log long to search.
PAGE_BYTES = 2048
# SQLite's log grows to this before it is folded back: it keeps that work out of the claims.
WAL_BYTES = 80_000_000
# How long SQLite itself waits for another writer before we look at the call's deadline.
WRITER_WAIT_MS = 50
_WAL_ATTEMPTS = 100


def parse_url(connection: str) -> URL:
    """Read a database URL; a missing driver is filled in with the one we support.

    :raises InvalidConfiguration: when it is none, or names another kind of database.
    """
    try:
        url = make_url(connection)
    except ArgumentError as error:
        raise InvalidConfiguration(
            "[database] connection is no database URL.",
            hint="Write it like sqlite:////var/lib/scheduler_lib/books.sqlite.",
            field="connection",
        ) from error
    kind, _, driver = url.drivername.partition("+")
    if kind not in ("sqlite", *DRIVERS):
        raise InvalidConfiguration(
            f"[database] connection: {kind!r} is not supported.",
            hint="Use sqlite, postgresql+psycopg or mysql+pymysql.",
            field="connection",
        )
    if kind in DRIVERS and not driver:
        url = url.set(drivername=f"{kind}+{DRIVERS[kind]}")
    if kind in ("mysql", "mariadb") and "charset" not in url.query:
        # Three-byte utf8, the default of oslo.db, cannot carry every name.
        url = url.update_query_dict({"charset": "utf8mb4"})
    return url


def is_memory(url: URL) -> bool:
    """Tell whether the database lives in this process only."""
    if url.get_backend_name() != "sqlite":
        return False
    return url.database in (None, "", ":memory:") or url.query.get("mode") == "memory"


def shown(url: URL) -> str:
    """Return the URL as it may be shown."""
    return url.render_as_string(hide_password=True)


def make_engine(settings: DatabaseSettings) -> Engine:
    """Return the engine of a database; nothing is connected yet, save that directories are made.

    :raises InvalidConfiguration: when the URL or an option cannot work.
    :raises BackendUnavailable: when the directory of an SQLite file cannot be made.
    """
    url = parse_url(settings.connection)
    if settings.sqlite_synchronous not in SYNCHRONOUS:
        raise InvalidConfiguration(
            f"[database] sqlite_synchronous must be one of {SYNCHRONOUS}, not "
            f"{settings.sqlite_synchronous!r}.",
            field="sqlite_synchronous",
        )
    if url.get_backend_name() == "sqlite" and not is_memory(url):
        _make_directory(url)
    engine = _create(url, settings)
    if url.get_backend_name() == "sqlite":
        sa.event.listen(engine, "connect", _SqliteSetup(settings))
    elif url.get_backend_name() == "postgresql":
        sa.event.listen(engine, "connect", _set_up_postgresql)
    else:
        sa.event.listen(engine, "connect", _set_up_mariadb)
    return engine


def _create(url: URL, settings: DatabaseSettings) -> Engine:
    try:
        return create_engine(  # type: ignore[no-any-return]
            url,
            max_pool_size=settings.max_pool_size,
            max_overflow=settings.max_overflow,
            # Not taken for SQLite, which has no pool.
            pool_timeout=None if url.get_backend_name() == "sqlite" else POOL_TIMEOUT_S,
            # Connecting is the first call's business, and its deadline decides.
            max_retries=0,
            # Values that do not fit are errors, never cut.
            mysql_sql_mode="TRADITIONAL",
            thread_checkin=False,
        )
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        kind = url.get_backend_name()
        extra = "mariadb" if kind == "mysql" else kind
        raise InvalidConfiguration(
            f"[database] connection: the driver for {url.drivername} is not installed.",
            hint=f"pip install 'scheduler_lib[{extra}]'",
            field="connection",
        ) from error


def _make_directory(url: URL) -> None:
    path = str(url.database).removeprefix("file:").partition("?")[0]
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BackendUnavailable(
            f"The directory of {path} cannot be made: {error.strerror}.",
            hint="Point [database] connection at a place that may be written.",
            backend=shown(url),
        ) from error


class _SqliteSetup:
    """Prepares each new connection to an SQLite file."""

    def __init__(self, settings: DatabaseSettings) -> None:
        self._synchronous = settings.sqlite_synchronous
        self._busy_ms = int(settings.busy_timeout_s * 1000)

    def __call__(self, connection: sa.engine.interfaces.DBAPIConnection, record: object) -> None:
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {self._busy_ms}")
        # A file that is there keeps the size it has.
        cursor.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        self._use_log(cursor)
        cursor.execute(f"PRAGMA synchronous = {self._synchronous}")
        page_bytes = cursor.execute("PRAGMA page_size").fetchone()[0]
        cursor.execute(f"PRAGMA wal_autocheckpoint = {WAL_BYTES // page_bytes}")
        cursor.close()

    def _use_log(self, cursor: sa.engine.interfaces.DBAPICursor) -> None:
        # Two processes that open a new file at once: SQLite gives up here without waiting.
        for attempt in range(_WAL_ATTEMPTS):
            try:
                cursor.execute("PRAGMA journal_mode = WAL")
            except Exception as error:
                if "locked" not in str(error) or attempt == _WAL_ATTEMPTS - 1:
                    raise
                time.sleep(0.01)
            else:
                return


def _set_up_postgresql(connection: sa.engine.interfaces.DBAPIConnection, record: object) -> None:
    cursor = connection.cursor()
    cursor.execute(f"SET lock_timeout = '{LOCK_TIMEOUT_S}s'")
    cursor.execute("SET timezone = 'UTC'")
    cursor.close()
    connection.commit()


def _set_up_mariadb(connection: sa.engine.interfaces.DBAPIConnection, record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
    cursor.execute(f"SET SESSION innodb_lock_wait_timeout = {LOCK_TIMEOUT_S}")
    cursor.execute("SET SESSION time_zone = '+00:00'")
    cursor.close()
    connection.commit()
