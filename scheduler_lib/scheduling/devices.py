"""The providers of one class, host by host: a matrix with a column for each host."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.fleet.stock import StockColumns
from scheduler_lib.fleet.versions import STRUCTURE
from scheduler_lib.scheduling.demand import Conditions
from scheduler_lib.scheduling.shortlist import BoolArray

Slots = npt.NDArray[np.int64]
Units = npt.NDArray[np.int32]

ABSENT = -1


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each device of each tree stands in the columns of its class.

    :ivar slots: the class's slot, shape (most devices in a tree, trees); -1 where there is none.
    :ivar column: the tree's column by root row; -1 for trees without such a device.
    :ivar roots: the tree's root row by column.
    """

    slots: Slots
    column: Slots
    roots: Slots


class Devices:
    """The devices of one class in all trees that have any.

    :param fleet: where they are.
    :param resource_class: their class.
    :param stock: the columns of that class.
    """

    def __init__(self, fleet: Fleet, resource_class: str, stock: StockColumns) -> None:
        self._fleet = fleet
        self._class = resource_class
        self._stock = stock
        self._layout = _layout(fleet, resource_class, stock)

    def __len__(self) -> int:
        return int(self._layout.slots.shape[1])

    def columns(self, roots: npt.NDArray[np.integer]) -> Slots:
        """Return the columns of these trees, by their root rows; -1 for trees without any."""
        columns: Slots = self._layout.column[roots]
        return columns

    @property
    def roots(self) -> Slots:
        """Return the root row of each column."""
        return self._layout.roots

    def free(self) -> Units:
        """Return what each has left, in units; -1 where there is none."""
        units = np.minimum(self._stock.free, np.iinfo(np.int32).max).astype(np.int32)
        return np.where(self._layout.slots >= 0, units[self._layout.slots], ABSENT)

    def meeting_each(self, kinds: tuple[Conditions, ...]) -> BoolArray:
        """Return which of them meet each of these conditions, one layer for each."""
        names = sorted({name for kind in kinds for choice in kind for name in choice})
        return self._fleet.answer(
            ("devices meeting", self._class, kinds),
            (STRUCTURE, f"shape:{self._class}", *(f"trait:{name}" for name in names)),
            lambda: np.stack([self._meeting(conditions) for conditions in kinds]),
        )

    def _meeting(self, conditions: Conditions) -> BoolArray:
        rows = self._stock.rows
        traits = self._fleet.state.traits
        found = np.ones(len(rows), dtype=np.bool_)
        for choice in conditions:
            found &= traits.has_any(choice, rows)
        met: BoolArray = found[self._layout.slots] & (self._layout.slots >= 0)
        return met


def _layout(fleet: Fleet, resource_class: str, stock: StockColumns) -> Layout:
    return fleet.answer(
        ("devices", resource_class),
        (STRUCTURE, f"shape:{resource_class}"),
        lambda: _laid_out(fleet, stock),
    )


def _laid_out(fleet: Fleet, stock: StockColumns) -> Layout:
    slots = np.flatnonzero(stock.rows >= 0)
    roots = fleet.state.rows.root[stock.rows[slots]]
    order = np.argsort(roots, kind="stable")
    slots, roots = slots[order], roots[order]
    trees, first, sizes = np.unique(roots, return_index=True, return_counts=True)
    matrix = np.full((int(sizes.max(initial=1)), len(trees)), ABSENT, dtype=np.int64)
    tree = np.repeat(np.arange(len(trees)), sizes)
    matrix[np.arange(len(slots)) - first[tree], tree] = slots
    column = np.full(len(fleet.state.rows.root), ABSENT, dtype=np.int64)
    column[trees] = np.arange(len(trees))
    return Layout(matrix, column, trees.astype(np.int64))
