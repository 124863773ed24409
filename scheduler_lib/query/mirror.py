"""The fleet in memory, kept like the books in the store."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from scheduler_lib.exceptions import ProviderNotFound
from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.allocation import Receipt
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.provider import Provider, ProviderChanged, ProviderRemoved, UsageChanged
from scheduler_lib.model.settings import Accounting

if TYPE_CHECKING:
    from scheduler_lib.store.feed import Cursor
    from scheduler_lib.store.store import Store


class Mirror:
    """One fleet, and where in the change feed it stands.

    Hold ``lock`` while reading the fleet; the methods take it themselves.

    :param store: the books.
    :param accounting: which numbers say how full a host is.
    :param default_zone: the zone of hosts that name none.
    :ivar lock: held by whoever reads or changes the fleet.
    """

    def __init__(self, store: Store, accounting: Accounting, default_zone: str) -> None:
        self.lock = threading.RLock()
        self._store = store
        self._accounting = accounting
        self._default_zone = default_zone
        self._fleet: Fleet | None = None
        self._cursor: Cursor | None = None
        self._begun = 0
        self._done = 0
        # Provider uuid to the newest of its changes that was applied from a receipt.
        self._newest: dict[str, int] = {}

    def ticket(self) -> int:
        """Return a mark of this moment, for :meth:`refreshed`."""
        return self._begun

    def refreshed(self, ticket: int, deadline: Deadline) -> Fleet:
        """Return the fleet, no older than the moment of the ticket.

        Threads that queue here share one look at the feed, if it began after they came.

        :raises BackendUnavailable: when the store does not answer.
        """
        with self.lock:
            if self._fleet is not None and self._done > ticket:
                return self._fleet
            self._begun += 1
            number = self._begun
            fleet = self._loaded() if self._fleet is None else self._caught_up(deadline)
            self._done = number
            return fleet

    def booked(self, receipt: Receipt) -> None:
        """Take over what a claim or a release of this process has written.

        Receipts may come in another order than the store wrote them; each provider keeps what was
        written last.
        """
        with self.lock:
            if self._fleet is None or self._cursor is None or not receipt.change_ids:
                return
            newest = max(receipt.change_ids)
            if not _has_seen(self._cursor, newest):
                usages = [
                    UsageChanged(usage.provider_uuid, usage.resource_class, usage.used)
                    for usage in receipt.usages
                    if self._newest.get(usage.provider_uuid, 0) < newest
                ]
                self._fleet.apply(usages)
                self._newest.update((usage.provider_uuid, newest) for usage in usages)
            self._cursor = self._cursor.seen(receipt.change_ids)

    def consumed(self, amounts: Iterable[tuple[str, str, int]]) -> None:
        """Add to what is used, until the hosts' next reports.

        :param amounts: provider uuid, resource class and units.
        """
        with self.lock:
            if self._fleet is not None:
                self._fleet.consume(amounts)

    def reread(self, provider_uuid: str, deadline: Deadline) -> None:
        """Read one provider again: what the store just said of it is not what the fleet shows."""
        with self.lock:
            if self._fleet is None:
                return
            try:
                self._fleet.apply(
                    [ProviderChanged(self._store.providers.get(provider_uuid, deadline))]
                )
            except ProviderNotFound:
                self._fleet.apply([ProviderRemoved(provider_uuid)])

    def _loaded(self) -> Fleet:
        # A fleet that was away too long is read anew in place: somebody may be choosing from it.
        fleet = self._fleet or Fleet(self._accounting, self._default_zone)
        known = set(fleet.state.rows.row_of) if self._fleet is not None else set()
        with self._store.feed.load() as (cursor, providers):
            fleet.apply(_noted(providers, known))
        fleet.apply(ProviderRemoved(uuid) for uuid in sorted(known))
        self._fleet, self._cursor = fleet, cursor
        self._newest.clear()
        return fleet

    def _caught_up(self, deadline: Deadline) -> Fleet:
        if self._fleet is None or self._cursor is None:
            return self._loaded()
        batch = self._store.feed.changes(self._cursor, deadline)
        if batch.reload:
            return self._loaded()
        self._fleet.apply(batch.changes)
        self._cursor = batch.cursor
        return self._fleet


def _noted(providers: Iterable[Provider], gone: set[str]) -> Iterator[ProviderChanged]:
    """Yield the providers as changes, and leave in ``gone`` those that do not come."""
    for provider in providers:
        gone.discard(provider.uuid)
        yield ProviderChanged(provider)


def _has_seen(cursor: Cursor, change_id: int) -> bool:
    if change_id > cursor.last:
        return change_id in cursor.known
    return change_id not in cursor.gaps
