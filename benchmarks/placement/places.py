"""Empty databases on the servers there are, and SQLite files; all gone at the end."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url

KINDS = ("sqlite", "postgresql", "mariadb")
TITLES = {"sqlite": "SQLite file", "postgresql": "PostgreSQL", "mariadb": "MariaDB"}
# The servers that the tests use.
_SERVERS = {
    "postgresql": (
        "SCHEDULER_LIB_TEST_POSTGRESQL",
        "postgresql+psycopg://postgres@127.0.0.1:5432/test",
    ),
    "mariadb": ("SCHEDULER_LIB_TEST_MARIADB", "mysql+pymysql://root@127.0.0.1:3306/test"),
}


@contextmanager
def empty_database(kind: str) -> Iterator[str]:
    """Give the URL of a database with nothing in it."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as directory:
            yield f"sqlite:///{Path(directory, 'books.sqlite')}"
        return
    server = _server(kind)
    name = f"scheduler_lib_bench_{os.getpid()}_{secrets.token_hex(4)}"
    _run(server, f"CREATE DATABASE {name}")
    try:
        yield server.set(database=name).render_as_string(hide_password=False)
    finally:
        force = " WITH (FORCE)" if kind == "postgresql" else ""
        _run(server, f"DROP DATABASE {name}{force}")


def answering(kinds: tuple[str, ...] = KINDS) -> list[str]:
    """Give those kinds whose server answers."""
    return [kind for kind in kinds if kind == "sqlite" or _answers(kind)]


def _answers(kind: str) -> bool:
    try:
        _run(_server(kind), "SELECT 1")
    except (sa.exc.SQLAlchemyError, ModuleNotFoundError):
        return False
    return True


def _server(kind: str) -> URL:
    variable, default = _SERVERS[kind]
    return make_url(os.environ.get(variable, default))


def _run(url: URL, sql: str) -> None:
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql(sql)
