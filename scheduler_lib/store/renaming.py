"""Renaming a resource class: all that stands under the old id moves to another one.

An id means one name for good, in every process that has read it; so the new name has its own.

Whoever changes what a consumer holds locks the consumer, reads ids of classes, and then waits for
the providers. So the consumers are locked as well: they must not go on with an id that is old.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from scheduler_lib.exceptions import ResourceClassExists
from scheduler_lib.store import changes, consumers, ledger
from scheduler_lib.store.catalogue import Catalogue
from scheduler_lib.store.class_names import not_found
from scheduler_lib.store.prepared import KeyedStatement, Statement
from scheduler_lib.store.schema import (
    ALLOCATIONS,
    CONSUMERS,
    INVENTORIES,
    RESOURCE_CLASSES,
    RESOURCE_PROVIDERS,
)
from scheduler_lib.store.schema.changes import PROVIDER
from scheduler_lib.store.session import Session
from scheduler_lib.store.transaction import Overtaken

_OLD = sa.bindparam("old_id", type_=sa.Integer())
_NEW = sa.bindparam("new_id", type_=sa.Integer())
_ID = Statement(
    sa.select(RESOURCE_CLASSES.c.id).where(RESOURCE_CLASSES.c.name == sa.bindparam("name"))
)
_PROVIDERS = Statement(
    sa.select(RESOURCE_PROVIDERS.c.uuid)
    .join_from(
        INVENTORIES,
        RESOURCE_PROVIDERS,
        RESOURCE_PROVIDERS.c.id == INVENTORIES.c.resource_provider_id,
    )
    .where(INVENTORIES.c.resource_class_id == _OLD)
)
_CONSUMERS = Statement(
    sa.select(ALLOCATIONS.c.consumer_id).where(ALLOCATIONS.c.resource_class_id == _OLD).distinct()
)
_LOCK_FREE = KeyedStatement(
    lambda keys: (
        sa.select(CONSUMERS.c.uuid)
        .where(CONSUMERS.c.uuid.in_(keys))
        .with_for_update(skip_locked=True)
    )
)
_MOVE = (
    Statement(
        sa.update(INVENTORIES)
        .where(INVENTORIES.c.resource_class_id == _OLD)
        .values(resource_class_id=_NEW, updated_at=sa.bindparam("now"))
    ),
    Statement(
        sa.update(ALLOCATIONS)
        .where(ALLOCATIONS.c.resource_class_id == _OLD)
        .values(resource_class_id=_NEW, updated_at=sa.bindparam("now"))
    ),
)


class Renaming:
    """Moves what stands under one class to another."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def run(self, session: Session, name: str, new_name: str) -> None:
        """Make the new class, move everything to it, and remove the old one.

        :raises ResourceClassNotFound: when there is no class of the old name.
        :raises ResourceClassExists: when there is one of the new name.
        """
        old_id, provider_uuids = self._lock(session, name)
        _, made = self._catalogue.create(session, new_name)
        if not made:
            raise ResourceClassExists(
                f"There is a resource class {new_name} already.", resource_class=new_name
            )
        new_id = session.rows(_ID, {"name": new_name})[0][0]
        given = {"old_id": old_id, "new_id": new_id, "now": session.moment}
        for statement in _MOVE:
            session.run(statement, given)
        self._catalogue.remove(session, old_id)
        changes.append(session, provider_uuids, PROVIDER)

    def _lock(self, session: Session, name: str) -> tuple[int, list[str]]:
        """Lock all that a class stands in; return its id and the providers that have it."""
        seen_id = next((row[0] for row in session.rows(_ID, {"name": name})), 0)
        holders = _uuids(session, _CONSUMERS, seen_id)
        # The order of everybody: consumers, providers, names.
        consumers.lock(session, holders)
        locked = ledger.lock(session, _uuids(session, _PROVIDERS, seen_id))
        old_id = self._catalogue.lock(session, name)
        if old_id is None:
            raise not_found(name)
        provider_uuids = _uuids(session, _PROVIDERS, old_id)
        if not locked.keys() >= set(provider_uuids):
            raise Overtaken
        _lock_new(session, sorted(set(_uuids(session, _CONSUMERS, old_id)).difference(holders)))
        return old_id, provider_uuids


def _uuids(session: Session, statement: Statement, class_id: int) -> list[str]:
    return sorted(row[0] for row in session.rows(statement, {"old_id": class_id}))


def _lock_new(session: Session, uuids: Sequence[str]) -> None:
    """Lock consumers that came while the providers were waited for; no more can come now.

    They are out of turn, so none is waited for: whoever has one may be waiting for a provider.
    """
    if session.dialect_name != "sqlite" and len(session.rows_of(_LOCK_FREE, uuids)) < len(uuids):
        raise Overtaken
