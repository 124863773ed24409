"""Which trees are alike: what serves a request from one of them serves it from all the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scheduler_lib.fleet import Fleet
from scheduler_lib.fleet.arrays import Bools, Ints, Rows32
from scheduler_lib.placement import forest
from scheduler_lib.placement.plan import Condition, Demand, Plan

_Bytes = NDArray[np.uint8]
_BEYOND = np.iinfo(np.int64).max


class Likeness:
    """Describes trees of one shape, with the same providers sharing with them, by bytes.

    Two of them with equal descriptions have the same patterns, in the same order: a description
    says who can meet each demand, in which order they are tried, what traits they bring along, and
    how much they have of a class that several demands may take from them.

    :param matrix: the rows in reach, a line a tree.
    :param width: how many of them are the tree's own.
    :param ranked: who has the least left is tried first.
    """

    def __init__(
        self, fleet: Fleet, plan: Plan, matrix: Rows32, width: int, *, ranked: bool
    ) -> None:
        self._fleet = fleet
        self._plan = plan
        self._matrix = matrix
        self._width = width
        self._ranked = ranked
        self._columns: dict[str, tuple[Ints, Rows32, Bools] | None] = {}
        self.alive: Bools = np.ones(len(matrix), dtype=np.bool_)
        self._parts: list[_Bytes] = []

    def describe(self) -> list[bytes]:
        """Return the description of each tree that may serve; ``alive`` tells which they are."""
        plan = self._plan
        if plan.root is not None:
            self.alive &= forest.meeting(self._fleet, plan.root)[self._matrix[:, 0]]
        for demand, met in self._asked():
            able = self._able(demand, met)
            self.alive &= able.any(axis=1)
            if not self.alive.any():
                return []
            self._parts.append(np.packbits(able, axis=1))
            if self._ranked and demand and able.shape[1] > 1:
                self._parts.append(_bytes(self._ranks(demand, able)))
        self._parts += self._rooms()
        self._parts += self._traits()
        lines = np.concatenate(self._parts, axis=1)[self.alive]
        text, size = lines.tobytes(), lines.shape[1]
        return [text[start : start + size] for start in range(0, len(text), size)]

    def _asked(self) -> Iterator[tuple[Demand, Bools | None]]:
        """Yield each demand, and which providers may meet it whatever they have."""
        plan = self._plan
        loose = self._loose() if plan.demand else None
        for item in plan.demand:
            yield (item,), loose
        for demand, condition in plan.kinds:
            yield demand, self._meeting(condition)

    def _loose(self) -> Bools | None:
        plan, fleet, width = self._plan, self._fleet, self._width
        if plan.condition is None:
            return None
        met = self._meeting(plan.condition)
        if met is None or width == self._matrix.shape[1]:
            return met
        outside = self._meeting(plan.outside)
        met[:, width:] = False if plan.bound or outside is None else outside[:, width:]
        if plan.anchor is not None:
            met[:, width:] &= forest.meeting(fleet, plan.anchor)[self._matrix[:, :1]]
        return met

    def _meeting(self, condition: Condition | None) -> Bools | None:
        return None if condition is None else forest.meeting(self._fleet, condition)[self._matrix]

    def _able(self, demand: Demand, met: Bools | None) -> Bools:
        able = np.ones(self._matrix.shape, dtype=np.bool_) if met is None else met
        for name, amount in demand:
            column = self._column(name)
            if column is None:
                return np.zeros(self._matrix.shape, dtype=np.bool_)
            free, slots, there = column
            able = able & there & (free >= amount)
            stock = self._fleet.state.stocks[name]
            if not stock.limits().allow(amount):
                allowed = stock.allows(amount)
                if allowed is not None:
                    able &= allowed[slots]
        return able

    def _column(self, name: str) -> tuple[Ints, Rows32, Bools] | None:
        """Return what each provider has free of a class, its slot, and whether it has any."""
        if name not in self._columns:
            stock = self._fleet.stock(name)
            if stock is None or not stock.size:
                self._columns[name] = None
            else:
                slots = stock.slots(self._matrix)
                there = slots >= 0
                slots = np.where(there, slots, np.int32(0))
                self._columns[name] = (stock.free[slots], slots, there)
        return self._columns[name]

    def _ranks(self, demand: Demand, able: Bools) -> Ints:
        """Return the places in the order to try them; what follows the able ones means nothing.

        Places that are able in no tree are not sorted. A line has room for all the same, so that
        every description of trees of that shape is read in the same way.
        """
        width = able.shape[1]
        found = np.zeros(able.shape, dtype=np.uint8 if width < 256 else np.uint32)
        places = np.flatnonzero(able.any(axis=0))
        if len(places) < 2:
            return found
        able = able[:, places]
        order = None
        for name, _ in reversed(demand):
            column = self._column(name)
            assert column is not None  # noqa: S101 - some tree is able
            free = np.where(able, column[0][:, places], _BEYOND)
            if order is not None:
                free = np.take_along_axis(free, order, axis=1)
            ranks = np.argsort(free, axis=1, kind="stable")
            order = ranks if order is None else np.take_along_axis(order, ranks, axis=1)
        found[:, : len(places)] = places[order]
        return found

    def _rooms(self) -> Iterator[_Bytes]:
        """Yield how much there is of each class that more than one demand asks for.

        What is beyond all that is asked makes no difference.
        """
        asked: Counter[str] = Counter()
        times: Counter[str] = Counter()
        plan = self._plan
        kinds = zip(plan.kinds, plan.counts, strict=True)
        counted = [((item,), 1) for item in plan.demand]
        for demand, count in [*counted, *((kind.demand, count) for kind, count in kinds)]:
            for name, amount in demand:
                asked[name] += amount * count
                times[name] += count
        for name, count in times.items():
            column = self._column(name)
            if count > 1 and column is not None:
                free, slots, there = column
                most = self._fleet.state.stocks[name].max_unit[slots]
                room = np.minimum(np.minimum(free, most), asked[name])
                yield _bytes(np.where(there, np.maximum(room, 0), 0))

    def _traits(self) -> Iterator[_Bytes]:
        """Yield who has which of the traits that must be there together."""
        plan = self._plan
        traits = self._fleet.state.traits
        for name in sorted(plan.required.union(*plan.any_of)):
            has = traits.has(name, self._matrix.ravel()).reshape(self._matrix.shape)
            yield np.packbits(has, axis=1)


def _bytes(array: NDArray[np.integer]) -> _Bytes:
    return np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
