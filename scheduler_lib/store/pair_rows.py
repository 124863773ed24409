"""Rows of pairs: which provider has which trait, and is in which aggregate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from scheduler_lib.store.names import Ids
from scheduler_lib.store.prepared import KeyedStatement, Statement
from scheduler_lib.store.schema import PROVIDER_AGGREGATES, PROVIDER_TRAITS
from scheduler_lib.store.session import Session


class Pairs:
    """One table of pairs.

    :param column: its column with the ids of names.
    :ivar column: the same.
    """

    def __init__(self, column: sa.Column[int]) -> None:
        table, provider_id = column.table, column.table.c.resource_provider_id
        self.column = column
        self._read = KeyedStatement(
            lambda keys: sa.select(provider_id, column).where(provider_id.in_(keys))
        )
        written = ("resource_provider_id", column.name, "created_at")
        values: dict[str, sa.BindParameter[object]] = {n: sa.bindparam(n) for n in written}
        self._insert = Statement(sa.insert(table).values(values))
        self._delete = Statement(
            sa.delete(table).where(
                provider_id == sa.bindparam("provider_id"), column == sa.bindparam("name_id")
            )
        )

    def read(
        self, session: Session, known: Ids, provider_ids: Sequence[int]
    ) -> dict[int, set[str]]:
        """Return the names that providers have, by provider id."""
        rows = session.rows_of(self._read, provider_ids)
        names = known.names(session, {row[1] for row in rows})
        found: dict[int, set[str]] = defaultdict(set)
        for provider_id, name_id in rows:
            found[provider_id].add(names[name_id])
        return found

    def ids(self, session: Session, provider_id: int) -> set[int]:
        """Return the ids of the names that one provider has."""
        return {row[1] for row in session.rows_of(self._read, [provider_id])}

    def add(self, session: Session, pairs: Iterable[tuple[int, int]]) -> None:
        """Write pairs of provider id and name id that are not there yet."""
        moment = session.moment
        rows = [
            {"resource_provider_id": provider_id, self.column.name: name_id, "created_at": moment}
            for provider_id, name_id in pairs
        ]
        session.run_many(self._insert, rows)

    def remove(self, session: Session, pairs: Iterable[tuple[int, int]]) -> None:
        """Remove pairs of provider id and name id."""
        rows = [{"provider_id": provider_id, "name_id": name_id} for provider_id, name_id in pairs]
        session.run_many(self._delete, rows)


TRAIT_PAIRS = Pairs(PROVIDER_TRAITS.c.trait_id)
AGGREGATE_PAIRS = Pairs(PROVIDER_AGGREGATES.c.aggregate_id)
