"""Names of another database, written into ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from scheduler_lib.store.import_source import BATCH
from scheduler_lib.store.prepared import KeyedStatement
from scheduler_lib.store.schema import (
    CONSUMER_TYPES,
    PLACEMENT_AGGREGATES,
    PROJECTS,
    RESOURCE_CLASSES,
    TRAITS,
    USERS,
)
from scheduler_lib.store.session import Session

NAMED = {
    RESOURCE_CLASSES: "name",
    TRAITS: "name",
    PLACEMENT_AGGREGATES: "uuid",
    PROJECTS: "external_id",
    USERS: "external_id",
    CONSUMER_TYPES: "name",
}
_KNOWN = {
    table: KeyedStatement(
        lambda keys, table=table, column=column: sa.select(  # type: ignore[misc]
            table.c[column], table.c.id
        ).where(table.c[column].in_(keys))
    )
    for table, column in NAMED.items()
}
_REVIVE = {
    table: KeyedStatement(
        lambda keys, table=table: (  # type: ignore[misc]
            sa.update(table)
            .where(table.c.name.in_(keys), table.c.removed_at.is_not(None))
            .values(removed_at=sa.null())
        )
    )
    for table in (RESOURCE_CLASSES, TRAITS)
}


def copy_names(
    session: Session, table: sa.Table, rows: Sequence[tuple[Any, ...]]
) -> dict[int, int]:
    """Write names that are new, and bring back those that were removed.

    :param rows: the source's id, name, and times.
    :returns: our ids by the source's.
    """
    names = [row[1] for row in rows]
    if not names:
        return {}
    if table in _REVIVE:
        session.run_for(_REVIVE[table], names)
    known: dict[str, int] = dict(session.rows_of(_KNOWN[table], names))
    fresh = [
        {NAMED[table]: name, "created_at": created_at, "updated_at": updated_at}
        for _, name, created_at, updated_at in rows
        if name not in known
    ]
    for start in range(0, len(fresh), BATCH):
        session.core(sa.insert(table), fresh[start : start + BATCH])
    known.update(session.rows_of(_KNOWN[table], [row[NAMED[table]] for row in fresh]))
    return {row[0]: known[row[1]] for row in rows}
