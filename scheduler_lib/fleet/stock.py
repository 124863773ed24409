"""What providers have of one resource class, as columns."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from scheduler_lib.fleet.arrays import FIRST_SIZE, Bools, Ints, Rows32, grown
from scheduler_lib.fleet.journal import Journal
from scheduler_lib.model.inventory import MAX_UNITS, Inventory

_SHAPE = ("total", "reserved", "min_unit", "max_unit", "step_size", "capacity")


class Limits(NamedTuple):
    """What amounts every provider allows: from ``least`` to ``most``, multiples of ``step``."""

    least: int
    most: int
    step: int

    def allow(self, amount: int) -> bool:
        """Tell whether every provider allows one consumer this amount."""
        return self.least <= amount <= self.most and amount % self.step == 0


NO_LIMITS = Limits(0, MAX_UNITS, 1)


class StockColumns:
    """One resource class: a slot for each provider that has an inventory of it.

    Columns by slot are int64, in whole units; an empty slot has ``row`` -1 and ``free`` -1.

    :ivar moves: journal of rows whose usage changed.
    :ivar shapes: journal of rows whose inventory changed.
    :ivar wide: whether a capacity or a usage ever was beyond 32 bits; while none was, what is free
        or spare is not either.
    :ivar nested: how many inventories stand on providers that have a parent.
    """

    __slots__ = (
        "_arrays",
        "_free",
        "_holes",
        "_limits",
        "_rows",
        "_slot_of",
        "_used",
        "moves",
        "nested",
        "shapes",
        "size",
        "wide",
    )

    def __init__(self) -> None:
        self.size = 0
        self.nested = 0
        self.wide = False
        self.moves = Journal()
        self.shapes = Journal()
        self._holes: list[int] = []
        self._limits: Limits | None = None
        self._slot_of: Rows32 = np.full(FIRST_SIZE, -1, dtype=np.int32)
        self._rows: Rows32 = np.full(FIRST_SIZE, -1, dtype=np.int32)
        self._used: Ints = np.zeros(FIRST_SIZE, dtype=np.int64)
        self._free: Ints = np.full(FIRST_SIZE, -1, dtype=np.int64)
        self._arrays: dict[str, Ints] = {
            name: np.zeros(FIRST_SIZE, dtype=np.int64) for name in _SHAPE
        }

    def __len__(self) -> int:
        return self.size - len(self._holes)

    @property
    def rows(self) -> Rows32:
        """The provider's row; -1 for an empty slot."""
        return self._rows[: self.size]

    @property
    def total(self) -> Ints:
        """Units there are."""
        return self._arrays["total"][: self.size]

    @property
    def reserved(self) -> Ints:
        """Units kept back."""
        return self._arrays["reserved"][: self.size]

    @property
    def min_unit(self) -> Ints:
        """The least one consumer may ask."""
        return self._arrays["min_unit"][: self.size]

    @property
    def max_unit(self) -> Ints:
        """The most one consumer may ask."""
        return self._arrays["max_unit"][: self.size]

    @property
    def step_size(self) -> Ints:
        """What is asked must be a multiple of this."""
        return self._arrays["step_size"][: self.size]

    @property
    def capacity(self) -> Ints:
        """Units that may be allocated in all."""
        return self._arrays["capacity"][: self.size]

    @property
    def used(self) -> Ints:
        """Units allocated."""
        return self._used[: self.size]

    @property
    def free(self) -> Ints:
        """Capacity less what is used; below 0 on a host that was shrunk, -1 for an empty slot."""
        return self._free[: self.size]

    def column(self, name: str) -> Ints:
        """Return a column by its name; ``spare`` is total - reserved - used."""
        if name == "free":
            return self._free
        if name == "spare":
            arrays = self._arrays
            return arrays["total"] - arrays["reserved"] - self._used
        return self._arrays[name]

    def cell(self, name: str, slot: int) -> int:
        """Return one number of a column."""
        if name == "free":
            return int(self._free[slot])
        if name == "spare":
            arrays = self._arrays
            return int(arrays["total"][slot] - arrays["reserved"][slot] - self._used[slot])
        if name == "used":
            return int(self._used[slot])
        return int(self._arrays[name][slot])

    def slot(self, row: int) -> int:
        """Return a provider's slot; -1 when it has no such inventory."""
        return int(self._slot_of[row]) if row < len(self._slot_of) else -1

    def slots(self, rows: Rows32) -> Rows32:
        """Return the slots of these rows; -1 where there is no such inventory."""
        try:
            return self._slot_of[rows]
        except IndexError:
            self._slot_of = grown(self._slot_of, int(rows.max()) + 1, -1)
            return self._slot_of[rows]

    def limits(self) -> Limits:
        """Return which amounts every provider allows."""
        if self._limits is None:
            there = self.rows >= 0
            self._limits = summed_limits(
                self.min_unit[there], self.max_unit[there], self.step_size[there]
            )
        return self._limits

    def allows(self, amount: int) -> Bools | None:
        """Tell by slot whether one consumer may ask this amount; None when all allow it."""
        if self.limits().allow(amount):
            return None
        return allowed(amount, self.min_unit, self.max_unit, self.step_size)

    def allow(self, slots: Rows32, amount: int) -> Bools:
        """Tell for each of these slots whether one consumer may ask this amount of it.

        It looks at these slots alone, unless what all allow is known already.
        """
        if self._limits is not None and self._limits.allow(amount):
            return np.ones(len(slots), dtype=np.bool_)
        return allowed(amount, self.min_unit[slots], self.max_unit[slots], self.step_size[slots])

    def put(self, row: int, inventory: Inventory, used: int, *, fresh: bool, nested: bool) -> bool:
        """Give a provider its inventory and usage; tell whether the inventory changed.

        :param fresh: no copy of these columns can know the row yet.
        """
        slot = self.slot(row)
        if slot < 0:
            slot = self._take(row)
            self.nested += nested
        elif self._same(slot, inventory):
            self.set_used(slot, used, row)
            return False
        arrays = self._arrays
        arrays["total"][slot] = inventory.total
        arrays["reserved"][slot] = inventory.reserved
        arrays["min_unit"][slot] = inventory.min_unit
        arrays["max_unit"][slot] = inventory.max_unit
        arrays["step_size"][slot] = inventory.step_size
        arrays["capacity"][slot] = capacity = inventory.capacity
        self.wide = self.wide or capacity > MAX_UNITS or not 0 <= used <= MAX_UNITS
        self._used[slot] = used
        self._free[slot] = capacity - used
        self._limits = None
        if not fresh:
            self.moves.add(row)
            self.shapes.add(row)
        return True

    def set_used(self, slot: int, used: int, row: int) -> None:
        """Write one provider's usage."""
        if self._used[slot] != used:
            self.wide = self.wide or not 0 <= used <= MAX_UNITS
            self._used[slot] = used
            self._free[slot] = self._arrays["capacity"][slot] - used
            self.moves.add(row)

    def drop(self, row: int, *, nested: bool) -> bool:
        """Take a provider's inventory away; tell whether there was one."""
        slot = self.slot(row)
        if slot < 0:
            return False
        self.nested -= nested
        self._slot_of[row] = self._rows[slot] = self._free[slot] = -1
        self._arrays["capacity"][slot] = self._used[slot] = 0
        self._holes.append(slot)
        self._limits = None
        self.moves.add(row)
        self.shapes.add(row)
        return True

    def with_own_usage(self) -> StockColumns:
        """Return columns that share everything but what is used with these."""
        clone = self._twin()
        clone._used, clone._free = self._used.copy(), self._free.copy()
        clone.moves = self.moves.fork()
        return clone

    def copy(self) -> StockColumns:
        """Return columns of its own with the same values."""
        clone = self.with_own_usage()
        clone._holes = self._holes[:]
        clone._slot_of, clone._rows = self._slot_of.copy(), self._rows.copy()
        clone._arrays = {name: array.copy() for name, array in self._arrays.items()}
        clone.shapes = self.shapes.fork()
        return clone

    def _twin(self) -> StockColumns:
        clone = StockColumns.__new__(StockColumns)
        for name in StockColumns.__slots__:
            setattr(clone, name, getattr(self, name))
        return clone

    def _same(self, slot: int, inventory: Inventory) -> bool:
        # The ratio is seen in the capacity.
        arrays = self._arrays
        return bool(
            arrays["total"][slot] == inventory.total
            and arrays["reserved"][slot] == inventory.reserved
            and arrays["min_unit"][slot] == inventory.min_unit
            and arrays["max_unit"][slot] == inventory.max_unit
            and arrays["step_size"][slot] == inventory.step_size
            and arrays["capacity"][slot] == inventory.capacity
        )

    def _take(self, row: int) -> int:
        if self._holes:
            slot = self._holes.pop()
        else:
            slot = self.size
            self.size += 1
            if slot >= len(self._rows):
                self._grow(slot + 1)
        if row >= len(self._slot_of):
            self._slot_of = grown(self._slot_of, row + 1, -1)
        self._slot_of[row] = slot
        self._rows[slot] = row
        return slot

    def _grow(self, size: int) -> None:
        self._rows = grown(self._rows, size, -1)
        self._used = grown(self._used, size, 0)
        self._free = grown(self._free, size, -1)
        self._arrays = {name: grown(array, size, 0) for name, array in self._arrays.items()}


def summed_limits(least: Ints, most: Ints, step: Ints) -> Limits:
    """Return which amounts all of these allow."""
    if not len(least):
        return NO_LIMITS
    steps = [int(value) for value in np.unique(step)]
    return Limits(int(least.max()), int(most.min()), math.lcm(*steps))


def allowed(amount: int, least: Ints, most: Ints, step: Ints) -> Bools:
    """Tell for each whether one consumer may ask this amount.

    A step of 0 stands for an empty slot, and allows nothing.
    """
    fits = (least <= amount) & (most >= amount)
    if len(step) and not (step[0] == 1 and (step == 1).all()):
        fits &= (step > 0) & (amount % np.maximum(step, 1) == 0)
    return fits
