"""The traits, or the aggregates, of one provider: read as a record, and replaced."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa

from scheduler_lib.model.record import NamesRecord
from scheduler_lib.store import changes
from scheduler_lib.store.moments import latest
from scheduler_lib.store.names import Ids
from scheduler_lib.store.pair_rows import Pairs
from scheduler_lib.store.prepared import Statement
from scheduler_lib.store.provider_rows import Head, not_found
from scheduler_lib.store.schema import RESOURCE_PROVIDERS
from scheduler_lib.store.schema.changes import PROVIDER
from scheduler_lib.store.session import Session


class ProviderNames:
    """Names of one kind that providers have.

    :param pairs: which provider has which.
    :param known: the ids of the names.
    """

    def __init__(self, pairs: Pairs, known: Ids) -> None:
        self._pairs = pairs
        self._known = known
        table = pairs.column.table
        self._record = Statement(
            sa.select(RESOURCE_PROVIDERS.c.generation, pairs.column, table.c.created_at)
            .outerjoin_from(
                RESOURCE_PROVIDERS,
                table,
                table.c.resource_provider_id == RESOURCE_PROVIDERS.c.id,
            )
            .where(RESOURCE_PROVIDERS.c.uuid == sa.bindparam("uuid"))
        )

    def record(self, session: Session, provider_uuid: str) -> NamesRecord:
        """Return what one provider has.

        :raises ProviderNotFound: when there is no such provider.
        """
        rows = session.rows(self._record, {"uuid": provider_uuid})
        if not rows:
            raise not_found(provider_uuid)
        paired = [row for row in rows if row[1] is not None]
        names = self._known.names(session, (row[1] for row in paired))
        return NamesRecord(
            generation=rows[0][0],
            names=tuple(sorted(names.values())),
            modified_at=latest(row[2] for row in paired),
        )

    def replace(self, session: Session, head: Head, ids: Mapping[str, int]) -> bool:
        """Give a locked provider these names, and no others; tell whether it had others.

        :param ids: of the names.
        """
        before = self._pairs.ids(session, head.id)
        after = set(ids.values())
        self._pairs.remove(session, ((head.id, id_) for id_ in sorted(before - after)))
        self._pairs.add(session, ((head.id, id_) for id_ in sorted(after - before)))
        if before != after:
            changes.append(session, [head.uuid], PROVIDER)
        return before != after
