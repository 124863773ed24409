"""Trees laid out side by side, so that many of them are read at once."""

from __future__ import annotations

import bisect
import threading

import numpy as np

from scheduler_lib.fleet import Fleet
from scheduler_lib.fleet.arrays import FIRST_SIZE, Bools, Ints, Rows32, grown
from scheduler_lib.fleet.rows import NONE, Rows

# A root alone: the shape of every flat host.
ALONE = (NONE,)

_KEPT_TREES = 8192


class Trees:
    """The rows of trees one after another in one array, each written when it is first asked for.

    A tree's rows are the root, then depth-first by name. Its shape is, for each of its rows, the
    place of the parent among them.
    """

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = [ALONE]
        self._shape_of: dict[tuple[int, ...], int] = {ALONE: 0}
        self._start: Rows32 = np.full(FIRST_SIZE, NONE, dtype=np.int32)
        self._shape: Rows32 = np.zeros(FIRST_SIZE, dtype=np.int32)
        self._line: Rows32 = np.zeros(FIRST_SIZE, dtype=np.int32)
        self._length = 0
        self._waste = 0
        self._tuples: dict[int, tuple[int, ...]] = {}
        # A view may read in one thread what its base reads in another.
        self._lock = threading.Lock()

    def shape(self, roots: Rows32, rows: Rows) -> Rows32:
        """Return the number of each tree's shape."""
        with self._lock:
            self._write(roots, rows)
            return self._shape[roots]

    def tree(self, root: int, rows: Rows) -> tuple[int, ...]:
        """Return the rows of one tree."""
        known = self._tuples.get(root)
        if known is None:
            if len(self._tuples) >= _KEPT_TREES:
                self._tuples.clear()
            line = self.rows(np.array([root], dtype=np.int32), rows)
            known = self._tuples[root] = tuple(line.tolist())
        return known

    def matrix(self, roots: Rows32, width: int) -> Rows32:
        """Return the rows of trees of one size, a line a tree; their shapes were asked for."""
        with self._lock:
            starts, line = self._start[roots], self._line
        found: Rows32 = line[starts[:, None] + np.arange(width, dtype=np.int32)]
        return found

    def rows(self, roots: Rows32, rows: Rows) -> Rows32:
        """Return the rows of these trees, one tree after another."""
        sizes = self.sizes(roots, rows)
        with self._lock:
            starts, line = self._start[roots], self._line
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
        found: Rows32 = line[places]
        return found

    def sizes(self, roots: Rows32, rows: Rows) -> Ints:
        """Return how many rows each of these trees has."""
        shapes = self.shape(roots, rows)
        return np.array([len(shape) for shape in self.shapes], dtype=np.int64)[shapes]

    def without(self, roots: Rows32) -> Trees:
        """Return what is known of all other trees."""
        clone = Trees()
        with self._lock:
            known = self._start[roots[roots < len(self._start)]] != NONE
            waste = self._waste + int(known.sum())
            if waste * 2 > len(self._start):
                return clone
            clone.shapes, clone._shape_of = self.shapes[:], dict(self._shape_of)
            clone._start, clone._shape = self._start.copy(), self._shape.copy()
            clone._line, clone._length, clone._waste = self._line.copy(), self._length, waste
        clone._start[roots[roots < len(clone._start)]] = NONE
        return clone

    def _write(self, roots: Rows32, rows: Rows) -> None:
        if len(rows) > len(self._start):
            self._start = grown(self._start, len(rows), NONE)
            self._shape = grown(self._shape, len(rows), 0)
        roots = roots[self._start[roots] == NONE]
        if not len(roots):
            return
        bearing = rows.bear(roots)
        alone = roots[~bearing]
        self._append(alone, np.arange(len(alone), dtype=np.int32), alone)
        self._shape[alone] = 0
        if bearing.any():
            self._write_nested(roots[bearing], rows)

    def _write_nested(self, roots: Rows32, rows: Rows) -> None:
        children = _children(rows.below(roots), rows)
        line: list[int] = []
        starts = []
        for root in roots.tolist():
            starts.append(len(line))
            tree, shape = _walked(root, children, rows.alive)
            number = self._shape_of.setdefault(shape, len(self.shapes))
            if number == len(self.shapes):
                self.shapes.append(shape)
            self._shape[root] = number
            line += tree
        self._append(roots, np.array(starts, dtype=np.int32), np.array(line, dtype=np.int32))

    def _append(self, roots: Rows32, starts: Rows32, line: Rows32) -> None:
        self._line = grown(self._line, self._length + len(line), 0)
        self._line[self._length : self._length + len(line)] = line
        self._start[roots] = starts + self._length
        self._length += len(line)


class Layout:
    """The trees of a fleet at one moment.

    :ivar order: the roots, by name and uuid.
    :ivar trees: their rows.
    """

    __slots__ = ("_head", "_token", "order", "trees")

    def __init__(self, rows: Rows, order: Rows32, trees: Trees) -> None:
        self._token, self._head = rows.moves.token, rows.moves.head
        self.order = order
        self.trees = trees

    def after(self, rows: Rows) -> Layout:
        """Return the layout of the same rows as they are now; this one if nothing moved."""
        moves = rows.moves
        if moves.token is self._token and moves.head == self._head:
            return self
        moved = moves.since(self._token, self._head)
        if moved is None:
            return laid_out(rows)
        if not len(moved):
            return Layout(rows, self.order, self.trees)
        moved = np.unique(moved)
        return Layout(rows, self._merged(moved, rows), self.trees.without(moved))

    def _merged(self, moved: Rows32, rows: Rows) -> Rows32:
        touched = np.zeros(len(rows), dtype=np.bool_)
        touched[moved] = True
        kept = self.order[~touched[self.order]]

        def key(row: int) -> tuple[str, str]:
            return rows.names[row], rows.uuids[row]

        added = moved[rows.alive[moved] & (rows.root[moved] == moved)].tolist()
        added.sort(key=key)
        places = [bisect.bisect_left(kept, key(row), key=key) for row in added]
        return np.insert(kept, places, added)


def laid_out(rows: Rows) -> Layout:
    """Return the layout of all trees."""
    names, uuids = rows.names, rows.uuids
    found = np.flatnonzero(is_root(rows)).tolist()
    found.sort(key=lambda row: (names[row], uuids[row]))
    return Layout(rows, np.array(found, dtype=np.int32), Trees())


def is_root(rows: Rows) -> Bools:
    """Tell for each row whether it is the root of a tree."""
    size = len(rows)
    found: Bools = rows.alive[:size] & (rows.root[:size] == np.arange(size))
    return found


def layout(fleet: Fleet) -> Layout:
    """Return the layout of a fleet's trees as they are now."""
    rows = fleet.state.rows

    def follow(before: Layout | None) -> Layout:
        return laid_out(rows) if before is None else before.after(rows)

    return fleet.followed("layout", follow)


def _children(below: Rows32, rows: Rows) -> dict[int, list[int]]:
    """Return who hangs on whom, the last by name first."""
    names, uuids = rows.names, rows.uuids
    children: dict[int, list[int]] = {}
    for row, parent in zip(below.tolist(), rows.parent[below].tolist(), strict=True):
        children.setdefault(parent, []).append(row)
    for siblings in children.values():
        if len(siblings) > 1:
            siblings.sort(key=lambda row: (names[row], uuids[row]), reverse=True)
    return children


def _walked(
    root: int, children: dict[int, list[int]], alive: Bools
) -> tuple[list[int], tuple[int, ...]]:
    """Return the rows of a tree, and its shape."""
    tree: list[int] = []
    shape: list[int] = []
    pending = [(root, NONE)]
    while pending:
        row, above = pending.pop()
        if alive[row]:
            tree.append(row)
            shape.append(above)
            above = len(tree) - 1
        pending += [(child, above) for child in children.get(row, ())]
    return tree, tuple(shape)
