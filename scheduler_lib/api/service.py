"""What handlers work with: the books, and the fleet that is kept like them."""

from __future__ import annotations

from random import Random

from scheduler_lib.fleet.view import FleetView
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.model.settings import Accounting, PlacementSettings
from scheduler_lib.query.mirror import Mirror
from scheduler_lib.store.store import Store

# Zones matter to the scheduler only.
_ZONE = "nova"


class Service:
    """The books, opened, and the fleet of this process.

    :param store: the books; closed with :meth:`close`.
    :param settings: how candidates are chosen and calls are bounded.
    :param random: where random choices begin.
    """

    def __init__(
        self, store: Store, settings: PlacementSettings, clock: Clock, random: Random
    ) -> None:
        self.store = store
        self.settings = settings
        self.clock = clock
        self.random = random
        self.mirror = Mirror(store, Accounting.ALLOCATIONS, _ZONE)

    def open(self) -> None:
        """Connect to the database; opening an open service does nothing.

        :raises SchedulerLibError: when the database cannot be used.
        """
        self.store.open()

    def deadline(self) -> Deadline:
        """Return when a request that begins now must be answered."""
        return Deadline.after(self.settings.call_timeout_s, self.clock)

    def fleet(self, deadline: Deadline) -> FleetView:
        """Return a view of the fleet, with all that was committed before this call.

        :raises BackendUnavailable: when the database does not answer.
        """
        fleet = self.mirror.refreshed(self.mirror.ticket(), deadline)
        with self.mirror.lock:
            return fleet.view()

    def keep(self, view: FleetView) -> None:
        """Keep what was worked out on a view of the fleet, for the views that come after it."""
        with self.mirror.lock:
            view.hand_back()

    def close(self) -> None:
        """Disconnect."""
        self.store.close()
