"""The hosts of one static class, with contiguous copies of their numbers."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from scheduler_lib.fleet.arrays import Bools, Floats, Rows32, Units, read_only
from scheduler_lib.fleet.classes import Members
from scheduler_lib.fleet.hosts import NumberColumn
from scheduler_lib.fleet.journal import Journal
from scheduler_lib.fleet.state import State
from scheduler_lib.fleet.stock import NO_LIMITS, Limits, StockColumns, allowed, summed_limits
from scheduler_lib.model.decision import StageCount
from scheduler_lib.model.naming import ResourceName

# What stands in a copy for a host whose root has no such inventory.
_ABSENT = {
    "free": -1,
    "capacity": -1,
    "spare": -1,
    "min_unit": NO_LIMITS.least,
    "max_unit": NO_LIMITS.most,
    "step_size": NO_LIMITS.step,
}
_MOVING = frozenset({"free", "spare"})
_UNITS = ("min_unit", "max_unit", "step_size")
_NO = (np.nan, np.nan)
# From that many changes on, numpy is faster than a loop.
_FEW = 24

_Scalar = TypeVar("_Scalar", bound=np.generic)


class _Copy(Generic[_Scalar]):
    """A contiguous copy of a column, and the moment it shows.

    ``head`` is -1 while the copy is being written: who reads it from another thread sees that.
    """

    __slots__ = ("array", "head", "public", "token")

    def __init__(self, array: NDArray[_Scalar], journal: Journal | None) -> None:
        self.array = array
        self.public = read_only(array)
        self.token = None if journal is None else journal.token
        self.head = 0 if journal is None else journal.head


class HostClass:
    """The member hosts by position, in (host, node) order, code point by code point.

    Arrays are read-only and follow the fleet: they are brought up to date when they are asked for.
    Ask the fleet for the class again after changes have been applied to it.

    :param state: the columns to read.
    :param members: who is in.
    :param seed: the same class of the fleet this one's view was made of.
    """

    __slots__ = ("_copies", "_limits", "_members", "_numbers", "_seed", "_span", "_state")

    def __init__(self, state: State, members: Members, seed: HostClass | None = None) -> None:
        self._state = state
        self._members = members
        self._seed = seed
        self._copies: dict[str, dict[str, _Copy[np.signedinteger]]] = {name: {} for name in _ABSENT}
        self._numbers: dict[str, _Copy[np.float64]] = {}
        self._limits: dict[str, tuple[object, int, Limits]] = {}
        self._span: tuple[tuple[object, int], tuple[float, float]] | None = None

    def __len__(self) -> int:
        return len(self._members.rows)

    @property
    def members(self) -> Members:
        """Who is in."""
        return self._members

    @property
    def rows(self) -> Rows32:
        """The hosts' root rows, by position."""
        return self._members.rows

    @property
    def counts(self) -> tuple[StageCount, ...]:
        """How many hosts each static check left, from all hosts on, in the checks' order."""
        return self._members.counts

    @property
    def any_heartbeat(self) -> bool:
        """Whether a host of the fleet has ever sent a heartbeat."""
        return self._state.hosts.heartbeats > 0

    @property
    def last_seen_up(self) -> Floats:
        """The last heartbeat, seconds since 1970 UTC; NaN for hosts that never sent one."""
        return self._number("", self._state.hosts.last_seen_up)

    @property
    def heartbeat_span(self) -> tuple[float, float]:
        """The oldest and the newest heartbeat of the members; NaN twice when none sent any."""
        seen = self.last_seen_up
        copy = self._numbers[""]
        moment = (copy.token, copy.head)
        if self._span is None or self._span[0] != moment:
            span = (float(np.fmin.reduce(seen)), float(np.fmax.reduce(seen))) if len(seen) else _NO
            self._span = (moment, span)
        return self._span[1]

    def free(self, resource_class: str) -> Units:
        """Return capacity less what is used, in units; -1 where the root has no such inventory."""
        return self._column("free", resource_class)

    def capacity(self, resource_class: str) -> Units:
        """Return the units that may be allocated in all; -1 where there is no such inventory."""
        return self._column("capacity", resource_class)

    def spare(self, resource_class: str) -> Units:
        """Return total - reserved - used, the physical units; -1 where there is no inventory.

        It may be below zero where units are sold more than once.
        """
        return self._column("spare", resource_class)

    def allows(self, resource_class: str, amount: int) -> Bools | None:
        """Tell by position whether min_unit, max_unit and step_size allow an amount.

        :returns: None when every host allows it.
        """
        stock = self._state.stocks.get(resource_class)
        if stock is None or stock.limits().allow(amount):
            return None
        if self._class_limits(resource_class, stock).allow(amount):
            return None
        columns = (self._column(name, resource_class) for name in _UNITS)
        return allowed(amount, *columns)

    def number(self, column: str) -> Floats:
        """Return a numeric fact of compute_nodes by position; NaN where it was never reported."""
        return self._number(column, self._state.hosts.numbers.get(column))

    def host(self, position: int) -> ResourceName:
        """Return a host's name."""
        return self._state.hosts.name(int(self._members.slots[position]))

    def zone(self, position: int) -> str:
        """Return the availability zone a host is in."""
        return self._state.hosts.zones.get(int(self._members.slots[position])) or ""

    def uuid(self, position: int) -> str:
        """Return the uuid of a host's root provider."""
        return self._state.rows.uuids[int(self._members.rows[position])]

    def positions(self, rows: Rows32) -> Rows32:
        """Return the positions of these root rows; those of other hosts are left out."""
        slots = self._state.hosts.slots(rows)
        found = self._members.inverse[slots[slots >= 0]]
        return found[found >= 0]

    def _class_limits(self, resource_class: str, stock: StockColumns) -> Limits:
        known = self._limits.get(resource_class)
        shapes = stock.shapes
        if known is not None and known[0] is shapes.token and known[1] == shapes.head:
            return known[2]
        least, most, step = (self._column(name, resource_class) for name in _UNITS)
        limits = summed_limits(least, most, step)
        self._limits[resource_class] = (shapes.token, shapes.head, limits)
        return limits

    def _column(self, name: str, resource_class: str) -> Units:
        copies = self._copies[name]
        copy = copies.get(resource_class)
        stock = self._state.stocks.get(resource_class)
        if stock is None:
            if copy is None:
                array = np.full(len(self), _ABSENT[name], dtype=np.int32)
                copy = copies[resource_class] = _Copy(array, None)
            return copy.public
        journal = stock.moves if name in _MOVING else stock.shapes
        if copy is None or copy.head != journal.head or copy.token is not journal.token:
            copy = self._followed(copy, name, resource_class, stock, journal)
            copies[resource_class] = copy
        return copy.public

    def _followed(
        self,
        copy: _Copy[np.signedinteger] | None,
        name: str,
        resource_class: str,
        stock: StockColumns,
        journal: Journal,
    ) -> _Copy[np.signedinteger]:
        """Return a copy of a column as it is now; the one there was, where it can be mended."""
        if copy is None and self._seed is not None:
            copy = _taken(self._seed._copies[name].get(resource_class))
        if (
            copy is not None
            and not (stock.wide and copy.array.dtype == np.int32)
            and self._mended(copy, name, stock, journal)
        ):
            copy.token, copy.head = journal.token, journal.head
            return copy
        return _Copy(self._gather(name, stock, self._members.rows), journal)

    def _mended(
        self, copy: _Copy[np.signedinteger], name: str, stock: StockColumns, journal: Journal
    ) -> bool:
        """Write what changed into a copy; return False when that is no longer known."""
        few = journal.few_since(copy.token, copy.head, _FEW)
        if few is not None:
            copy.head = -1
            for row in few:
                self._write_one(copy, name, stock, row)
            return True
        rows = journal.since(copy.token, copy.head)
        if rows is None:
            return False
        copy.head = -1
        slots = self._state.hosts.slots(rows)
        positions = self._members.inverse[slots]
        there = (slots >= 0) & (positions >= 0)
        copy.array[positions[there]] = self._gather(name, stock, rows[there])
        return True

    def _write_one(
        self, copy: _Copy[np.signedinteger], name: str, stock: StockColumns, row: int
    ) -> None:
        host = self._state.hosts.slot(row)
        position = -1 if host < 0 else self._members.inverse[host]
        if position >= 0:
            slot = stock.slot(row)
            copy.array[position] = _ABSENT[name] if slot < 0 else stock.cell(name, slot)

    def _gather(self, name: str, stock: StockColumns, rows: Rows32) -> Units:
        slots = stock.slots(rows)
        array: Units = stock.column(name)[slots]
        array[slots < 0] = _ABSENT[name]
        return array if stock.wide else array.astype(np.int32)

    def _number(self, name: str, column: NumberColumn | None) -> Floats:
        copy = self._numbers.get(name)
        if column is None:
            if copy is None:
                array = np.full(len(self), np.nan)
                copy = self._numbers[name] = _Copy(array, None)
            return copy.public
        journal = column.journal
        if copy is None and self._seed is not None:
            copy = _taken(self._seed._numbers.get(name))
        slots = None if copy is None else journal.since(copy.token, copy.head)
        if copy is None or slots is None:
            copy = _Copy(column.read(self._members.slots), journal)
        elif len(slots):
            copy.head = -1
            positions = self._members.inverse[slots]
            there = positions >= 0
            copy.array[positions[there]] = column.read(slots[there])
        copy.token, copy.head = journal.token, journal.head
        self._numbers[name] = copy
        return copy.public


def _taken(source: _Copy[_Scalar] | None) -> _Copy[_Scalar] | None:
    if source is None:
        return None
    head, token = source.head, source.token
    copy = _Copy(source.array.copy(), None)
    if head < 0 or source.head != head or source.token is not token:
        # Its owner wrote to it meanwhile.
        return None
    copy.head, copy.token = head, token
    return copy
