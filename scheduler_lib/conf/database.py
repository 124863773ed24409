"""``[database]``: where the books are, under the names that oslo.db made known."""

from __future__ import annotations

from oslo_config import cfg

from scheduler_lib.conf.groups import Options
from scheduler_lib.model.settings import DatabaseSettings

GROUP = "database"

OPTIONS: Options = {
    GROUP: (
        cfg.StrOpt(
            "connection",
            default="sqlite:///$state_path/scheduler_lib.sqlite",
            secret=True,
            help="""
The database that holds hosts, providers and claims.

An SQLite file is made and upgraded on first use; a PostgreSQL or MariaDB database must exist, and
is brought to the newest schema by ``scheduler-lib db upgrade``. A ``$`` in a password is written
``$$``.

Possible values: a SQLAlchemy URL, for example ``sqlite:////var/lib/scheduler_lib/books.sqlite``,
``postgresql+psycopg://user:password@host/name`` or ``mysql+pymysql://user:password@host/name``.
""",
        ),
        cfg.StrOpt(
            "sqlite_synchronous",
            default="NORMAL",
            choices=[
                ("NORMAL", "what was committed survives a crash of the process"),
                ("FULL", "it survives a crash of the machine too; every commit waits for the disk"),
            ],
            help="""
How durable a commit to an SQLite file is. Possible values: NORMAL, FULL.
""",
        ),
        cfg.FloatOpt(
            "busy_timeout_s",
            default=30.0,
            min=0.0,
            help="""
How long a writer waits for another writer of the same SQLite file, at most. Unit: seconds.
""",
        ),
        cfg.IntOpt(
            "max_pool_size",
            default=5,
            min=1,
            help="""
Connections kept open to a database server. Unit: connections, at least 1.
""",
        ),
        cfg.IntOpt(
            "max_overflow",
            default=50,
            min=0,
            help="""
Connections opened beyond the pool while there is load. Unit: connections, at least 0.
""",
        ),
        cfg.IntOpt(
            "db_max_retries",
            default=20,
            min=0,
            help="""
How often a transaction is run again after a deadlock. Unit: times, at least 0.
""",
        ),
        cfg.FloatOpt(
            "change_retention_s",
            default=3600.0,
            min=1.0,
            help="""
How long rows of the change feed are kept. A process that was away for longer loads all hosts
anew. Unit: seconds, at least 1.
""",
        ),
        cfg.FloatOpt(
            "request_key_retention_s",
            default=86400.0,
            min=1.0,
            help="""
How long the answer to a request is kept under its request key. Unit: seconds, at least 1.
""",
        ),
    ),
}


def settings(conf: cfg.ConfigOpts) -> DatabaseSettings:
    """Return where the books are, as a plain value.

    :param conf: options made by :func:`scheduler_lib.conf.load`.
    """
    group = conf[GROUP]
    return DatabaseSettings(
        # A database of its own for Placement's tables holds the books then: all of them.
        connection=conf.placement_database.connection or group.connection,
        sqlite_synchronous=group.sqlite_synchronous,
        busy_timeout_s=group.busy_timeout_s,
        max_pool_size=group.max_pool_size,
        max_overflow=group.max_overflow,
        max_retries=group.db_max_retries,
        change_retention_s=group.change_retention_s,
        request_key_retention_s=group.request_key_retention_s,
    )
