"""A copy-on-write view: what-if, dry runs, and requests of several instances."""

from __future__ import annotations

from collections.abc import Hashable

from scheduler_lib.fleet.classes import StaticKey
from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.fleet.hostclass import HostClass
from scheduler_lib.fleet.state import State


class FleetView(Fleet):
    """A fleet as it was at one moment, with consumption and changes of its own.

    Making one costs nothing; a column is copied when one side first writes to it.

    :param base: the fleet, or the view, to start from.
    """

    def __init__(self, base: Fleet) -> None:
        self._base = base
        self._begin(base._state.branch(), base._accounting, base._default_zone)

    def hand_back(self) -> None:
        """Leave to the base what was worked out here, as far as it holds there.

        The caller holds the lock of the base.
        """
        self._base._answers.take(self._answers, self._base._state.versions)

    def _build(self, key: StaticKey) -> HostClass:
        kept = self._base._kept_class(key, self._state)
        if kept is None:
            return super()._build(key)
        members, seed = kept
        return HostClass(self._state, members, seed)

    def _inherited(self, key: Hashable, state: State) -> object | None:
        known = self._base._kept_answer(key, state)
        return self._base._inherited(key, state) if known is None else known
