"""The feed: everything once, then only what changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import sqlalchemy as sa

from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.model.provider import (
    Change,
    Provider,
    ProviderChanged,
    ProviderRemoved,
    UsageChanged,
)
from scheduler_lib.store import loading
from scheduler_lib.store.database import Database
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import KeyedStatement, Row, Statement
from scheduler_lib.store.schema import CHANGES, INVENTORIES, RESOURCE_PROVIDERS
from scheduler_lib.store.schema.changes import SEED, USAGE
from scheduler_lib.store.session import Session

# A reader with more to catch up on is faster when it loads everything again.
MOST_CHANGES = 50_000
# How long an id that is missing may still turn up: a transaction that was given its id early and
# commits late. After that it was rolled back. No call's deadline is longer in practice.
GAP_PATIENCE_S = 120.0
# How far below the newest id a load looks for ids that may still turn up, and how many are asked.
GAP_WINDOW = 10_000
MOST_GAPS = 1_000

_COLUMNS = (CHANGES.c.id, CHANGES.c.provider_uuid, CHANGES.c.kind)
_SINCE = Statement(
    sa.select(*_COLUMNS)
    .where(CHANGES.c.id >= sa.bindparam("last"))
    .order_by(CHANGES.c.id)
    .limit(MOST_CHANGES + 1)
)
_SINCE_AND = KeyedStatement(
    lambda keys: (
        sa.select(*_COLUMNS)
        .where(sa.or_(CHANGES.c.id >= sa.bindparam("last"), CHANGES.c.id.in_(keys)))
        .order_by(CHANGES.c.id)
        .limit(MOST_CHANGES + 1)
    )
)
_NEWEST_IDS = Statement(sa.select(CHANGES.c.id).order_by(CHANGES.c.id.desc()).limit(GAP_WINDOW))
_NEWEST_ID = Statement(sa.select(sa.func.max(CHANGES.c.id)))
_USAGES = KeyedStatement(
    lambda keys: (
        sa.select(RESOURCE_PROVIDERS.c.uuid, INVENTORIES.c.resource_class_id, INVENTORIES.c.used)
        .join_from(
            RESOURCE_PROVIDERS,
            INVENTORIES,
            INVENTORIES.c.resource_provider_id == RESOURCE_PROVIDERS.c.id,
        )
        .where(RESOURCE_PROVIDERS.c.uuid.in_(keys))
    )
)


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a reader has come.

    :ivar last: the newest id it has seen.
    :ivar known: newer ids that it wrote itself and need not read.
    :ivar gaps: older ids that were missing, and since when (seconds, on the monotonic clock).
    """

    last: int
    known: frozenset[int] = frozenset()
    gaps: Mapping[int, float] = field(default_factory=dict)

    def seen(self, change_ids: Iterable[int]) -> Cursor:
        """Return the cursor of a reader that knows these changes: it made them itself."""
        known = {id_ for id_ in change_ids if id_ > self.last} | self.known
        last = self.last
        while last + 1 in known:
            last += 1
            known.remove(last)
        if last == self.last and known == self.known:
            return self
        return Cursor(last, frozenset(known), self.gaps)


@dataclass(frozen=True, slots=True)
class FeedBatch:
    """What changed since a cursor.

    :ivar changes: removals, then providers (parents before their children), then usages.
    :ivar cursor: where to go on.
    :ivar reload: the reader was away too long; it must load everything again.
    """

    changes: tuple[Change, ...]
    cursor: Cursor
    reload: bool = False


class Feed:
    """Reads providers: all of them, or those that changed."""

    def __init__(self, database: Database, names: Names, clock: Clock) -> None:
        self._database = database
        self._names = names
        self._clock = clock

    @contextmanager
    def load(self) -> Iterator[tuple[Cursor, Iterable[Provider]]]:
        """Lend everything: where to go on from, and every provider as it was at one moment.

        Providers come tree by tree, parents before their children, read as they are asked for.

        :raises BackendUnavailable: when the database does not answer.
        """
        with self._database.snapshot() as session:
            yield self._start(session), loading.everything(session, self._names)

    def changes(self, cursor: Cursor, deadline: Deadline) -> FeedBatch:
        """Return what changed since a cursor; one statement when nothing did.

        :raises BackendUnavailable: when the database does not answer.
        """
        deadline.check("reading the change feed")
        with self._database.reading() as session:
            if cursor.gaps:
                rows = session.rows_of(
                    _SINCE_AND, sorted(cursor.gaps)[-MOST_GAPS:], {"last": cursor.last}
                )
            else:
                rows = session.rows(_SINCE, {"last": cursor.last})  # type: ignore[assignment]
                if len(rows) == 1 and rows[0][0] == cursor.last:
                    return FeedBatch((), cursor)
            if len(rows) > MOST_CHANGES or all(row[0] != cursor.last for row in rows):
                return FeedBatch((), cursor, reload=True)
            fresh = {
                row[0]: row
                for row in rows
                if (row[0] > cursor.last or row[0] in cursor.gaps) and row[0] not in cursor.known
            }
            return FeedBatch(self._read(session, list(fresh.values())), self._advance(cursor, rows))

    def _start(self, session: Session) -> Cursor:
        newest: int = session.rows(_NEWEST_ID)[0][0]
        if self._database.is_sqlite:
            # One writer: ids are committed in order.
            return Cursor(newest)
        present = {row[0] for row in session.rows(_NEWEST_IDS)}
        first = max(newest - GAP_WINDOW + 1, min(present, default=newest))
        since = self._clock.monotonic()
        return Cursor(newest, gaps={i: since for i in range(first, newest) if i not in present})

    def _advance(self, cursor: Cursor, rows: list[Row]) -> Cursor:
        """Return the cursor after rows: newly missing ids become gaps, old gaps are given up."""
        moment = self._clock.monotonic()
        present: set[int] = {row[0] for row in rows}
        newest = max(present)
        gaps = {
            id_: since
            for id_, since in cursor.gaps.items()
            if id_ not in present and moment - since < GAP_PATIENCE_S
        }
        if not self._database.is_sqlite:
            missing = set(range(cursor.last + 1, newest)) - present - cursor.known
            gaps.update(dict.fromkeys(missing, moment))
        known = frozenset(id_ for id_ in cursor.known if id_ > newest)
        return Cursor(newest, known, gaps)

    def _read(self, session: Session, rows: list[Row]) -> tuple[Change, ...]:
        """Return the state, as it is by now, of what the rows name."""
        whole = dict.fromkeys(str(row[1]) for row in rows if row[2] not in (SEED, USAGE))
        filled = dict.fromkeys(
            str(row[1]) for row in rows if row[2] == USAGE and str(row[1]) not in whole
        )
        providers = loading.by_uuid(session, self._names, list(whole))
        found = {provider.uuid for provider in providers}
        removed = [ProviderRemoved(uuid) for uuid in whole if uuid not in found]
        changed = [ProviderChanged(provider) for provider in providers]
        return (*removed, *changed, *self._usages(session, list(filled)))

    def _usages(self, session: Session, uuids: list[str]) -> list[UsageChanged]:
        if not uuids:
            return []
        rows = session.rows_of(_USAGES, uuids)
        names = self._names.resource_classes.names(session, {row[1] for row in rows})
        return [UsageChanged(str(row[0]), names[row[1]], row[2]) for row in rows]
