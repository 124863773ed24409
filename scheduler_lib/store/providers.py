"""Providers and their trees."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from scheduler_lib.exceptions import (
    InvalidRequest,
    ProviderHasChildren,
    ProviderInUse,
    ProviderNotFound,
)
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.naming import MAX_NAME_LENGTH, checked_uuid, shortened
from scheduler_lib.model.provider import Provider
from scheduler_lib.model.record import ProviderRecord
from scheduler_lib.store import changes, compute_nodes, loading, moving, provider_rows, tree_rows
from scheduler_lib.store.database import Database
from scheduler_lib.store.moving import KEEP, Keep
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import Statement
from scheduler_lib.store.schema import RESOURCE_PROVIDERS
from scheduler_lib.store.schema.changes import PROVIDER, REMOVED
from scheduler_lib.store.session import Session

_FIND = Statement(
    sa.select(RESOURCE_PROVIDERS.c.root_provider_id, RESOURCE_PROVIDERS.c.uuid)
    .where(
        sa.or_(
            RESOURCE_PROVIDERS.c.uuid == sa.bindparam("key"),
            RESOURCE_PROVIDERS.c.name == sa.bindparam("key"),
        )
    )
    # A provider may be named like another's uuid: the uuid means the provider it belongs to.
    .order_by(sa.case((RESOURCE_PROVIDERS.c.uuid == sa.bindparam("key"), 0), else_=1))
    .limit(1)
)


class Providers:
    """Reads and writes providers."""

    def __init__(self, database: Database, names: Names, pruning: changes.Pruning) -> None:
        self._database = database
        self._names = names
        self._pruning = pruning

    def get(self, key: str, deadline: Deadline) -> Provider:
        """Return one provider.

        :param key: its uuid, or its name.
        :raises ProviderNotFound: when there is none.
        """
        deadline.check("reading a provider")
        with self._database.snapshot() as session:
            _, uuid = _find(session, key)
            return loading.by_uuid(session, self._names, [uuid])[0]

    def tree(self, key: str, deadline: Deadline) -> tuple[Provider, ...]:
        """Return the whole tree a provider belongs to, root first.

        :param key: the uuid or the name of any provider in it.
        :raises ProviderNotFound: when there is none.
        """
        deadline.check("reading a provider tree")
        with self._database.snapshot() as session:
            root_id, _ = _find(session, key)
            return tuple(loading.by_root(session, self._names, [root_id]))

    def record(self, uuid: str, deadline: Deadline) -> ProviderRecord:
        """Return one provider, without what it has.

        :raises ProviderNotFound: when there is none of that uuid.
        """
        deadline.check("reading a provider")
        with self._database.reading() as session:
            return provider_rows.record(session, uuid)

    def records(
        self,
        deadline: Deadline,
        *,
        uuid: str | None = None,
        name: str | None = None,
        in_tree: str | None = None,
        uuids: Sequence[str] | None = None,
    ) -> list[ProviderRecord]:
        """Return the providers that pass every filter that is given, in the order they were made.

        :param in_tree: the uuid of any provider of the tree they shall be in.
        :param uuids: the uuids they shall be among; a statement for each thousand.
        """
        deadline.check("listing providers")
        with self._database.snapshot() as session:
            return provider_rows.records(
                session, uuid=uuid, name=name, in_tree=in_tree, uuids=uuids
            )

    def create(
        self, uuid: str, name: str, parent_uuid: str | None, deadline: Deadline
    ) -> ProviderRecord:
        """Make a provider that has nothing yet, at generation 0.

        :raises InvalidRequest: when it would be its own parent, or for what is no uuid or name.
        :raises ProviderNotFound: when the parent is not there.
        :raises DuplicateProvider: when the uuid or the name is taken; `field` says which.
        """
        uuid = checked_uuid(uuid, "uuid", InvalidRequest)
        _check_name(name)
        if parent_uuid == uuid:
            raise InvalidRequest(
                f"Provider {uuid} cannot be its own parent.", field="parent_provider_uuid"
            )

        def work(session: Session) -> ProviderRecord:
            # The parent stays where it is, and is not deleted, until the child is there.
            parent = None if parent_uuid is None else provider_rows.lock(session, parent_uuid)
            provider_rows.check_free(session, uuid, name)
            provider_rows.insert(session, uuid, name, parent)
            return self._told(session, uuid, (uuid,))

        return self._database.write(work, deadline, "making a provider")

    def update(
        self,
        uuid: str,
        name: str,
        deadline: Deadline,
        *,
        parent_uuid: str | Keep | None = KEEP,
        reparent: bool,
    ) -> ProviderRecord:
        """Rename a provider, and hang it elsewhere with all that is under it.

        The generation stays. What is so already is not written.

        :param parent_uuid: where it shall hang; None makes it a root, KEEP leaves it where it is.
        :param reparent: whether one that has a parent may be moved.
        :raises ProviderNotFound: when the provider, or the parent, is not there; for the parent
            `field` is ``parent_provider_uuid``.
        :raises InvalidRequest: when it may not be moved, or not there, or for what is no name.
        :raises DuplicateProvider: when the name is taken.
        """
        _check_name(name)

        def work(session: Session) -> ProviderRecord:
            moved: Sequence[str] = ()
            if parent_uuid is not KEEP:
                moved = moving.move(session, uuid, parent_uuid, reparent=reparent)
            head = provider_rows.lock(session, uuid)
            renamed = provider_rows.check_name(session, head, name)
            if renamed:
                provider_rows.rename(session, head, name)
            return self._told(session, uuid, moved or ((uuid,) if renamed else ()))

        return self._database.write(work, deadline, "changing a provider")

    def delete(self, uuid: str, deadline: Deadline) -> None:
        """Remove a provider with all it has; with the compute node, if it is the root of one.

        :raises ProviderNotFound: when there is none.
        :raises ProviderHasChildren: when others hang under it.
        :raises ProviderInUse: when anything of it is allocated.
        """

        def work(session: Session) -> None:
            # Reports lock the compute node before its providers; so does this.
            compute_nodes.lock_uuid(session, uuid)
            head = provider_rows.lock(session, uuid)
            if provider_rows.has_children(session, head):
                raise ProviderHasChildren(
                    f"Other providers hang under provider {uuid}.", provider=uuid
                )
            if provider_rows.has_allocations(session, head):
                raise ProviderInUse(f"Provider {uuid} still has allocations.", provider=uuid)
            tree_rows.remove(session, [head.id])
            compute_nodes.delete(session, [uuid])
            changes.append(session, [uuid], REMOVED)
            self._pruning.run(session)

        self._database.write(work, deadline, "deleting a provider")

    def _told(self, session: Session, uuid: str, changed: Sequence[str]) -> ProviderRecord:
        changes.append(session, changed, PROVIDER)
        self._pruning.run(session)
        return provider_rows.record(session, uuid)


def _check_name(name: str) -> None:
    """Go on only with a name that every database can keep."""
    try:
        fits = 0 < len(name) <= MAX_NAME_LENGTH and b"\0" not in name.encode()
    except UnicodeEncodeError:
        fits = False
    if not fits:
        raise InvalidRequest(
            f"A provider's name has 1 to {MAX_NAME_LENGTH} characters, unlike {shortened(name)}.",
            field="name",
            value=shortened(name),
        )


def _find(session: Session, key: str) -> tuple[int, str]:
    for root_id, uuid in session.rows(_FIND, {"key": key}):
        return root_id, str(uuid)
    raise ProviderNotFound(f"There is no provider {key!r}.", provider=key)
