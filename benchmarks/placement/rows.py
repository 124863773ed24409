"""Providers written into the tables, many at a time.

Both sides have the published schema of Placement, so one writer fills both: a column that only one
of them has is filled where it is. Over the API ten thousand providers take the peer minutes.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any

import sqlalchemy as sa

from benchmarks.placement.shapes import Amount, Shape

_TABLES = (
    "resource_providers",
    "inventories",
    "resource_classes",
    "traits",
    "placement_aggregates",
    "resource_provider_traits",
    "resource_provider_aggregates",
)
_BATCH = 5_000
_INT_MAX = 2**31 - 1

Row = Mapping[str, Any]


def write(url: str, shapes: Iterable[Shape]) -> None:
    """Write providers into an empty database that has the schema.

    :param shapes: parents before their children.
    """
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        _Writer(connection).write(list(shapes))


class _Writer:
    def __init__(self, connection: sa.Connection) -> None:
        metadata = sa.MetaData()
        metadata.reflect(connection, only=_TABLES)
        self._connection = connection
        self._tables = metadata.tables
        self._now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0)

    def write(self, shapes: Sequence[Shape]) -> None:
        ids = dict(zip((shape.name for shape in shapes), count(1), strict=False))
        classes = self._named("resource_classes", {n for s in shapes for n in s.inventories})
        traits = self._named("traits", {n for s in shapes for n in s.traits})
        aggregates = self._named("placement_aggregates", {n for s in shapes for n in s.aggregates})
        self._insert("resource_providers", (_provider(s, ids) for s in shapes))
        self._insert(
            "inventories",
            (
                _inventory(ids[s.name], classes[name], amount)
                for s in shapes
                for name, amount in s.inventories.items()
            ),
        )
        self._pairs("resource_provider_traits", "trait_id", (
            (ids[s.name], traits[name]) for s in shapes for name in s.traits
        ))  # fmt: skip
        self._pairs("resource_provider_aggregates", "aggregate_id", (
            (ids[s.name], aggregates[name]) for s in shapes for name in s.aggregates
        ))  # fmt: skip
        self._count_on("resource_providers")

    def _named(self, table_name: str, names: set[str]) -> dict[str, int]:
        """Give the ids of names; those that are missing are made."""
        table = self._tables[table_name]
        column = table.c.uuid if table_name == "placement_aggregates" else table.c.name
        query = sa.select(column, table.c.id)
        known = {name for name, _ in self._connection.execute(query)}
        self._insert(table_name, ({column.name: name} for name in sorted(names - known)))
        return {row[0]: row[1] for row in self._connection.execute(query)}

    def _pairs(self, table: str, column: str, pairs: Iterable[tuple[int, int]]) -> None:
        self._insert(table, ({"resource_provider_id": a, column: b} for a, b in pairs))

    def _insert(self, table_name: str, rows: Iterable[Row]) -> None:
        table = self._tables[table_name]
        columns = {column.name for column in table.c}
        given = [
            {key: value for key, value in row.items() if key in columns}
            | {"created_at": self._now, "updated_at": self._now}
            for row in rows
        ]
        for start in range(0, len(given), _BATCH):
            self._connection.execute(sa.insert(table), given[start : start + _BATCH])

    def _count_on(self, table: str) -> None:
        """Let the next row's id follow; only PostgreSQL does not see the ids that were given."""
        if self._connection.dialect.name == "postgresql":
            sequence = f"pg_get_serial_sequence('{table}', 'id')"
            self._connection.exec_driver_sql(
                f"SELECT setval({sequence}, (SELECT max(id) FROM {table}))"
            )


def _provider(shape: Shape, ids: Mapping[str, int]) -> Row:
    return {
        "id": ids[shape.name],
        "uuid": shape.uuid,
        "name": shape.name,
        "generation": 1,
        "root_provider_id": ids[shape.root],
        "parent_provider_id": None if shape.parent is None else ids[shape.parent],
    }


def _inventory(provider_id: int, class_id: int, amount: Amount) -> Row:
    return {
        "resource_provider_id": provider_id,
        "resource_class_id": class_id,
        "total": amount.total,
        "reserved": 0,
        "min_unit": 1,
        "max_unit": min(amount.total, _INT_MAX),
        "step_size": 1,
        "allocation_ratio": amount.allocation_ratio,
        "used": 0,
        "capacity": math.floor(amount.total * amount.allocation_ratio),
    }
