"""Allocations: rows of who holds how much of which inventory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from scheduler_lib.store.prepared import KeyedStatement, Statement
from scheduler_lib.store.schema import ALLOCATIONS, RESOURCE_PROVIDERS
from scheduler_lib.store.session import Session

_HELD = KeyedStatement(
    lambda keys: (
        sa.select(
            ALLOCATIONS.c.consumer_id,
            RESOURCE_PROVIDERS.c.uuid,
            ALLOCATIONS.c.resource_class_id,
            ALLOCATIONS.c.used,
        )
        .join_from(
            ALLOCATIONS,
            RESOURCE_PROVIDERS,
            RESOURCE_PROVIDERS.c.id == ALLOCATIONS.c.resource_provider_id,
        )
        .where(ALLOCATIONS.c.consumer_id.in_(keys))
    )
)
_WRITTEN = ("consumer_id", "resource_provider_id", "resource_class_id", "used", "created_at")
_INSERT = Statement(sa.insert(ALLOCATIONS).values({name: sa.bindparam(name) for name in _WRITTEN}))
_DELETE = KeyedStatement(
    lambda keys: sa.delete(ALLOCATIONS).where(ALLOCATIONS.c.consumer_id.in_(keys))
)
_CONSUMERS_OF = KeyedStatement(
    lambda keys: (
        sa.select(ALLOCATIONS.c.consumer_id, RESOURCE_PROVIDERS.c.uuid)
        .join_from(
            ALLOCATIONS,
            RESOURCE_PROVIDERS,
            RESOURCE_PROVIDERS.c.id == ALLOCATIONS.c.resource_provider_id,
        )
        .where(RESOURCE_PROVIDERS.c.uuid.in_(keys))
        .distinct()
        .order_by(ALLOCATIONS.c.consumer_id)
    )
)


class Amount(NamedTuple):
    """What one consumer holds, or asks, of one inventory, in whole units."""

    consumer_uuid: str
    provider_uuid: str
    class_id: int
    used: int


def held_by(session: Session, consumer_uuids: Sequence[str]) -> list[Amount]:
    """Return everything that consumers hold."""
    if not consumer_uuids:
        return []
    return [Amount(*row) for row in session.rows_of(_HELD, consumer_uuids)]


def consumers_of(session: Session, provider_uuids: Sequence[str]) -> list[tuple[str, str]]:
    """Return who holds anything of providers: pairs of consumer and provider."""
    return [(str(c), str(p)) for c, p in session.rows_of(_CONSUMERS_OF, provider_uuids)]


def insert(session: Session, amounts: Iterable[Amount], provider_ids: Mapping[str, int]) -> None:
    """Write what consumers hold from now on."""
    moment = session.moment
    rows = [
        {
            "consumer_id": amount.consumer_uuid,
            "resource_provider_id": provider_ids[amount.provider_uuid],
            "resource_class_id": amount.class_id,
            "used": amount.used,
            "created_at": moment,
        }
        for amount in amounts
    ]
    session.run_many(_INSERT, rows)


def delete(session: Session, consumer_uuids: Sequence[str]) -> None:
    """Remove everything that consumers hold."""
    session.run_for(_DELETE, consumer_uuids)
