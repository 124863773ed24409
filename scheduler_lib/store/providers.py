"""Providers and their trees."""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.exceptions import ProviderNotFound
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.provider import Provider
from scheduler_lib.store import loading
from scheduler_lib.store.database import Database
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import Statement
from scheduler_lib.store.schema import RESOURCE_PROVIDERS
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
    """Reads providers."""

    def __init__(self, database: Database, names: Names) -> None:
        self._database = database
        self._names = names

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


def _find(session: Session, key: str) -> tuple[int, str]:
    for root_id, uuid in session.rows(_FIND, {"key": key}):
        return root_id, str(uuid)
    raise ProviderNotFound(f"There is no provider {key!r}.", provider=key)
