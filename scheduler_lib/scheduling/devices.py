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
    """

    slots: Slots
    column: Slots


class Devices:
    """The devices of one class in some trees.

    :param fleet: where they are.
    :param resource_class: their class.
    :param stock: the columns of that class.
    :param roots: root rows of the trees.
    """

    def __init__(
        self,
        fleet: Fleet,
        resource_class: str,
        stock: StockColumns,
        roots: npt.NDArray[np.integer],
    ) -> None:
        self._fleet = fleet
        self._stock = stock
        layout = _layout(fleet, resource_class, stock)
        columns = layout.column[roots]
        self._slots = layout.slots[:, columns]
        self._slots[:, columns < 0] = ABSENT
        self._there = self._slots >= 0

    def free(self) -> Units:
        """Return what each has left, in units; -1 where there is none."""
        units = np.minimum(self._stock.free, np.iinfo(np.int32).max).astype(np.int32)
        return np.where(self._there, units[self._slots], ABSENT)

    def meeting(self, conditions: Conditions) -> BoolArray:
        """Return which of them have one trait of each set."""
        rows = self._stock.rows
        traits = self._fleet.state.traits
        found = np.ones(len(rows), dtype=np.bool_)
        for choice in conditions:
            found &= traits.has_any(choice, rows)
        met: BoolArray = found[self._slots] & self._there
        return met


def _layout(fleet: Fleet, resource_class: str, stock: StockColumns) -> Layout:
    answer = fleet.answers.obtain(
        ("devices", resource_class),
        fleet.state.versions,
        (STRUCTURE, f"shape:{resource_class}"),
        lambda: _laid_out(fleet, stock),
    )
    assert isinstance(answer, Layout)  # noqa: S101  (for the type checker: the key says so)
    return answer


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
    return Layout(matrix, column)
