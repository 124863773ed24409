"""The candidates of one tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from scheduler_lib.fleet import Fleet, StockColumns
from scheduler_lib.fleet.arrays import Rows32
from scheduler_lib.model.request import UNSUFFIXED
from scheduler_lib.placement import forest
from scheduler_lib.placement.candidate import Candidate
from scheduler_lib.placement.plan import Condition, Demand, Plan
from scheduler_lib.placement.solver import Check, Rooms, Solver, Variable

TIGHTEST = "tightest"


class TreeSearch:
    """One request on one tree.

    :param root_row: the row of the tree's root.
    :param order: ``tightest`` or ``name``.
    """

    def __init__(self, fleet: Fleet, plan: Plan, root_row: int, order: str) -> None:
        self._fleet = fleet
        self._plan = plan
        self._root = root_row
        self._tightest = order == TIGHTEST
        self._rooms: Rooms = {}
        self._lines: dict[int, set[int]] = {}

    def candidates(self) -> Iterator[Candidate]:
        """Give the candidates one after another."""
        fleet, plan = self._fleet, self._plan
        if plan.root is not None and not forest.meeting(fleet, plan.root)[self._root]:
            return
        tree = forest.tree(fleet, self._root)
        own = reach = np.array(tree, dtype=np.int32)
        shared = forest.sharing(fleet)
        if shared.rows:
            reach = np.array((*tree, *shared.serving(tree, fleet)), dtype=np.int32)
        variables = self._variables(own, reach)
        if not all(variable.options for variable in variables):
            return
        checks, near = self._checks(variables)
        solver = Solver(variables, self._rooms, checks, near, self._free_from())
        for chosen in solver.solutions():
            yield self._candidate(variables, chosen)

    def _variables(self, own: Rows32, reach: Rows32) -> list[Variable]:
        plan = self._plan
        loose = []
        for item in plan.demand:
            able = self._options((item,), plan.condition, reach)
            loose.append(Variable(UNSUFFIXED, (item,), able, isolated=False))
        loose.sort(key=_fewest_first)
        options = [self._options(*kind, reach if kind.demand else own) for kind in plan.kinds]
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

    def _options(self, demand: Demand, condition: Condition | None, rows: Rows32) -> Sequence[int]:
        """Return the providers that can give a demand asked alone, in the order to try them."""
        if condition is not None:
            rows = rows[forest.meeting(self._fleet, condition)[rows]]
        frees: dict[int, tuple[int, ...]] = dict.fromkeys(rows.tolist(), ())
        for name, amount in demand:
            stock = self._fleet.stock(name)
            if stock is None:
                return ()
            frees = self._able(stock, amount, rows, frees, self._rooms.setdefault(name, {}))
        if len(frees) < 2:
            return list(frees)
        return [row for row, _ in sorted(frees.items(), key=self._order)]

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

    def _order(self, item: tuple[int, tuple[int, ...]]) -> tuple[tuple[int, ...], str, str]:
        row, free = item
        rows = self._fleet.state.rows
        return (free if self._tightest else (), rows.names[row], rows.uuids[row])

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
        return checks, near

    def _together(self, chosen: Sequence[int]) -> bool:
        """Tell whether the providers of the unsuffixed group have the traits together."""
        plan = self._plan
        traits: set[str] = set()
        for row in set(chosen[: len(plan.demand)]):
            traits |= self._fleet.traits(row)
        return plan.required <= traits and not any(map(traits.isdisjoint, plan.any_of))

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

    def _candidate(self, variables: Sequence[Variable], chosen: Sequence[int]) -> Candidate:
        amounts: dict[tuple[int, str], int] = {}
        mappings: dict[str, tuple[int, ...]] = {}
        for variable, row in zip(variables, chosen, strict=True):
            for name, amount in variable.demand:
                key = (row, name)
                amounts[key] = amounts.get(key, 0) + amount
            before = mappings.get(variable.suffix)
            if before is None:
                mappings[variable.suffix] = (row,)
            elif row not in before:
                mappings[variable.suffix] = tuple(sorted((*before, row)))
        summed = tuple([(row, name, amounts[row, name]) for row, name in sorted(amounts)])
        return Candidate(self._root, summed, mappings)


def _fewest_first(variable: Variable) -> tuple[int, list[int]]:
    """Order variables: few options first, then much asked first; that fails, or fits, sooner."""
    return len(variable.options), [-amount for _, amount in variable.demand]


def _allows(stock: StockColumns, slot: int, amount: int) -> bool:
    return (
        stock.cell("min_unit", slot) <= amount <= stock.cell("max_unit", slot)
        and amount % stock.cell("step_size", slot) == 0
    )
