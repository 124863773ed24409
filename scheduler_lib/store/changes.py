"""Rows of the feed: appended in the transaction they tell of, removed when they are old."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from scheduler_lib.model.clock import Clock
from scheduler_lib.store.prepared import Statement
from scheduler_lib.store.schema import CHANGES
from scheduler_lib.store.session import Session

_COLUMNS = ("provider_uuid", "kind", "created_at")
_INSERT = Statement(sa.insert(CHANGES).values({name: sa.bindparam(name) for name in _COLUMNS}))
_INSERT_MANY = sa.insert(CHANGES).returning(CHANGES.c.id)
_LAST_ID = Statement(sa.select(sa.func.last_insert_rowid()))
_FIRST_FRESH = Statement(
    sa.select(CHANGES.c.id)
    .where(CHANGES.c.created_at >= sa.bindparam("limit"))
    .order_by(CHANGES.c.id)
    .limit(1)
)
_NEWEST = Statement(sa.select(sa.func.max(CHANGES.c.id)))
_DELETE = Statement(sa.delete(CHANGES).where(CHANGES.c.id < sa.bindparam("bound")))


def append(session: Session, provider_uuids: Iterable[str], kind: int) -> tuple[int, ...]:
    """Append one row for each provider; return the rows' ids."""
    rows = [
        {"provider_uuid": uuid, "kind": kind, "created_at": session.now} for uuid in provider_uuids
    ]
    if not rows:
        return ()
    if session.dialect_name != "sqlite":
        ids = session.core(_INSERT_MANY, rows).scalars().all()
        return tuple(sorted(ids))  # type: ignore[arg-type]
    if len(rows) == 1:
        return (session.run(_INSERT, rows[0]).lastrowid or 0,)
    session.run_many(_INSERT, rows)
    # Nobody else can have written in between: SQLite has one writer.
    last: int = session.rows(_LAST_ID)[0][0]
    return tuple(range(last - len(rows) + 1, last + 1))


class Pruning:
    """Removes old rows of the feed, now and then, in a transaction that writes anyway.

    :param retention_s: how long rows are kept, in seconds.
    """

    def __init__(self, retention_s: float, clock: Clock) -> None:
        self._retention_s = retention_s
        self._clock = clock
        self._next = clock.monotonic() + self._pause_s

    @property
    def _pause_s(self) -> float:
        return min(self._retention_s / 4, 60.0)

    @property
    def is_due(self) -> bool:
        """Tell whether it is time to look."""
        return self._clock.monotonic() >= self._next

    def run(self, session: Session) -> None:
        """Remove what is old, if it is time to look."""
        if not self.is_due:
            return
        self._next = self._clock.monotonic() + self._pause_s
        prune(session, session.now - self._retention_s)


def prune(session: Session, limit: float) -> int:
    """Remove the rows written before a moment; the newest always stays, for readers to start from.

    :param limit: seconds since 1970 UTC.
    :returns: how many there were.
    """
    rows = session.rows(_FIRST_FRESH, {"limit": limit}) or session.rows(_NEWEST)
    return session.run(_DELETE, {"bound": rows[0][0]}).rowcount
