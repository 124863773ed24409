"""Reports straight into the store: ``compute_nodes`` and the provider tree, one transaction."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from scheduler_lib.conf import capacity, database
from scheduler_lib.exceptions import ClientClosed
from scheduler_lib.model.capability import Capability
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.stats import HostStats
from scheduler_lib.report.base import HostRecord, HostRecords
from scheduler_lib.store.connections import Connections
from scheduler_lib.store.store import Store

if TYPE_CHECKING:
    from oslo_config.cfg import ConfigOpts


class DatabaseReport:
    """Writes reports to the configured database.

    :param conf: the options.
    :param connections: the stores this client has open.
    :param clock: what the time is read on.
    """

    def __init__(self, conf: ConfigOpts, connections: Connections, clock: Clock) -> None:
        self._conf = conf
        self._connections = connections
        self._clock = clock
        self._store: Store | None = None
        self._closed = False
        self._lock = threading.Lock()

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this backend promises; a database in memory lasts as long as its client."""
        kept = {Capability.READS_BACK, Capability.NESTED}
        if is_in_memory(database.settings(self._conf).connection):
            return frozenset(kept)
        return frozenset(kept | {Capability.DURABLE, Capability.SHARED})

    def update(
        self, context: object, name: ResourceName, stats: HostStats, *, deadline: Deadline
    ) -> None:
        """Create the host, or bring it up to date.

        :raises InvalidStats: for a trait or a resource class that nobody knows.
        :raises DuplicateHost: when the name belongs to another uuid, or the uuid to another name.
        :raises HostInUse: when a child or an inventory with allocations is no longer reported.
        """
        self._opened().hosts.report(name, stats, deadline)

    def get(self, context: object, name: ResourceName, *, deadline: Deadline) -> HostRecord:
        """Return what is known of one host.

        :raises HostNotFound: when it has never reported.
        """
        return self._opened().hosts.get(name, deadline)

    def list(self, context: object, *, deadline: Deadline) -> HostRecords:
        """Return what is known of every host, by name.

        :raises ClientClosed: after :meth:`close`.
        """
        return self._opened().hosts.list(deadline)

    def delete(self, context: object, name: ResourceName, *, deadline: Deadline) -> None:
        """Forget one host with everything below it.

        :raises HostNotFound: when it has never reported.
        :raises HostInUse: when it still holds allocations.
        """
        self._opened().hosts.delete(name, deadline)

    def close(self) -> None:
        """Let go; the connections are closed by whoever shares them."""
        with self._lock:
            self._closed = True
            self._store = None

    def _opened(self) -> Store:
        store = self._store
        if store is not None:
            return store
        with self._lock:
            if self._closed:
                raise ClientClosed("The backend 'db' is closed.")
            if self._store is None:
                self._store = self._connections.store(
                    database.settings(self._conf), capacity.settings(self._conf)
                )
            return self._store


def is_in_memory(connection: str) -> bool:
    """Tell whether a database's URL names SQLite's memory."""
    return connection in ("sqlite://", "sqlite:///:memory:") or "mode=memory" in connection
