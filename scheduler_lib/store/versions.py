"""The schema's version: what a database has, what this library needs, and the way between.

Alembic takes long to import and is needed only to change a schema. What a database has is one row
that plain SQL can read, and a new database is made from the tables' definitions at once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from scheduler_lib.exceptions import BackendUnavailable, SchemaMismatch
from scheduler_lib.store.schema import CHANGES, METADATA
from scheduler_lib.store.schema.changes import SEED

LOG = logging.getLogger(__name__)

# The newest revision in migrations/versions (a test compares).
HEAD = "0002"
# Every revision of this library, oldest first; a database at another one is from a newer library.
REVISIONS = ("0001", HEAD)
# How long an upgrade waits for another process that is upgrading the same database.
UPGRADE_WAIT_S = 600
# What PostgreSQL knows the lock by, in each database of its own.
_LOCK_KEY = 0x73636865645F7570
# MariaDB knows it by a name on the whole server, of at most 64 characters.
_LOCK_NAME = "CONCAT('scheduler_lib.', MD5(DATABASE()))"

VERSION_TABLE = sa.Table(
    "alembic_version",
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def current(connection: Connection) -> str | None:
    """Return the revision a database is at; None when it has none of our tables."""
    if not sa.inspect(connection).has_table(VERSION_TABLE.name):
        return None
    return connection.execute(sa.select(VERSION_TABLE.c.version_num)).scalar()


def check(found: str | None) -> None:
    """Go on only with a database at the newest revision.

    :raises SchemaMismatch: when it is older, newer, or has no tables.
    """
    if found == HEAD:
        return
    if found is None:
        told = "The database has no tables of ours yet."
    elif found in REVISIONS:
        told = f"The database is at the older revision {found}; {HEAD} is needed."
    else:
        raise SchemaMismatch(
            f"The database is at revision {found}, which this library does not know: "
            "it is from a newer one.",
            hint="Upgrade the library.",
            found=found,
            expected=HEAD,
        )
    raise SchemaMismatch(told, hint="Run `scheduler-lib db upgrade`.", found=found, expected=HEAD)


def create(connection: Connection) -> None:
    """Make all tables in an empty database."""
    METADATA.create_all(connection, checkfirst=False)
    VERSION_TABLE.create(connection)
    connection.execute(sa.insert(VERSION_TABLE).values(version_num=HEAD))
    seed(connection)


def seed(connection: Connection) -> None:
    """Write the first row of the feed, so that a reader always has a row to start from."""
    row = {"provider_uuid": "", "kind": SEED, "created_at": 0.0}
    connection.execute(sa.insert(CHANGES).values(**row))


def upgrade(engine: Engine) -> None:
    """Bring a database to the newest revision, whatever it is at.

    One process does it; others that come meanwhile wait, and find it done.

    :raises SchemaMismatch: when it is from a newer library.
    :raises BackendUnavailable: when another process is still at it after ``UPGRADE_WAIT_S``.
    """
    with engine.connect() as connection:
        found = current(connection)
    if not _is_behind(found):
        return
    with engine.connect() as connection, connection.begin(), _alone(connection, found):
        # Whoever was here before may have done it.
        found = current(connection)
        if _is_behind(found):
            _migrate(connection, found)


def _is_behind(found: str | None) -> bool:
    if found is not None and found not in REVISIONS:
        check(found)
    return found != HEAD


def _migrate(connection: Connection, found: str | None) -> None:
    from alembic import command
    from alembic.config import Config

    LOG.info("upgrading the schema from %s to %s", found, HEAD)
    config = Config()
    config.set_main_option(
        "script_location", str(Path(__file__).parent / "migrations").replace("%", "%%")
    )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


@contextmanager
def _alone(connection: Connection, found: str | None) -> Iterator[None]:
    """Keep every other process from upgrading the same database."""
    name = connection.dialect.name
    if name == "sqlite":
        if found is not None:
            _take_file(connection)
        yield
    elif name == "postgresql":
        # It is let go when the transaction ends. Tables are waited for no longer than elsewhere.
        usual = connection.exec_driver_sql("SHOW lock_timeout").scalar()
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{UPGRADE_WAIT_S}s'")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK_KEY})")
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{usual}'")
        yield
    else:
        sql = f"SELECT GET_LOCK({_LOCK_NAME}, {UPGRADE_WAIT_S})"
        if connection.exec_driver_sql(sql).scalar() != 1:
            raise BackendUnavailable(
                f"Another process has been upgrading this database for {UPGRADE_WAIT_S} s.",
                hint="Find out what it waits for, then call again.",
                backend=connection.engine.url.render_as_string(hide_password=True),
            )
        try:
            yield
        finally:
            connection.exec_driver_sql(f"SELECT RELEASE_LOCK({_LOCK_NAME})")


def _take_file(connection: Connection) -> None:
    """Lock an SQLite file: whoever else upgrades it waits here, and then finds it done."""
    if not connection.connection.driver_connection.in_transaction:  # type: ignore[union-attr]
        connection.exec_driver_sql("BEGIN")
    same = VERSION_TABLE.c.version_num
    connection.execute(sa.update(VERSION_TABLE).values(version_num=same))
