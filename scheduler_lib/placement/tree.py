"""The candidates of one tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from scheduler_lib.fleet import Fleet, StockColumns
from scheduler_lib.fleet.arrays import Rows32
from scheduler_lib.model.request import UNSUFFIXED
from scheduler_lib.placement import forest
from scheduler_lib.placement.candidate import Candidate
from scheduler_lib.placement.pattern import Pattern, summed
from scheduler_lib.placement.plan import Condition, Demand, Plan
from scheduler_lib.placement.solver import Check, Rooms, Solver, Tick, Variable, no_tick

TIGHTEST = "tightest"
NAME = "name"


class TreeSearch:
    """One request on one tree.

    :param root_row: the row of the tree's root.
    :param order: ``tightest`` or ``name``.
    :param nested: use more than one provider of a tree.
    :param source: try the providers in a random order instead.
    :param tick: is called now and then; what it raises ends the search.
    """

    def __init__(
        self,
        fleet: Fleet,
        plan: Plan,
        root_row: int,
        order: str,
        *,
        nested: bool = True,
        source: Random | None = None,
        tick: Tick = no_tick,
    ) -> None:
        self._fleet = fleet
        self._plan = plan
        self._root = root_row
        self._tightest = order == TIGHTEST
        self._nested = nested
        self._source = source
        self._tick = tick
        self._rooms: Rooms = {}
        self._lines: dict[int, set[int]] = {}

    def candidates(self) -> Iterator[Candidate]:
        """Give the candidates one after another."""
        for variables, chosen in self._solutions(self._reach()):
            yield Candidate(self._root, *summed(variables, chosen))

    def patterns(self) -> Iterator[Pattern]:
        """Give the candidates one after another, told by places in the tree."""
        reach = self._reach()
        places = {row: place for place, row in enumerate([*reach[0].tolist(), *reach[1].tolist()])}
        for variables, chosen in self._solutions(reach):
            yield Pattern(*summed(variables, [places[row] for row in chosen]))

    def _reach(self) -> tuple[Rows32, Rows32]:
        """Return the rows of the tree, and of those that share with it."""
        fleet = self._fleet
        tree = forest.tree(fleet, self._root)
        shared = forest.sharing(fleet)
        outside = shared.serving(tree, fleet) if shared.rows else ()
        return np.array(tree, dtype=np.int32), np.array(outside, dtype=np.int32)

    def _solutions(
        self, reach: tuple[Rows32, Rows32]
    ) -> Iterator[tuple[Sequence[Variable], list[int]]]:
        fleet, plan = self._fleet, self._plan
        if plan.root is not None and not forest.meeting(fleet, plan.root)[self._root]:
            return
        variables = self._variables(*reach)
        if not all(variable.options for variable in variables):
            return
        checks, near = self._checks(variables)
        solver = Solver(variables, self._rooms, checks, near, self._free_from(), self._tick)
        for chosen in solver.solutions():
            yield variables, chosen

    def _variables(self, own: Rows32, outside: Rows32) -> list[Variable]:
        plan = self._plan
        reach = np.concatenate((own, outside)) if len(outside) else own
        able = self._allowed(own, outside)
        loose = [
            Variable(UNSUFFIXED, (item,), self._options((item,), able), isolated=False)
            for item in plan.demand
        ]
        loose.sort(key=_fewest_first)
        options = [
            self._options(kind.demand, self._met(reach, kind.condition)) for kind in plan.kinds
        ]
        bound = [
            Variable(
                group.suffix,
                group.demand,
                options[group.kind],
                isolated=plan.isolate,
            )
            for group in plan.groups
        ]
        if len(plan.kinds) > 1:
            bound.sort(key=_fewest_first)
        return loose + bound

    def _allowed(self, own: Rows32, outside: Rows32) -> Rows32:
        """Return the providers that may serve the unsuffixed group, whatever they have."""
        fleet, plan = self._fleet, self._plan
        able = self._met(own, plan.condition)
        if not len(outside) or plan.bound:
            return able
        if plan.anchor is not None and not forest.meeting(fleet, plan.anchor)[self._root]:
            return able
        return np.concatenate((able, self._met(outside, plan.outside)))

    def _met(self, rows: Rows32, condition: Condition | None) -> Rows32:
        if condition is None:
            return rows
        return rows[forest.meeting(self._fleet, condition)[rows]]

    def _options(self, demand: Demand, rows: Rows32) -> Sequence[int]:
        """Return the providers that can give a demand asked alone, in the order to try them."""
        frees: dict[int, tuple[int, ...]] = dict.fromkeys(rows.tolist(), ())
        for name, amount in demand:
            stock = self._fleet.stock(name)
            if stock is None:
                return ()
            frees = self._able(stock, amount, rows, frees, self._rooms.setdefault(name, {}))
        options = list(frees)
        if self._source is not None:
            self._source.shuffle(options)
        elif self._tightest and len(options) > 1:
            # Equal ones stay in the order of the tree.
            options.sort(key=frees.__getitem__)
        return options

    @staticmethod
    def _able(
        stock: StockColumns,
        amount: int,
        rows: Rows32,
        frees: dict[int, tuple[int, ...]],
        rooms: dict[int, int],
    ) -> dict[int, tuple[int, ...]]:
        """Return which of the providers in ``frees`` can give units, and what they have left."""
        slots = stock.slots(rows)
        left, most = stock.column("free")[slots], stock.column("max_unit")[slots]
        allowed = stock.limits().allow(amount)
        able = {}
        for row, slot, free, at_once in zip(
            rows.tolist(), slots.tolist(), left.tolist(), most.tolist(), strict=True
        ):
            if slot < 0 or free < amount or row not in frees:
                continue
            if allowed or _allows(stock, slot, amount):
                rooms[row] = min(free, at_once)
                able[row] = (*frees[row], free)
        return able

    def _free_from(self) -> int:
        plan = self._plan
        return len(plan.demand) if plan.required or plan.any_of else 0

    def _checks(
        self, variables: Sequence[Variable]
    ) -> tuple[dict[int, list[Check]], list[list[int]]]:
        """Return what must hold after which variable, and which variables stand close together."""
        plan = self._plan
        checks: dict[int, list[Check]] = {}
        near: list[list[int]] = []
        if plan.required or plan.any_of:
            checks[len(plan.demand) - 1] = [self._together]
        for suffixes in plan.same_subtree:
            places = [n for n, item in enumerate(variables) if item.suffix in suffixes]
            near.append(places)
            for done in range(1, len(places) + 1):
                later = {row for place in places[done:] for row in variables[place].options}
                check = self._under_one(places[:done], later)
                checks.setdefault(places[done - 1], []).append(check)
        if not self._nested:
            giving = [n for n, item in enumerate(variables) if item.demand]
            near.append(giving)
            for done in range(2, len(giving) + 1):
                check = self._one_of_each_tree(giving[:done])
                checks.setdefault(giving[done - 1], []).append(check)
        return checks, near

    def _together(self, chosen: Sequence[int]) -> bool:
        """Tell whether the providers of the unsuffixed group have the traits together."""
        plan = self._plan
        traits: set[str] = set()
        for row in set(chosen[: len(plan.demand)]):
            traits |= self._fleet.traits(row)
        return plan.required <= traits and not any(map(traits.isdisjoint, plan.any_of))

    def _one_of_each_tree(self, places: Sequence[int]) -> Check:
        """Return the check that no two of the providers chosen are of one tree."""

        def check(chosen: Sequence[int]) -> bool:
            rows = {chosen[place] for place in places}
            return len(set(map(self._fleet.root, rows))) == len(rows)

        return check

    def _under_one(self, places: Sequence[int], later: set[int]) -> Check:
        """Return the check that one provider, chosen or still to be, is above all those chosen."""

        def check(chosen: Sequence[int]) -> bool:
            rows = {chosen[place] for place in places}
            above = set.intersection(*map(self._line, rows))
            return not (above.isdisjoint(rows) and above.isdisjoint(later))

        return check

    def _line(self, row: int) -> set[int]:
        """Return a row and all it hangs under."""
        known = self._lines.get(row)
        if known is None:
            known = self._lines[row] = {row}
            while (row := self._fleet.parent(row)) >= 0:
                known.add(row)
        return known


def _fewest_first(variable: Variable) -> tuple[int, list[int]]:
    """Order variables: few options first, then much asked first; that fails, or fits, sooner."""
    return len(variable.options), [-amount for _, amount in variable.demand]


def _allows(stock: StockColumns, slot: int, amount: int) -> bool:
    return (
        stock.cell("min_unit", slot) <= amount <= stock.cell("max_unit", slot)
        and amount % stock.cell("step_size", slot) == 0
    )
