"""Why a tree cannot serve a request, in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scheduler_lib.fleet import Fleet, StockColumns
from scheduler_lib.model.decision import ReasonKind
from scheduler_lib.model.request import UNSUFFIXED
from scheduler_lib.placement import forest
from scheduler_lib.placement.candidate import Shortfall
from scheduler_lib.placement.plan import Condition, Demand, Plan

_NEVER = ReasonKind.NEVER
_NOT_NOW = ReasonKind.NOT_NOW


class Explainer:
    """Looks for what is missing: on each group alone, then on all of them together.

    :param root_row: the row of the root of a tree without candidates.
    """

    def __init__(self, fleet: Fleet, plan: Plan, root_row: int) -> None:
        self._fleet = fleet
        self._plan = plan
        self._root = root_row
        own = forest.tree(fleet, root_row)
        self._outside = frozenset(forest.sharing(fleet).serving(own, fleet))
        self._reach: Sequence[int] = (*own, *sorted(self._outside))

    def shortfalls(self) -> tuple[Shortfall, ...]:
        """Return what is missing; one entry at least."""
        found = [*self._of_root(), *self._of_unsuffixed()]
        for kind, suffix in zip(self._plan.kinds, self._suffixes(), strict=True):
            found += self._of_group(suffix, *kind)
        found = found or [*self._of_counts()] or [*self._of_sums()]
        return tuple(found) or (self._of_combination(),)

    def _suffixes(self) -> list[str]:
        """Return the first suffix of each kind."""
        first: dict[int, str] = {}
        for group in self._plan.groups:
            first.setdefault(group.kind, group.suffix)
        return [first[kind] for kind in range(len(self._plan.kinds))]

    def _of_root(self) -> Iterator[Shortfall]:
        if self._plan.root is not None:
            traits = self._fleet.traits(self._root)
            for name in sorted(self._plan.root.required - traits):
                yield Shortfall(name, _NEVER, f"the root lacks the trait {name}")
            for name in sorted(self._plan.root.forbidden & traits):
                yield Shortfall(name, _NEVER, f"the root has the forbidden trait {name}")

    def _of_unsuffixed(self) -> list[Shortfall]:
        plan = self._plan
        found: list[Shortfall] = []
        for item in plan.demand:
            found += self._of_group(UNSUFFIXED, (item,), plan.condition)
        if not plan.demand:
            return found
        # Named even where amounts are short too: who mends one thing should not meet the next.
        givers = [
            row
            for item in plan.demand
            for row in self._meeting(plan.condition)
            if self._has(row, (item,))
        ]
        traits = frozenset[str]().union(*map(self._fleet.traits, givers))
        for name in sorted(plan.required - traits):
            found.append(Shortfall(name, _NEVER, f"no provider of it has the trait {name}"))
        for choice in plan.any_of:
            if traits.isdisjoint(choice):
                found.append(_none_of(choice, UNSUFFIXED))
        return found

    def _of_group(
        self, suffix: str, demand: Demand, condition: Condition | None
    ) -> list[Shortfall]:
        """Say why no provider in reach can serve a group alone; nothing when one can."""
        holders = [row for row in self._reach if self._has(row, demand)]
        if not holders:
            return [self._no_inventory(suffix, demand, self._reach)]
        if condition is not None:
            met = self._meeting(condition)
            holding = [row for row in holders if row in met]
            if not holding:
                return self._unmet(suffix, condition, holders)
            holders = holding
        if any(self._gives(row, demand) for row in holders):
            return []
        return [
            self._too_little(suffix, *item, holders)
            for item in demand
            if not any(self._gives(row, (item,)) for row in holders)
        ] or [
            Shortfall(
                demand[0][0], _NOT_NOW, "no provider has enough of every class at once", suffix
            )
        ]

    def _no_inventory(self, suffix: str, demand: Demand, reach: Sequence[int]) -> Shortfall:
        for name, amount in demand:
            if not any(self._has(row, ((name, amount),)) for row in reach):
                message = f"has no {name}, {amount} asked"
                return Shortfall(name, _NEVER, message, suffix, amount, 0, 0)
        names = ", ".join(name for name, _ in demand)
        return Shortfall(demand[0][0], _NEVER, f"no provider has all of {names}", suffix)

    def _unmet(self, suffix: str, condition: Condition, holders: list[int]) -> list[Shortfall]:
        """Name the parts of a condition that no holder meets; all of it if none fails alone."""
        parts: list[tuple[Condition, Shortfall]] = []
        for name in sorted(condition.required):
            message = f"no provider of it has the trait {name}"
            parts.append(
                (Condition(required=frozenset((name,))), Shortfall(name, _NEVER, message, suffix))
            )
        parts += [
            (Condition(any_of=(choice,)), _none_of(choice, suffix)) for choice in condition.any_of
        ]
        for name in sorted(condition.forbidden):
            message = f"every provider of it has the forbidden trait {name}"
            parts.append(
                (Condition(forbidden=frozenset((name,))), Shortfall(name, _NEVER, message, suffix))
            )
        parts += _place_parts(condition, suffix)
        found = []
        for part, shortfall in parts:
            met = self._meeting(part)
            if not any(row in met for row in holders):
                found.append(shortfall)
        message = "no provider meets all of its conditions at once"
        return found or [Shortfall("conditions", _NEVER, message, suffix)]

    def _too_little(self, suffix: str, name: str, amount: int, holders: list[int]) -> Shortfall:
        stock = self._stock(name)
        slots = [stock.slot(row) for row in holders]
        free = max(stock.cell("free", slot) for slot in slots)
        limit = max(_limit(stock, slot) for slot in slots)
        if limit < amount:
            message = f"{amount} {name} asked, at most {limit} at once"
            return Shortfall(name, _NEVER, message, suffix, amount, max(free, 0), limit)
        if not any(_allows(stock, slot, amount) for slot in slots):
            units = sorted({(stock.cell("min_unit", s), stock.cell("step_size", s)) for s in slots})
            message = (
                f"{amount} {name} asked, but it is given out from {units[0][0]} on "
                f"in steps of {units[0][1]}"
            )
            return Shortfall(name, _NEVER, message, suffix, amount, max(free, 0), limit)
        message = f"{amount} {name} asked, {max(free, 0)} free of {limit}"
        return Shortfall(name, _NOT_NOW, message, suffix, amount, max(free, 0), limit)

    def _of_counts(self) -> Iterator[Shortfall]:
        """Say which groups find a provider alone, but not all of them one."""
        plan = self._plan
        for (demand, condition), count, suffix in zip(
            plan.kinds, plan.counts, self._suffixes(), strict=True
        ):
            if count == 1 or not demand:
                continue
            met = self._meeting(condition)
            rows = [row for row in self._reach if row in met and self._has(row, demand)]
            now = sum(self._times(row, demand, "free") for row in rows)
            empty = sum(self._times(row, demand, "capacity") for row in rows)
            if now < count:
                kind = _NOT_NOW if empty >= count else _NEVER
                who = "providers" if plan.isolate else "times its providers"
                message = f"{now} {who} can serve {_text(demand)}, {count} asked"
                yield Shortfall(demand[0][0], kind, message, suffix, count, now, empty)

    def _of_sums(self) -> Iterator[Shortfall]:
        """Say which class is too little for all groups together."""
        asked: dict[str, int] = {}
        for demand in (self._plan.demand, *(group.demand for group in self._plan.groups)):
            for name, amount in demand:
                asked[name] = asked.get(name, 0) + amount
        for name, amount in asked.items():
            stock = self._stock(name)
            slots = [slot for slot in map(stock.slot, self._reach) if slot >= 0]
            free = sum(max(stock.cell("free", slot), 0) for slot in slots)
            limit = sum(stock.cell("capacity", slot) for slot in slots)
            if free < amount:
                kind = _NOT_NOW if limit >= amount else _NEVER
                message = f"{amount} {name} asked in all, {free} free of {limit}"
                yield Shortfall(name, kind, message, UNSUFFIXED, amount, free, limit)

    def _of_combination(self) -> Shortfall:
        rules = ["group_policy isolate"] if self._plan.isolate else []
        rules += ["same_subtree"] if self._plan.same_subtree else []
        under = f" under {' and '.join(rules)}" if rules else ""
        message = f"each group can be served alone, but not all of them together{under}"
        return Shortfall("combination", _NOT_NOW, message)

    def _times(self, row: int, demand: Demand, column: str) -> int:
        """Return how often a provider can give a demand; once at most under isolate."""
        times = []
        for name, amount in demand:
            stock = self._stock(name)
            slot = stock.slot(row)
            most = min(stock.cell(column, slot), stock.cell("max_unit", slot))
            times.append(max(most, 0) // amount if _allows(stock, slot, amount) else 0)
        return min(*times, 1) if self._plan.isolate else min(times)

    def _meeting(self, condition: Condition | None) -> frozenset[int]:
        if condition is None:
            return frozenset(self._reach)
        met = forest.meeting(self._fleet, condition)
        found = frozenset(row for row in self._reach if met[row])
        plan = self._plan
        if condition != plan.condition or plan.outside is None:
            return found
        found -= self._outside
        if plan.bound or (plan.anchor and not forest.meeting(self._fleet, plan.anchor)[self._root]):
            return found
        met = forest.meeting(self._fleet, plan.outside)
        return found.union(row for row in self._outside if met[row])

    def _has(self, row: int, demand: Demand) -> bool:
        for name, _ in demand:
            stock = self._fleet.stock(name)
            if stock is None or stock.slot(row) < 0:
                return False
        return True

    def _gives(self, row: int, demand: Demand) -> bool:
        for name, amount in demand:
            stock = self._stock(name)
            slot = stock.slot(row)
            if stock.cell("free", slot) < amount or not _allows(stock, slot, amount):
                return False
        return True

    def _stock(self, name: str) -> StockColumns:
        stock = self._fleet.stock(name)
        assert stock is not None  # noqa: S101 - asked only after a provider was found to have it
        return stock


def _place_parts(condition: Condition, suffix: str) -> Iterator[tuple[Condition, Shortfall]]:
    spans = condition.spans
    if condition.member_of:
        message = "no provider of it is in the aggregates asked for"
        part = Condition(member_of=condition.member_of, spans=spans)
        yield part, Shortfall("aggregates", _NEVER, message, suffix)
    if condition.forbidden_aggregates:
        message = "every provider of it is in an excluded aggregate"
        part = Condition(forbidden_aggregates=condition.forbidden_aggregates, spans=spans)
        yield part, Shortfall("forbidden_aggregates", _NEVER, message, suffix)
    if condition.in_tree is not None:
        message = f"provider {condition.in_tree} is in another tree"
        part = Condition(in_tree=condition.in_tree)
        yield part, Shortfall("in_tree", ReasonKind.EXCLUDED, message, suffix)


def _none_of(choice: frozenset[str], suffix: str) -> Shortfall:
    names = " or ".join(sorted(choice))
    return Shortfall(names, _NEVER, f"no provider of it has the trait {names}", suffix)


def _text(demand: Demand) -> str:
    return " and ".join(f"{amount} {name}" for name, amount in demand)


def _limit(stock: StockColumns, slot: int) -> int:
    return min(stock.cell("capacity", slot), stock.cell("max_unit", slot))


def _allows(stock: StockColumns, slot: int, amount: int) -> bool:
    return (
        stock.cell("min_unit", slot) <= amount <= stock.cell("max_unit", slot)
        and amount % stock.cell("step_size", slot) == 0
    )
