"""From tree to tree: who serves a request, tree by tree or all in turn, no more than are wanted."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from scheduler_lib.fleet import Fleet
from scheduler_lib.fleet.arrays import Rows32
from scheduler_lib.placement import forest, sieve
from scheduler_lib.placement.layout import layout
from scheduler_lib.placement.likeness import Likeness
from scheduler_lib.placement.pattern import Pattern
from scheduler_lib.placement.plan import Plan
from scheduler_lib.placement.solved import Patterns, Shuffled, Solved, Ways
from scheduler_lib.placement.solver import Tick, no_tick
from scheduler_lib.placement.tree import NAME, TIGHTEST, TreeSearch

Found = tuple[Sequence[int], tuple[Pattern, ...]]

_FEWEST_TREES = 16
_MOST_TREES = 4096
_FEW_TREES = 256
_BUNDLE = 64


class Stand(NamedTuple):
    """Trees that are alike.

    :ivar places: where they stand among all trees, ascending.
    :ivar rows: the rows in reach of each, a line a tree.
    :ivar ways: how each of them serves the request.
    """

    places: Rows32
    rows: Rows32
    ways: Ways


class Walk:
    """One request on all trees.

    :param order: in which order the providers of a tree are tried.
    :param nested: use more than one provider of a tree.
    :param source: visit trees, and try their providers, in a random order.
    :param tick: is called now and then; what it raises ends the walk.
    """

    def __init__(
        self,
        fleet: Fleet,
        plan: Plan,
        order: str = TIGHTEST,
        *,
        nested: bool = True,
        source: Random | None = None,
        tick: Tick = no_tick,
    ) -> None:
        self._fleet = fleet
        self._plan = plan
        self._order = order
        self._nested = nested
        self._source = source
        self._tick = tick
        self._solved: dict[object, Solved] = {}

    def in_turn(self, limit: int | None) -> Iterator[Found]:
        """Give the first pattern of each tree, then the second of each, ..."""
        going: list[tuple[Sequence[int], Ways]] = []
        for rows, ways in self._trees(limit):
            pattern = ways.at(0)
            if pattern is not None:
                going.append((rows, ways))
                yield rows, (pattern,)
        for turn in itertools.count(1):
            still = []
            for item in going:
                rows, ways = item
                pattern = ways.at(turn)
                if pattern is not None:
                    still.append(item)
                    yield rows, (pattern,)
            going = still
            if not going:
                return

    def one_by_one(self, limit: int | None) -> Iterator[Found]:
        """Give all patterns of the first tree, then all of the second, ..."""
        size = _BUNDLE if limit is None else max(min(limit, _BUNDLE), 1)
        for rows, ways in self._trees(None if limit is None else size):
            for bundle in ways.bundles(size):
                yield rows, bundle

    def stands(self, limit: int | None) -> Iterator[list[Stand]]:
        """Give the trees that may serve, some at once, and sorted by likeness; not in random order.

        :param limit: how many are wanted at first.
        """
        first = 0
        for roots in chunks(self._roots(), limit, self._mask, None):
            yield [stand for group in self._groups(roots) for stand in self._stands(first, *group)]
            first += len(roots)

    def _trees(self, limit: int | None) -> Iterator[tuple[Sequence[int], Ways]]:
        """Give the trees that may serve: the rows in reach of each, and its patterns."""
        for roots in chunks(self._roots(), limit, self._mask, self._source):
            found = [item for group in self._groups(roots) for item in self._alike(*group)]
            found.sort(key=lambda item: item[0])
            for _, rows, ways in found:
                yield rows, ways

    def _roots(self) -> Rows32:
        """Return the roots that come into question: all of them, unless a group names its tree."""
        plan, rows = self._plan, self._fleet.state.rows
        conditions = [(plan.bound, plan.condition), *((False, kind[1]) for kind in plan.kinds)]
        found: set[int] | None = None
        for bound, condition in conditions:
            if condition is None or condition.in_tree is None:
                continue
            row = rows.row_of.get(condition.in_tree, -1)
            if row < 0 or not rows.alive[row]:
                return np.zeros(0, dtype=np.int32)
            root = int(rows.root[row])
            shared = forest.sharing(self._fleet).rows
            if bound or not any(rows.root[other] == root for other in shared):
                found = {root} if found is None else found & {root}
        if found is None:
            return forest.roots_by_name(self._fleet)
        return np.array([root for root in found if rows.alive[root]], dtype=np.int32)

    def _mask(self, roots: Rows32) -> Rows32:
        return roots[sieve.root_mask(self._fleet, self._plan)[roots]]

    def _groups(self, roots: Rows32) -> Iterator[tuple[Rows32, Rows32, int, object]]:
        """Sort trees by shape, and by how many share with them.

        :returns: for each sort: where its trees stand among the roots, the rows in reach of each,
            how many of them are its own, and what names the sort.
        """
        self._tick()
        known = layout(self._fleet).trees
        shapes = known.shape(roots, self._fleet.state.rows)
        shared = forest.sharing(self._fleet)
        for shape in np.unique(shapes).tolist():
            places = np.flatnonzero(shapes == shape).astype(np.int32)
            width = len(known.shapes[shape])
            own = known.matrix(roots[places], width)
            if not shared.rows:
                yield places, own, width, shape
                continue
            sets, which = shared.serving_each(own, self._fleet)
            for kinship, numbers, outside in self._outside(sets):
                there = numbers[which]
                some = there >= 0
                matrix = np.concatenate((own[some], outside[there[some]]), axis=1)
                yield places[some], matrix, width, (shape, kinship)

    def _outside(self, sets: list[tuple[int, ...]]) -> Iterator[tuple[object, Rows32, Rows32]]:
        """Sort sets of sharing providers by how these stand to each other.

        :returns: for each sort: what names it, the line of each set or -1, and the lines of rows.
        """
        alike: dict[object, list[int]] = {}
        for number, outside in enumerate(sets):
            alike.setdefault(forest.Sharing.kinship(outside, self._fleet), []).append(number)
        for kinship, members in alike.items():
            numbers = np.full(len(sets), -1, dtype=np.int32)
            numbers[members] = np.arange(len(members))
            lines = np.array([sets[number] for number in members], dtype=np.int32)
            yield kinship, numbers, lines.reshape(len(members), -1)

    def _alike(
        self, places: Rows32, matrix: Rows32, width: int, sort: object
    ) -> list[tuple[int, list[int], Ways]]:
        """Return where each tree that may serve stands, its rows in reach, and its patterns."""
        likeness = self._likeness(matrix, width)
        names = likeness.describe()
        places, lines = places[likeness.alive].tolist(), matrix[likeness.alive].tolist()
        found: list[tuple[int, list[int], Ways]] = []
        for place, rows, name in zip(places, lines, names, strict=True):
            found.append((place, rows, self._ways((sort, name), rows[0])))
        return found

    def _stands(
        self, first: int, places: Rows32, matrix: Rows32, width: int, sort: object
    ) -> Iterator[Stand]:
        likeness = self._likeness(matrix, width)
        names = likeness.describe()
        places, matrix = places[likeness.alive] + np.int32(first), matrix[likeness.alive]
        number_of = {name: number for number, name in enumerate(dict.fromkeys(names))}
        numbers = np.array([number_of[name] for name in names], dtype=np.int32)
        order = np.argsort(numbers, kind="stable")
        ends = np.flatnonzero(np.diff(numbers[order])) + 1
        for name, lines in zip(number_of, np.split(order, ends), strict=False):
            ways = self._ways((sort, name), int(matrix[lines[0], 0]))
            yield Stand(places[lines], matrix[lines], ways)

    def _likeness(self, matrix: Rows32, width: int) -> Likeness:
        ranked = self._source is None and self._order == TIGHTEST
        return Likeness(self._fleet, self._plan, matrix, width, ranked=ranked)

    def _ways(self, alike: object, root_row: int) -> Ways:
        """Return the patterns of a tree, worked out before if it is alike another one."""
        solved = self._solved.get(alike)
        if solved is None:
            solved = self._solved[alike] = Solved(self._patterns(root_row, None))
        if self._source is None:
            return solved
        return Shuffled(solved, self._patterns(root_row, self._source), self._source)

    def _patterns(self, root_row: int, source: Random | None) -> Patterns:
        order = self._order if self._source is None else NAME
        tree = functools.partial(
            TreeSearch,
            self._fleet,
            self._plan,
            root_row,
            order,
            nested=self._nested,
            source=source,
            tick=self._tick,
        )
        return lambda: tree().patterns()


def chunks(
    roots: Rows32,
    limit: int | None,
    mask: Callable[[Rows32], Rows32] | None,
    source: Random | None,
) -> Iterator[Rows32]:
    """Give roots in their order, or in a random one, some at once.

    :param limit: how many are wanted; a few more are given at first, then more and more.
    :param mask: drops roots that cannot serve; not worth its while for the first ones.
    """
    if source is not None:
        roots = np.random.default_rng(source.getrandbits(64)).permutation(roots)
    size = _MOST_TREES if limit is None else min(max(limit, _FEWEST_TREES), _MOST_TREES)
    visited = 0
    while len(roots):
        yield roots[:size]
        visited += size
        roots = roots[size:]
        if mask is not None and visited >= _FEW_TREES and len(roots) > size:
            roots, mask = mask(roots), None
        size = min(visited, _MOST_TREES)
