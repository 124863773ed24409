"""Candidates of many trees at once, for those who have thousands of them to write down."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from scheduler_lib.fleet.arrays import Rows32
from scheduler_lib.placement.pattern import Pattern
from scheduler_lib.placement.walk import Found, Stand

_BUNDLE = 64
_AT_ONCE = 512


class Batch(NamedTuple):
    """Candidates of trees that are served alike.

    In a turn, candidates come by the places of their trees, those of one tree in the order in which
    its batches come; turns come one after another.

    :ivar places: where each tree stands in its turn, ascending.
    :ivar rows: the rows in reach of each tree, a line a tree.
    :ivar patterns: the candidates of each of the trees, in their order.
    """

    turn: int
    places: Rows32
    rows: Rows32
    patterns: tuple[Pattern, ...]


def in_turn(stands: Iterator[list[Stand]], limit: int | None) -> Iterator[Batch]:
    """Give the first pattern of each tree, then the second of each, ..., until there are enough."""
    left = limit
    for batches in _turns(stands):
        if left is None:
            yield from batches
            continue
        yield from _cut(batches, left)
        left -= _count(batches)
        if left <= 0:
            return


def one_by_one(stands: Iterator[list[Stand]]) -> Iterator[Batch]:
    """Give all patterns of the first tree, then all of the second, ..."""
    for turn, found in enumerate(stands):
        for stand in found:
            for patterns in stand.ways.bundles(_BUNDLE):
                yield Batch(turn, stand.places, stand.rows, patterns)


def grouped(found: Iterator[Found], *, each: bool) -> Iterator[Batch]:
    """Put together what a search gives tree by tree.

    :param each: every pattern by itself: in a random order no two trees have the same bundles.
    """
    if each:
        found = ((rows, (pattern,)) for rows, patterns in found for pattern in patterns)
    for turn in itertools.count():
        groups: dict[tuple[tuple[Pattern, ...], int], tuple[list[int], list[Sequence[int]]]] = {}
        for place, (rows, patterns) in enumerate(itertools.islice(found, _AT_ONCE)):
            group = groups.setdefault((patterns, len(rows)), ([], []))
            group[0].append(place)
            group[1].append(rows)
        if not groups:
            return
        for (patterns, _), (places, lines) in groups.items():
            yield Batch(
                turn, np.array(places, dtype=np.int32), np.array(lines, dtype=np.int32), patterns
            )


def by_turn(batches: Iterator[Batch]) -> Iterator[Iterator[Batch]]:
    """Give the batches of each turn."""
    for _, found in itertools.groupby(batches, key=attrgetter("turn")):
        yield found


def _turns(stands: Iterator[list[Stand]]) -> Iterator[list[Batch]]:
    going: list[Stand] = []
    turns = itertools.count()
    for found in stands:
        yield _turn(found, next(turns), 0)
        going += found
    for way in itertools.count(1):
        batches = _turn(going, next(turns), way)
        if not batches:
            return
        yield batches


def _turn(stands: list[Stand], turn: int, way: int) -> list[Batch]:
    """Return the batches of one turn; stands that have no more ways are dropped."""
    batches, still = [], []
    for stand in stands:
        pattern = stand.ways.at(way)
        if pattern is not None:
            batches.append(Batch(turn, stand.places, stand.rows, (pattern,)))
            still.append(stand)
    stands[:] = still
    return batches


def _count(batches: list[Batch]) -> int:
    return sum([len(batch.places) for batch in batches])


def _cut(batches: list[Batch], limit: int) -> Iterator[Batch]:
    """Give the batches of one turn, of one candidate a tree, with the first trees only."""
    if limit <= 0 or not batches:
        return
    if _count(batches) <= limit:
        yield from batches
        return
    places = np.concatenate([batch.places for batch in batches])
    last = np.partition(places, limit - 1)[limit - 1]
    for turn, places, rows, patterns in batches:
        size = int(np.searchsorted(places, last, side="right"))
        if size:
            yield Batch(turn, places[:size], rows[:size], patterns)
