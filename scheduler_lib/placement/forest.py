"""Trees, and the providers that share with them; what the columns say of each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_lib.fleet import Fleet
from scheduler_lib.fleet.arrays import Bools, Ints, Rows32
from scheduler_lib.fleet.classes import in_one_of_each
from scheduler_lib.fleet.versions import AGGREGATES, STRUCTURE
from scheduler_lib.model.provider import MISC_SHARES_VIA_AGGREGATE
from scheduler_lib.placement.layout import is_root, layout
from scheduler_lib.placement.plan import Condition


class Sharing:
    """The sharing providers of a fleet.

    A provider with the trait MISC_SHARES_VIA_AGGREGATE serves its own tree, and every tree with a
    provider in one of its aggregates.

    :ivar rows: the sharing providers.
    """

    def __init__(self, fleet: Fleet) -> None:
        state = fleet.state
        every = np.arange(len(state.rows), dtype=np.int32)
        state.traits.cover(len(every))
        sharing = state.rows.alive[: len(every)] & state.traits.has(
            MISC_SHARES_VIA_AGGREGATE, every
        )
        self.rows: frozenset[int] = frozenset(np.flatnonzero(sharing).tolist())
        self._anchors: dict[int, Rows32] = {}
        self._through: dict[str, list[int]] = {}
        for row in sorted(self.rows):
            for uuid in fleet.aggregates(row):
                self._through.setdefault(uuid, []).append(row)

    def anchors(self, row: int, fleet: Fleet) -> Rows32:
        """Return the roots of the other trees that a sharing provider serves."""
        known = self._anchors.get(row)
        if known is None:
            state = fleet.state
            alive = np.flatnonzero(state.rows.alive[: len(state.rows)]).astype(np.int32)
            linked = in_one_of_each(state.aggregates, (fleet.aggregates(row),), alive)
            roots = np.unique(state.rows.root[alive[linked]])
            known = self._anchors[row] = roots[roots != state.rows.root[row]]
        return known

    def serving(self, tree: tuple[int, ...], fleet: Fleet) -> tuple[int, ...]:
        """Return the sharing providers that serve a tree from outside, by name and uuid."""
        found: set[int] = set()
        for row in tree:
            for uuid in fleet.aggregates(row):
                found.update(self._through.get(uuid, ()))
        found.difference_update(tree)
        return tuple(sorted(found, key=lambda row: (fleet.name(row), fleet.uuid(row))))

    def serving_each(self, matrix: Rows32, fleet: Fleet) -> tuple[list[tuple[int, ...]], Ints]:
        """Return the same for many trees of one size.

        :param matrix: the rows of each tree, a line a tree.
        :returns: what there is of sets of providers, and the number of each tree's set.
        """
        column = fleet.state.aggregates
        column.cover(len(fleet.state.rows))
        codes = column.codes[matrix]
        # A tree that holds a sharing provider is served by the others only.
        inside = np.isin(matrix, list(self.rows)).any(axis=1)
        codes[inside] = -2
        _, first, which = np.unique(_lines(codes), return_index=True, return_inverse=True)
        sets = [self.serving(tuple(line), fleet) for line in matrix[first].tolist()]
        for place in np.flatnonzero(inside).tolist():
            which[place] = len(sets)
            sets.append(self.serving(tuple(matrix[place].tolist()), fleet))
        return sets, which.reshape(-1)

    @staticmethod
    def kinship(outside: tuple[int, ...], fleet: Fleet) -> tuple[tuple[int, int], ...]:
        """Tell how sharing providers stand to each other.

        :returns: for each of them the place of the first that is of the same tree, and the place of
            the nearest that it hangs under; -1 if there is none.
        """
        places = {row: place for place, row in enumerate(outside)}
        first: dict[int, int] = {}
        found = []
        for place, row in enumerate(outside):
            above = fleet.parent(row)
            while above >= 0 and above not in places:
                above = fleet.parent(above)
            found.append((first.setdefault(fleet.root(row), place), places.get(above, -1)))
        return tuple(found)


def _lines(matrix: Rows32) -> NDArray[np.generic]:
    """Return one thing to compare for each line."""
    if matrix.shape[1] == 1:
        return matrix.ravel()
    width = matrix.itemsize * matrix.shape[1]
    return np.ascontiguousarray(matrix).view(np.dtype((np.void, width))).ravel()


def sharing(fleet: Fleet) -> Sharing:
    """Return the sharing providers of a fleet."""
    aspects = (STRUCTURE, AGGREGATES, f"trait:{MISC_SHARES_VIA_AGGREGATE}")
    return fleet.answer("sharing", aspects, lambda: Sharing(fleet))


def tree(fleet: Fleet, root_row: int) -> tuple[int, ...]:
    """Return the rows of a tree: the root first, then depth-first by name."""
    return layout(fleet).trees.tree(root_row, fleet.state.rows)


def trees(fleet: Fleet, root_rows: Rows32) -> Rows32:
    """Return the rows of many trees, one tree after another, each as :func:`tree` gives it."""
    return layout(fleet).trees.rows(root_rows, fleet.state.rows)


def tree_sizes(fleet: Fleet, root_rows: Rows32) -> Ints:
    """Return how many providers each of these trees has."""
    return layout(fleet).trees.sizes(root_rows, fleet.state.rows)


def roots(fleet: Fleet) -> Bools:
    """Tell for each row whether it is the root of a tree."""
    return fleet.answer("roots", (STRUCTURE,), lambda: is_root(fleet.state.rows))


def roots_by_name(fleet: Fleet) -> Rows32:
    """Return the roots of all trees, by name and uuid."""
    return layout(fleet).order


def meeting(fleet: Fleet, condition: Condition) -> Bools:
    """Tell for each row whether the provider meets a condition."""
    return fleet.answer(condition, condition.aspects(), lambda: _meeting(fleet, condition))


def _meeting(fleet: Fleet, condition: Condition) -> Bools:
    state = fleet.state
    size = len(state.rows)
    every = np.arange(size, dtype=np.int32)
    state.traits.cover(size)
    found = state.rows.alive[:size].copy()
    for name in condition.required:
        found &= state.traits.has(name, every)
    for choice in condition.any_of:
        found &= state.traits.has_any(choice, every)
    if condition.forbidden:
        found &= ~state.traits.has_any(condition.forbidden, every)
    if condition.member_of:
        found &= _in_aggregates(fleet, condition.member_of, every, condition.spans)
    if condition.forbidden_aggregates:
        excluded = (condition.forbidden_aggregates,)
        found &= ~_in_aggregates(fleet, excluded, every, condition.spans)
    if condition.in_tree is not None:
        row = state.rows.row_of.get(condition.in_tree, -1)
        root = state.rows.root[row] if row >= 0 and state.rows.alive[row] else -2
        found &= state.rows.root[:size] == root
    return found


def _in_aggregates(
    fleet: Fleet, choices: tuple[frozenset[str], ...], rows: Rows32, spans: bool
) -> Bools:
    found = in_one_of_each(fleet.state.aggregates, choices, rows)
    if spans:
        root = fleet.state.rows.root[rows]
        found = found | (found[root] & (root >= 0))
    return found


class Slots:
    """What stays the same about the slots of one class while only usage changes.

    :ivar roots: the root row of each slot's provider.
    :ivar meeting: whether each slot's provider meets a condition; None when all do.
    """

    __slots__ = ("meeting", "roots")

    def __init__(self, roots: Ints, meeting: Bools | None) -> None:
        self.roots = roots
        self.meeting = meeting


def slots(fleet: Fleet, resource_class: str, condition: Condition | None) -> Slots:
    """Return the slots of a class under a condition."""
    aspects: tuple[str, ...] = (STRUCTURE, f"shape:{resource_class}")
    if condition is not None:
        aspects += condition.aspects()
    key = ("slots", resource_class, condition)
    return fleet.answer(key, aspects, lambda: _slots(fleet, resource_class, condition))


def _slots(fleet: Fleet, resource_class: str, condition: Condition | None) -> Slots:
    stock = fleet.state.stocks[resource_class]
    rows = stock.rows
    met = None
    if condition is not None:
        met = meeting(fleet, condition)[rows]
        if met.all():
            met = None
    roots: Ints = fleet.answer(
        ("roots of slots", resource_class),
        (STRUCTURE, f"shape:{resource_class}"),
        lambda: fleet.state.rows.root[rows].astype(np.int64),
    )
    return Slots(roots, met)
