"""Which traits, or which resource classes, there are just now."""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.naming import checked_symbol
from scheduler_lib.model.record import NameRecord
from scheduler_lib.store.moments import seconds
from scheduler_lib.store.names import CUSTOM, RemovableIds, insert_new
from scheduler_lib.store.prepared import Row, Statement
from scheduler_lib.store.session import Session


class Catalogue:
    """Names of one kind: standard ones, and those that were made.

    Whoever gives a name to a provider holds its row (:meth:`.names.RemovableIds.hold`), and whoever
    removes one locks it first: so no provider is left with a name that is gone.

    :param noun: what one is called.
    :param known: their ids.
    :param used: the column that names them where they are used.
    """

    def __init__(self, noun: str, known: RemovableIds, used: sa.Column[int]) -> None:
        self._noun = noun
        self._known = known
        table = known.table
        id_, name, removed_at = table.c.id, table.c.name, table.c.removed_at
        by_name = name == sa.bindparam("name")
        by_id = id_ == sa.bindparam("id_")
        modified = sa.func.coalesce(table.c.updated_at, table.c.created_at)
        is_used = sa.select(used).where(used == id_).correlate(table).exists()
        live = sa.select(name, modified).where(removed_at.is_(None)).order_by(id_)
        self._all = Statement(live)
        self._those_used = Statement(live.where(is_used))
        self._one = Statement(sa.select(id_, name, modified, removed_at).where(by_name))
        self._lock = Statement(
            sa.select(id_).where(by_name, removed_at.is_(None)).with_for_update()
        )
        self._use = Statement(sa.select(used).where(used == sa.bindparam("id_")).limit(1))
        self._insert = insert_new(
            sa.table(table.name, sa.column("name", sa.String), sa.column("created_at", sa.DateTime))
        )
        self._remove = Statement(
            sa.update(table).where(by_id).values(removed_at=sa.bindparam("now"))
        )

    def check_own(self, name: str) -> None:
        """Go on only with a name that may be made and removed.

        :raises InvalidRequest: for a standard name, and for what is no name.
        """
        checked_symbol(name, "name", InvalidRequest)
        if not name.startswith(CUSTOM):
            raise InvalidRequest(
                f"The {self._noun} {name} is not one of your own; these begin with {CUSTOM}.",
                field="name",
                value=name,
            )

    def records(self, session: Session, *, associated: bool | None = None) -> dict[str, NameRecord]:
        """Return what there is, by name: standard names first, then others as they were made.

        :param associated: whether it shall be used, or not.
        """
        found = {name: NameRecord(name) for name in sorted(self._known.standard())}
        for name, modified in session.rows(self._all):
            found[name] = NameRecord(name, seconds(modified))
        if associated is None:
            return found
        used = {row[0] for row in session.rows(self._those_used)}
        return {name: record for name, record in found.items() if (name in used) is associated}

    def record(self, session: Session, name: str) -> NameRecord | None:
        """Return one, if it exists."""
        row = self._row(session, name)
        if row is not None and row[3] is None:
            return NameRecord(name, seconds(row[2]))
        return NameRecord(name) if name in self._known.standard() else None

    def create(self, session: Session, name: str) -> tuple[NameRecord, bool]:
        """Make a name, if it is not there; whoever else does so at the same time finds it.

        :returns: the name, and whether it was made just now.
        """
        row = self._row(session, name)
        if row is not None and row[3] is None:
            return NameRecord(name, seconds(row[2])), False
        made = 0
        if row is None:
            written = {"name": name, "created_at": session.moment}
            made = session.run(self._insert[session.dialect_name], written).rowcount
        made = made or self._known.revive(session, [name])
        [row] = session.rows(self._one, {"name": name})
        return NameRecord(name, seconds(row[2])), bool(made)

    def lock(self, session: Session, name: str) -> int | None:
        """Lock a name of one's own and return its id; None when it does not exist.

        :raises InvalidRequest: for a standard name.
        """
        if name in self._known.standard():
            self.check_own(name)
        for row in session.rows(self._lock, {"name": name}):
            self.check_own(name)
            found: int = row[0]
            return found
        return None

    def is_used(self, session: Session, id_: int) -> bool:
        """Tell whether any provider has it."""
        return bool(session.rows(self._use, {"id_": id_}))

    def remove(self, session: Session, id_: int) -> None:
        """Take a locked name away; its id stays its own."""
        session.run(self._remove, {"id_": id_, "now": session.moment})

    def _row(self, session: Session, name: str) -> Row | None:
        return next(iter(session.rows(self._one, {"name": name})), None)
