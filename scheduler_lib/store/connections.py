"""The databases of one client: each opened once, whoever asks for it."""

from __future__ import annotations

import threading

from scheduler_lib.model.clock import Clock
from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings
from scheduler_lib.store.store import Store


class Connections:
    """Lends stores; backends that name the same database share one.

    :param clock: what time it is.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._stores: dict[tuple[DatabaseSettings, CapacitySettings], Store] = {}

    def store(self, settings: DatabaseSettings, capacity: CapacitySettings) -> Store:
        """Return the open store of a database.

        :raises InvalidConfiguration: when the settings cannot work.
        :raises SchemaMismatch: when the database belongs to another version.
        :raises BackendUnavailable: when it does not answer.
        """
        key = (settings, capacity)
        with self._lock:
            store = self._stores.get(key)
            if store is None:
                store = self._stores[key] = Store(settings, capacity, self._clock)
        return store.open()

    def close(self) -> None:
        """Close every store that was lent."""
        with self._lock:
            stores, self._stores = list(self._stores.values()), {}
        for store in stores:
            store.close()
