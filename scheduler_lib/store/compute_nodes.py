"""Rows of compute nodes: read under their locks, and written whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import sqlalchemy as sa

from scheduler_lib.store.derivation import Columns
from scheduler_lib.store.prepared import KeyedStatement, Statement
from scheduler_lib.store.schema import COMPUTE_NODES
from scheduler_lib.store.session import Session

IDENTITY = ("uuid", "host", "hypervisor_hostname")
_BOOKKEEPING = ("id", "created_at", "updated_at", "deleted_at", "deleted")
REPORTED = tuple(c.name for c in COMPUTE_NODES.c if c.name not in (*IDENTITY, *_BOOKKEEPING))
_FLAGS = tuple(c.name for c in COMPUTE_NODES.c if isinstance(c.type, sa.Boolean))

_READ = tuple(COMPUTE_NODES.c[name] for name in (*IDENTITY, *REPORTED))
_LOCK_BY_NODE = KeyedStatement(
    lambda keys: (
        sa.select(*_READ)
        .where(COMPUTE_NODES.c.hypervisor_hostname.in_(keys))
        .order_by(COMPUTE_NODES.c.id)
        .with_for_update()
    )
)
_NAMES_BY_UUID = KeyedStatement(
    lambda keys: sa.select(
        COMPUTE_NODES.c.uuid, COMPUTE_NODES.c.host, COMPUTE_NODES.c.hypervisor_hostname
    ).where(COMPUTE_NODES.c.uuid.in_(keys))
)
_LOCK_UUID = Statement(
    sa.select(COMPUTE_NODES.c.id)
    .where(COMPUTE_NODES.c.uuid == sa.bindparam("uuid"))
    .with_for_update()
)


def _values(*names: str) -> dict[str, sa.BindParameter[object]]:
    return {name: sa.bindparam(name) for name in names}


_INSERT = Statement(
    sa.insert(COMPUTE_NODES).values(
        {**_values(*IDENTITY, *REPORTED, "created_at"), "deleted": sa.literal_column("0")}
    )
)
_UPDATE = Statement(
    sa.update(COMPUTE_NODES)
    .where(COMPUTE_NODES.c.uuid == sa.bindparam("uuid_"))
    .values(_values(*REPORTED, "updated_at"))
)
_DELETE = KeyedStatement(
    lambda keys: sa.delete(COMPUTE_NODES).where(COMPUTE_NODES.c.uuid.in_(keys))
)


def lock(session: Session, nodes: Sequence[str]) -> list[Columns]:
    """Lock and return the rows of these nodes, whichever host they are on."""
    rows = session.rows_of(_LOCK_BY_NODE, sorted(set(nodes)))
    found = [dict(zip((*IDENTITY, *REPORTED), row, strict=True)) for row in rows]
    for columns in found:
        for name in _FLAGS:
            if columns[name] is not None:
                columns[name] = bool(columns[name])
    return found


def lock_uuid(session: Session, uuid: str) -> None:
    """Lock the row of this uuid, if there is one."""
    if session.dialect_name != "sqlite":
        session.rows(_LOCK_UUID, {"uuid": uuid})


def names_by_uuid(session: Session, uuids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return host and node of the rows that have these uuids."""
    if not uuids:
        return {}
    return {str(u): (str(h), str(n)) for u, h, n in session.rows_of(_NAMES_BY_UUID, uuids)}


def insert(session: Session, rows: Iterable[Mapping[str, object]]) -> None:
    """Write rows that are new."""
    blank = dict.fromkeys(REPORTED)
    moment = session.moment
    session.run_many(_INSERT, [{**blank, **row, "created_at": moment} for row in rows])


def update(session: Session, rows: Iterable[Mapping[str, object]]) -> None:
    """Write rows that are there."""
    moment = session.moment
    session.run_many(
        _UPDATE,
        [{**row, "uuid_": row["uuid"], "updated_at": moment} for row in rows],
    )


def delete(session: Session, uuids: Sequence[str]) -> None:
    """Remove rows."""
    session.run_for(_DELETE, uuids)
