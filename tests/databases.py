"""Databases for tests: one a process on each server, emptied between tests, dropped at the end."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url

from scheduler_lib.model.clock import SystemClock
from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings
from scheduler_lib.store import versions
from scheduler_lib.store.schema import METADATA
from scheduler_lib.store.store import Store

KINDS = ("sqlite", "postgresql", "mariadb")

_SERVERS = {
    "postgresql": (
        "SCHEDULER_LIB_TEST_POSTGRESQL",
        "postgresql+psycopg://postgres@127.0.0.1:5432/test",
    ),
    "mariadb": ("SCHEDULER_LIB_TEST_MARIADB", "mysql+pymysql://root@127.0.0.1:3306/test"),
}


class Databases:
    """Lends one empty database of each kind, with the schema in it."""

    def __init__(self) -> None:
        self._made: dict[str, URL] = {}

    def url(self, kind: str, folder: Path) -> str:
        """Return the URL of an empty database; skips the test when the server does not answer."""
        if kind == "sqlite":
            return f"sqlite:///{folder / 'books.sqlite'}"
        if kind in self._made:
            _empty(self._made[kind])
        else:
            self._made[kind] = url = self.make_bare(kind)
            Store(DatabaseSettings(_text(url)), CapacitySettings(), SystemClock()).upgrade()
        return _text(self._made[kind])

    def make_bare(self, kind: str) -> URL:
        """Make a database with nothing in it; `drop` it in the end."""
        server = server_url(kind)
        name = f"scheduler_lib_test_{os.getpid()}_{secrets.token_hex(4)}"
        _run(server, f"CREATE DATABASE {name}")
        return server.set(database=name)

    def drop(self, url: URL) -> None:
        """Drop a database."""
        kind = "postgresql" if url.get_backend_name() == "postgresql" else "mariadb"
        force = " WITH (FORCE)" if kind == "postgresql" else ""
        _run(server_url(kind), f"DROP DATABASE IF EXISTS {url.database}{force}")

    def close(self) -> None:
        """Drop every database that was lent."""
        while self._made:
            self.drop(self._made.popitem()[1])


def server_url(kind: str) -> URL:
    """Return a server's URL; skips the test when it does not answer, or fails if it must."""
    variable, default = _SERVERS[kind]
    url = make_url(os.environ.get(variable, default))
    try:
        _run(url, "SELECT 1")
    except (sa.exc.SQLAlchemyError, ModuleNotFoundError) as error:
        reason = f"{kind} does not answer at {url} ({variable}): {type(error).__name__}"
        if os.environ.get("SCHEDULER_LIB_TEST_REQUIRE_SERVICES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return url


def _text(url: URL) -> str:
    return url.render_as_string(hide_password=False)


def _run(url: URL, sql: str) -> None:
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql(sql)


def _empty(url: URL) -> None:
    # Rows go one table after the other: cheaper than TRUNCATE, which makes every file anew.
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        for table in METADATA.sorted_tables:
            connection.execute(sa.delete(table))
        versions.seed(connection)
