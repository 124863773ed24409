"""What all tables share: the metadata, column kinds, and options of each database."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

# The same constraint names on every database, so that one migration fits all.
METADATA = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# A binary collation without padding: names are compared code point by code point, "a" is not "a ".
_COLLATION = "utf8mb4_nopad_bin"
OPTIONS: dict[str, Any] = {
    f"{dialect}_{name}": value
    for dialect in ("mysql", "mariadb")
    for name, value in (("engine", "InnoDB"), ("charset", "utf8mb4"), ("collate", _COLLATION))
}

BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LONG_TEXT = sa.Text().with_variant(mysql.MEDIUMTEXT(), "mysql", "mariadb")
# Float is a four-byte number on MariaDB: too short for a ratio to come back as it was written.
NUMBER: sa.Double[float] = sa.Double()


def times() -> tuple[sa.Column[Any], sa.Column[Any]]:
    """Return the columns ``created_at`` and ``updated_at``, in UTC without a zone."""
    return sa.Column("created_at", sa.DateTime()), sa.Column("updated_at", sa.DateTime())


def named(
    table: str, column: str = "name", length: int = 255, *, removable: bool = False
) -> sa.Table:
    """Return a table that gives ids to names.

    :param removable: whether a name can be taken away; its row stays, with ``removed_at`` set, so
        that an id means the same name for good.
    """
    removed = (sa.Column("removed_at", sa.DateTime()),) if removable else ()
    return sa.Table(
        table,
        METADATA,
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column(column, sa.String(length), nullable=False, unique=True),
        *times(),
        *removed,
        **OPTIONS,
    )
