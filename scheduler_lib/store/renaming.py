"""Renaming a resource class: all that stands under the old id moves to another one.

An id means one name for good, in every process that has read it; so the new name has its own.
"""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.exceptions import ResourceClassExists
from scheduler_lib.store import changes, consumers, ledger
from scheduler_lib.store.catalogue import Catalogue
from scheduler_lib.store.class_names import not_found
from scheduler_lib.store.prepared import Statement
from scheduler_lib.store.schema import (
    ALLOCATIONS,
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
        users = self._users(session, name)
        # The order of everybody: consumers, providers, names.
        consumers.lock(session, users[0])
        ledger.lock(session, users[1])
        old_id = self._catalogue.lock(session, name)
        if old_id is None:
            raise not_found(name)
        if self._users(session, name) != users:
            raise Overtaken
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
        changes.append(session, users[1], PROVIDER)

    def _users(self, session: Session, name: str) -> tuple[list[str], list[str]]:
        """Return the consumers that hold some of a class, and the providers that have it."""
        found = session.rows(_ID, {"name": name})
        given = {"old_id": found[0][0]} if found else {"old_id": 0}
        return (
            sorted(row[0] for row in session.rows(_CONSUMERS, given)),
            sorted(row[0] for row in session.rows(_PROVIDERS, given)),
        )
