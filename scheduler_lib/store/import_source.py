"""An OpenStack Placement database, read at one moment; nothing in it is changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection

from scheduler_lib.exceptions import BackendUnavailable, InvalidInput, SchemaMismatch
from scheduler_lib.store.engine import DRIVERS, parse_url, shown
from scheduler_lib.store.errors import DATABASE_ERRORS, translated
from scheduler_lib.store.schema import (
    ALLOCATIONS,
    CONSUMERS,
    INVENTORIES,
    PROJECTS,
    PROVIDER_AGGREGATES,
    PROVIDER_TRAITS,
    RESOURCE_PROVIDERS,
    USERS,
)

# The schema of Placement 14.0.0 to 16.0.0, as its own migrations name it.
REVISION = "a082b8bb98d0"
BATCH = 1000

_RP, _AL = RESOURCE_PROVIDERS.c, ALLOCATIONS.c
INVENTORY_FIELDS = (
    "total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio",
)  # fmt: skip


class SourceProvider(NamedTuple):
    """One provider's row."""

    id: int
    uuid: str
    name: str
    generation: int
    parent_id: int | None
    created_at: datetime | None
    updated_at: datetime | None


class SourceAllocation(NamedTuple):
    """One allocation's row."""

    consumer_uuid: str
    provider_id: int
    class_id: int
    used: int
    created_at: datetime | None
    updated_at: datetime | None


class SourceConsumer(NamedTuple):
    """One consumer's row."""

    uuid: str
    project_id: int
    user_id: int
    type_id: int | None
    generation: int
    created_at: datetime | None
    updated_at: datetime | None


@contextmanager
def opened(connection_url: str) -> Iterator[Source]:
    """Open a Placement database for reading.

    :raises InvalidConfiguration: when the URL cannot work.
    :raises BackendUnavailable: when it does not answer.
    :raises SchemaMismatch: when it is none, or of another version.
    """
    url = parse_url(connection_url)
    engine = sa.create_engine(_readable(url), poolclass=sa.NullPool)
    try:
        with engine.connect() as connection:
            _begin(connection)
            source = Source(connection)
            source.check()
            yield source
    except DATABASE_ERRORS as error:
        raise translated(error, shown(url)) from error
    finally:
        engine.dispose()


def _readable(url: URL) -> URL:
    kind = url.get_backend_name()
    if kind != "sqlite":
        # Whatever driver Placement itself uses: ours reads the same.
        return url.set(drivername=f"{kind}+{DRIVERS[kind]}")
    path = Path(str(url.database))
    if not path.is_file():
        raise BackendUnavailable(
            f"There is no file {path}.", hint="Name the database to read.", backend=shown(url)
        )
    return url.set(database=f"file:{path.resolve()}", query={"mode": "ro", "uri": "true"})


def _begin(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN")
    else:
        connection.execution_options(isolation_level="REPEATABLE READ")


class Source:
    """Reads the tables that are copied."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def check(self) -> None:
        """Go on only with Placement's own schema, and with rows that belong together.

        :raises SchemaMismatch: when it is another one.
        :raises InvalidInput: when there are allocations of what is not there.
        """
        found = None
        if sa.inspect(self._connection).has_table("alembic_version"):
            found = self._connection.exec_driver_sql(
                "SELECT version_num FROM alembic_version"
            ).scalar()
        if found != REVISION:
            raise SchemaMismatch(
                f"The source is at revision {found}; Placement's {REVISION} is needed.",
                hint="Name a Placement database, upgraded by its own `placement-manage db sync`.",
                found=found,
                expected=REVISION,
            )
        if lost := self._scalar(_UNBACKED):
            raise InvalidInput(
                f"The source has {lost} allocations of inventories that are not there.",
                hint="Remove them from the source first.",
                field="source",
            )

    def count(self, table: sa.Table) -> int:
        """Return how many rows a table has."""
        return self._scalar(sa.select(sa.func.count()).select_from(table))

    def empty_consumers(self) -> int:
        """Return how many consumers hold nothing."""
        return self._scalar(_EMPTY)

    def nameless_consumers(self) -> int:
        """Return how many consumers have no row."""
        return self._scalar(_NAMELESS)

    def has_unbooked(self) -> bool:
        """Tell whether anything is held by consumers without a row, a project or a user."""
        return self._scalar(_UNBOOKED) > 0

    def distinct_allocations(self) -> int:
        """Return how many allocations there are, several of one inventory counted as one."""
        return self._scalar(_DISTINCT)

    def names(self, table: sa.Table, column: str) -> list[tuple[Any, ...]]:
        """Return id, name, and times of all rows of a table of names."""
        columns = (table.c.id, table.c[column], table.c.created_at, table.c.updated_at)
        return self._rows(sa.select(*columns).order_by(table.c.id))

    def providers(self) -> list[SourceProvider]:
        """Return all providers, parents before their children."""
        rows = [SourceProvider(*row) for row in self._rows(_PROVIDERS)]
        parents = {row.id: row.parent_id for row in rows}

        def depth(provider: SourceProvider) -> int:
            steps, above = 0, provider.parent_id
            while above is not None and steps <= len(parents):
                steps, above = steps + 1, parents.get(above)
            return steps

        return sorted(rows, key=lambda row: (depth(row), row.id))

    def inventories(self, provider_ids: Sequence[int]) -> list[tuple[Any, ...]]:
        """Return provider, class, the fields of an inventory and its times."""
        return self._rows(_INVENTORIES.where(INVENTORIES.c.resource_provider_id.in_(provider_ids)))

    def pairs(
        self, table: sa.Table, column: str, provider_ids: Sequence[int]
    ) -> list[tuple[Any, ...]]:
        """Return provider, trait or aggregate, and times."""
        of = table.c.resource_provider_id
        return self._rows(
            sa.select(of, table.c[column], table.c.created_at, table.c.updated_at).where(
                of.in_(provider_ids)
            )
        )

    def allocations(self) -> Iterator[list[SourceAllocation]]:
        """Yield allocations, about a batch at a time; those of one consumer come together."""
        after, size = "", BATCH
        while True:
            query = _ALLOCATIONS.where(_AL.consumer_id > after).limit(size)
            rows = [SourceAllocation(*row) for row in self._rows(query)]
            if len(rows) == size:
                last = rows[-1].consumer_uuid
                whole = [row for row in rows if row.consumer_uuid != last]
                if not whole:
                    size *= 2
                    continue
                rows = whole
            if not rows:
                return
            yield rows
            after, size = rows[-1].consumer_uuid, BATCH

    def consumers(self, uuids: Sequence[str]) -> dict[str, SourceConsumer]:
        """Return those of the consumers that have a row."""
        rows = self._rows(_CONSUMERS.where(CONSUMERS.c.uuid.in_(uuids)))
        return {row[0]: SourceConsumer(*row) for row in rows}

    def usages(self) -> dict[tuple[str, int], int]:
        """Return what is used, by provider uuid and the source's id of a class."""
        return {(row[0], row[1]): int(row[2]) for row in self._rows(_USAGES)}

    def _rows(self, query: sa.Select[Any]) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self._connection.execute(query)]

    def _scalar(self, query: sa.Select[Any]) -> int:
        return int(self._connection.execute(query).scalar() or 0)


_PROVIDERS = sa.select(
    _RP.id, _RP.uuid, _RP.name, sa.func.coalesce(_RP.generation, 0), _RP.parent_provider_id,
    _RP.created_at, _RP.updated_at,
)  # fmt: skip
_INVENTORIES = sa.select(
    INVENTORIES.c.resource_provider_id, INVENTORIES.c.resource_class_id,
    *(INVENTORIES.c[name] for name in INVENTORY_FIELDS),
    INVENTORIES.c.created_at, INVENTORIES.c.updated_at,
)  # fmt: skip
_ALLOCATIONS = sa.select(
    _AL.consumer_id, _AL.resource_provider_id, _AL.resource_class_id, _AL.used, _AL.created_at,
    _AL.updated_at,
).order_by(_AL.consumer_id, _AL.id)  # fmt: skip
_CONSUMERS = sa.select(
    CONSUMERS.c.uuid, CONSUMERS.c.project_id, CONSUMERS.c.user_id, CONSUMERS.c.consumer_type_id,
    CONSUMERS.c.generation, CONSUMERS.c.created_at, CONSUMERS.c.updated_at,
)  # fmt: skip
_USAGES = (
    sa.select(_RP.uuid, _AL.resource_class_id, sa.func.sum(_AL.used))
    .join_from(ALLOCATIONS, RESOURCE_PROVIDERS, _RP.id == _AL.resource_provider_id)
    .group_by(_RP.uuid, _AL.resource_class_id)
)
_UNBACKED = (
    sa.select(sa.func.count())
    .select_from(ALLOCATIONS)
    .outerjoin(RESOURCE_PROVIDERS, _RP.id == _AL.resource_provider_id)
    .outerjoin(
        INVENTORIES,
        sa.and_(
            INVENTORIES.c.resource_provider_id == _AL.resource_provider_id,
            INVENTORIES.c.resource_class_id == _AL.resource_class_id,
        ),
    )
    .where(sa.or_(_RP.id.is_(None), INVENTORIES.c.id.is_(None)))
)
_EMPTY = (
    sa.select(sa.func.count())
    .select_from(CONSUMERS)
    .outerjoin(ALLOCATIONS, _AL.consumer_id == CONSUMERS.c.uuid)
    .where(_AL.id.is_(None))
)
_NAMELESS = (
    sa.select(sa.func.count(sa.distinct(_AL.consumer_id)))
    .outerjoin_from(ALLOCATIONS, CONSUMERS, CONSUMERS.c.uuid == _AL.consumer_id)
    .where(CONSUMERS.c.id.is_(None))
)
_UNBOOKED = (
    sa.select(sa.func.count())
    .select_from(ALLOCATIONS)
    .outerjoin(CONSUMERS, CONSUMERS.c.uuid == _AL.consumer_id)
    .outerjoin(PROJECTS, PROJECTS.c.id == CONSUMERS.c.project_id)
    .outerjoin(USERS, USERS.c.id == CONSUMERS.c.user_id)
    .where(sa.or_(PROJECTS.c.id.is_(None), USERS.c.id.is_(None)))
)
_DISTINCT = sa.select(sa.func.count()).select_from(
    sa.select(_AL.consumer_id, _AL.resource_provider_id, _AL.resource_class_id)
    .distinct()
    .subquery()
)
PAIRS = ((PROVIDER_TRAITS, "trait_id"), (PROVIDER_AGGREGATES, "aggregate_id"))
