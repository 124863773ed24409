"""The hosts that are still in the running, as columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.fleet.hostclass import HostClass
from scheduler_lib.fleet.versions import STRUCTURE
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.scheduling.demand import Demand

IntArray = npt.NDArray[np.signedinteger]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


class Shortlist:
    """Some hosts of one static class, in (host, node) order.

    Every array is by index into the shortlist; callers do not write to them.

    :param fleet: where the hosts stand.
    :param hosts: the static class they come from.
    :param demand: what has been asked lately, for weighers that look ahead.
    :param positions: which of its hosts, ascending; None for all of them.
    """

    def __init__(
        self,
        fleet: Fleet,
        hosts: HostClass,
        demand: Demand,
        positions: IntArray | None = None,
    ) -> None:
        self.fleet = fleet
        self.demand = demand
        self._hosts = hosts
        self._positions = positions

    def __len__(self) -> int:
        return len(self._hosts) if self._positions is None else len(self._positions)

    def keep(self, mask: BoolArray) -> Shortlist:
        """Return the shortlist of those for which the mask (by index) is true."""
        if mask.all():
            return self
        kept = np.flatnonzero(mask)
        return self._at(kept if self._positions is None else self._positions[kept])

    def only(self, index: int) -> Shortlist:
        """Return the shortlist of one host alone."""
        return _Alone(self.fleet, self._hosts, self.demand, np.array([self.position(index)]))

    def first(self, limit: int) -> Shortlist:
        """Return the shortlist of the first hosts, at most that many."""
        if limit >= len(self):
            return self
        every = np.arange(len(self._hosts)) if self._positions is None else self._positions
        return self._at(every[:limit])

    def _at(self, positions: IntArray) -> Shortlist:
        return Shortlist(self.fleet, self._hosts, self.demand, positions)

    def position(self, index: int) -> int:
        """Return the host's position in its static class."""
        return index if self._positions is None else int(self._positions[index])

    @property
    def rows(self) -> npt.NDArray[np.integer]:
        """Root provider rows."""
        rows = self._hosts.rows
        return rows if self._positions is None else rows[self._positions]

    def row(self, index: int) -> int:
        """Return one host's root provider row."""
        return int(self._hosts.rows[self.position(index)])

    def name(self, index: int) -> ResourceName:
        """Return one host's name."""
        return self._hosts.host(self.position(index))

    def uuid(self, index: int) -> str:
        """Return the uuid of one host's root provider."""
        return self._hosts.uuid(self.position(index))

    def zone(self, index: int) -> str:
        """Return one host's availability zone."""
        return self._hosts.zone(self.position(index))

    def indices_of(self, rows: npt.NDArray[np.int32]) -> IntArray:
        """Return the indices of the hosts with these root rows; others are left out."""
        positions = self._hosts.positions(rows).astype(np.int64)
        if self._positions is None:
            return positions
        return np.flatnonzero(np.isin(self._positions, positions))

    def free(self, resource_class: str) -> IntArray:
        """Return capacity less usage of the roots' own inventories; -1 where there is none."""
        return self._taken(self._hosts.free(resource_class))

    def capacity(self, resource_class: str) -> IntArray:
        """Return the capacity of the roots' own inventories; -1 where there is none."""
        return self._taken(self._hosts.capacity(resource_class))

    def free_at(self, index: int, resource_class: str) -> int:
        """Return what one root's own inventory has left; -1 when it has none."""
        return self.cell_at("free", index, resource_class)

    def cell_at(self, column: str, index: int, resource_class: str) -> int:
        """Return one number of one host, as it is now, without bringing a whole column up to date.

        :param column: ``free``, ``capacity`` or ``spare``.
        """
        stock = self.fleet.stock(resource_class)
        slot = -1 if stock is None else stock.slot(self.row(index))
        return -1 if stock is None or slot < 0 else stock.cell(column, slot)

    def capacity_at(self, index: int, resource_class: str) -> int:
        """Return the capacity of one root's own inventory; -1 when it has none."""
        return int(self._hosts.capacity(resource_class)[self.position(index)])

    def spare(self, resource_class: str) -> IntArray:
        """Return total less reserved less usage, the ratio not counted; -1 where there is none."""
        return self._taken(self._hosts.spare(resource_class))

    def tree_free(self, resource_class: str) -> IntArray:
        """Return what is free in each host's whole tree; 0 where there is none."""
        stock = self.fleet.stock(resource_class)
        if stock is None or stock.nested:
            free: IntArray = self.tree_sums(resource_class, "free")[self.rows]
            return free
        return np.maximum(self.free(resource_class), 0)

    def largest_tree(self, resource_class: str) -> int:
        """Return the capacity of the largest tree of the whole fleet; 0 where there is none."""
        return self.fleet.answer(
            ("largest tree", resource_class),
            (STRUCTURE, f"shape:{resource_class}"),
            lambda: int(self.tree_sums(resource_class, "capacity").max(initial=0)),
        )

    def tree_sums(self, resource_class: str, column: str) -> IntArray:
        """Return the units of each tree of the whole fleet, by root row.

        :param column: ``free`` or ``capacity``.
        """
        roots = self.fleet.state.rows.root
        stock = self.fleet.stock(resource_class)
        if stock is None:
            return np.zeros(len(roots), dtype=np.int64)
        there = stock.rows >= 0
        units = np.maximum(stock.free if column == "free" else stock.capacity, 0)[there]
        sums = np.bincount(roots[stock.rows[there]], weights=units, minlength=len(roots))
        return sums.astype(np.int64)

    def allows(self, resource_class: str, amount: int) -> BoolArray | None:
        """Return which roots' min_unit, max_unit and step_size allow it; None when all do."""
        allowed = self._hosts.allows(resource_class, amount)
        if allowed is None or self._positions is None:
            return allowed
        return allowed[self._positions]

    def number(self, column: str) -> FloatArray:
        """Return a numeric column of compute_nodes; nan where it was never reported."""
        numbers = self._hosts.number(column)
        return numbers if self._positions is None else numbers[self._positions]

    @property
    def any_heartbeat(self) -> bool:
        """Whether any host of the class ever sent a heartbeat."""
        return self._hosts.any_heartbeat

    @property
    def heartbeat_span(self) -> tuple[float, float]:
        """The oldest and the newest heartbeat in the whole class, seconds since 1970 UTC."""
        return self._hosts.heartbeat_span

    @property
    def last_seen_up(self) -> FloatArray:
        """Last heartbeats, seconds since 1970 UTC; nan where there never was one."""
        seen = self._hosts.last_seen_up
        return seen if self._positions is None else seen[self._positions]

    def _taken(self, column: IntArray) -> IntArray:
        return column if self._positions is None else column[self._positions]


class _Alone(Shortlist):
    """One host: its numbers are read one by one, so that no column has to follow every pick."""

    def free(self, resource_class: str) -> IntArray:
        return np.array([self.cell_at("free", 0, resource_class)])

    def capacity(self, resource_class: str) -> IntArray:
        return np.array([self.cell_at("capacity", 0, resource_class)])

    def spare(self, resource_class: str) -> IntArray:
        return np.array([self.cell_at("spare", 0, resource_class)])
