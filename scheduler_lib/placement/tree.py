"""The candidates of one tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scheduler_lib.fleet import Fleet, StockColumns
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

    def candidates(self) -> Iterator[Candidate]:
        """Give the candidates one after another."""
        fleet, plan = self._fleet, self._plan
        if plan.root is not None and not forest.meeting(fleet, plan.root)[self._root]:
            return
        own = forest.tree(fleet, self._root)
        shared = forest.sharing(fleet)
        reach = own
        if shared.rows:
            reach = (*own, *shared.serving(own, fleet))
        variables = self._variables(own, reach)
        if not all(variable.options for variable in variables):
            return
        solver = Solver(variables, self._rooms, self._checks(variables), self._free_from())
        for chosen in solver.solutions():
            yield self._candidate(variables, chosen)

    def _variables(self, own: Sequence[int], reach: Sequence[int]) -> list[Variable]:
        plan = self._plan
        loose = []
        for item in plan.demand:
            able = self._options((item,), plan.condition, reach)
            loose.append(Variable(UNSUFFIXED, (item,), able, isolated=False))
        loose.sort(key=_fewest_first)
        options = {kind: self._options(*kind, reach if kind[0] else own) for kind in plan.kinds}
        bound = [
            Variable(
                group.suffix,
                group.demand,
                options[group.demand, group.condition],
                isolated=plan.isolate,
            )
            for group in plan.groups
        ]
        bound.sort(key=_fewest_first)
        return loose + bound

    def _options(
        self, demand: Demand, condition: Condition | None, rows: Sequence[int]
    ) -> Sequence[int]:
        met = None if condition is None else forest.meeting(self._fleet, condition)
        needs = []
        for name, amount in demand:
            stock = self._fleet.stock(name)
            if stock is None:
                return ()
            rooms = self._rooms.setdefault(name, {})
            needs.append((stock, amount, rooms, stock.limits().allow(amount)))
        found = []
        for row in rows:
            if met is not None and not met[row]:
                continue
            free = _frees(row, needs)
            if free is not None:
                found.append((free, row))
        if len(found) > 1:
            found.sort(key=self._order)
        return [row for _, row in found]

    def _order(self, item: tuple[tuple[int, ...], int]) -> tuple[tuple[int, ...], str, str]:
        free, row = item
        rows = self._fleet.state.rows
        return (free if self._tightest else (), rows.names[row], rows.uuids[row])

    def _free_from(self) -> int:
        plan = self._plan
        if plan.same_subtree:
            return len(plan.demand) + len(plan.groups)
        return len(plan.demand) if plan.required or plan.any_of else 0

    def _checks(self, variables: Sequence[Variable]) -> dict[int, list[Check]]:
        plan = self._plan
        checks: dict[int, list[Check]] = {}
        if plan.required or plan.any_of:
            checks[len(plan.demand) - 1] = [self._together]
        for suffixes in plan.same_subtree:
            places = [n for n, item in enumerate(variables) if item.suffix in suffixes]
            checks.setdefault(places[-1], []).append(self._under_one(places))
        return checks

    def _together(self, chosen: Sequence[int]) -> bool:
        """Tell whether the providers of the unsuffixed group have the traits together."""
        plan = self._plan
        traits: set[str] = set()
        for row in set(chosen[: len(plan.demand)]):
            traits |= self._fleet.traits(row)
        return plan.required <= traits and not any(map(traits.isdisjoint, plan.any_of))

    def _under_one(self, places: Sequence[int]) -> Check:
        def check(chosen: Sequence[int]) -> bool:
            rows = {chosen[place] for place in places}
            common = set.intersection(*({*self._line(row)} for row in rows))
            return not common.isdisjoint(rows)

        return check

    def _line(self, row: int) -> Iterator[int]:
        """Give a row and all it hangs under."""
        while row >= 0:
            yield row
            row = self._fleet.parent(row)

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


def _frees(
    row: int, needs: Sequence[tuple[StockColumns, int, dict[int, int], bool]]
) -> tuple[int, ...] | None:
    """Return what a provider has left of each class; None when it cannot give what is needed."""
    frees = []
    for stock, amount, rooms, allowed in needs:
        slot = stock.slot(row)
        if slot < 0:
            return None
        free = stock.cell("free", slot)
        if free < amount or not (allowed or _allows(stock, slot, amount)):
            return None
        rooms[row] = min(free, stock.cell("max_unit", slot))
        frees.append(free)
    return tuple(frees)


def _allows(stock: StockColumns, slot: int, amount: int) -> bool:
    return (
        stock.cell("min_unit", slot) <= amount <= stock.cell("max_unit", slot)
        and amount % stock.cell("step_size", slot) == 0
    )
