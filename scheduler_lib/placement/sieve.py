"""The pass over the columns that drops trees which surely cannot serve a request."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scheduler_lib.fleet import Fleet, StockColumns
from scheduler_lib.fleet.arrays import Bools
from scheduler_lib.placement import forest
from scheduler_lib.placement.plan import Condition, Demand, Kind, Plan

_Numbers = NDArray[np.float64] | NDArray[np.int64]


def root_mask(fleet: Fleet, plan: Plan) -> Bools:
    """Tell for each row whether it is a root that may serve; False is final, True is not."""
    mask = forest.roots(fleet).copy()
    for _, passing in stages(fleet, plan):
        mask &= passing
    return mask


def stages(fleet: Fleet, plan: Plan) -> Iterator[tuple[str, Bools]]:
    """Yield what a tree must have, one thing after another: its name, and which roots have it."""
    if plan.root is not None:
        yield "root_traits", forest.meeting(fleet, plan.root)
    for demand in plan.demand:
        yield demand[0], _loose(fleet, plan, demand)
    for name in sorted(plan.required):
        yield f"trait:{name}", _reached(fleet, Condition(required=frozenset((name,))))
    for choice in plan.any_of:
        yield f"trait:{_either(choice)}", _reached(fleet, Condition(any_of=(choice,)))
    for kind, count in zip(plan.kinds, plan.counts, strict=True):
        yield from _of_kind(fleet, kind, count, plan.isolate)


def _of_kind(fleet: Fleet, kind: Kind, count: int, isolate: bool) -> Iterator[tuple[str, Bools]]:
    amounts, condition = kind
    if condition is not None or not amounts:
        yield _label(condition or Condition()), _reached(fleet, condition or Condition())
    if count == 1 and amounts:
        yield "+".join(name for name, _ in amounts), _one(fleet, amounts, condition)
    elif amounts:
        label = f"{count}x{'+'.join(name for name, _ in amounts)}"
        yield label, _several(fleet, amounts, condition, count, isolate)


def _label(condition: Condition) -> str:
    names = [
        *sorted(condition.required),
        *(_either(choice) for choice in condition.any_of),
        *(f"!{name}" for name in sorted(condition.forbidden)),
    ]
    return f"trait:{','.join(names)}" if names else "group_conditions"


def _either(choice: frozenset[str]) -> str:
    return "|".join(sorted(choice))


def _able(
    fleet: Fleet, demand: Demand, condition: Condition | None
) -> tuple[StockColumns, forest.Slots, Bools] | None:
    """Tell by slot of the first class which providers can give the whole demand."""
    resource_class, amount = demand[0]
    stock = fleet.stock(resource_class)
    if stock is None:
        return None
    slots = forest.slots(fleet, resource_class, condition)
    able: Bools = stock.free >= amount
    allowed = stock.allows(amount)
    if allowed is not None:
        able &= allowed
    if slots.meeting is not None:
        able &= slots.meeting
    for other_class, other_amount in demand[1:]:
        other = fleet.stock(other_class)
        if other is None:
            return None
        places = other.slots(stock.rows)
        there = other.free >= other_amount
        allowed = other.allows(other_amount)
        if allowed is not None:
            there = there & allowed
        able &= np.append(there, False)[places]
    return stock, slots, able


def _loose(fleet: Fleet, plan: Plan, item: tuple[str, int]) -> Bools:
    """Tell by row whether a provider in reach of that root can give units to the unsuffixed group.

    What it must be is another thing for the tree's own providers than for those that share with it.
    """
    if plan.condition is None:
        return _one(fleet, (item,), None)
    found = _one(fleet, (item,), plan.condition, shares=False)
    if not plan.bound:
        outside = _one(fleet, (item,), plan.outside, owns=False)
        if plan.anchor is not None:
            outside &= forest.meeting(fleet, plan.anchor)
        found |= outside
    return found


def _one(
    fleet: Fleet,
    demand: Demand,
    condition: Condition | None,
    *,
    owns: bool = True,
    shares: bool = True,
) -> Bools:
    """Tell by row whether a provider in reach of that root can give the whole demand.

    :param owns: look at the tree's own providers.
    :param shares: look at those that share with it.
    """
    found = np.zeros(len(fleet.state.rows), dtype=np.bool_)
    shared = forest.sharing(fleet)
    if not owns and not shared.rows:
        return found
    known = _able(fleet, demand, condition)
    if known is None:
        return found
    stock, slots, able = known
    if owns:
        found[slots.roots[able]] = True
    for row in shared.rows if shares else ():
        slot = stock.slot(row)
        if slot >= 0 and able[slot]:
            found[shared.anchors(row, fleet)] = True
    return found


def _several(
    fleet: Fleet, demand: Demand, condition: Condition | None, count: int, isolate: bool
) -> Bools:
    """Tell by row whether the providers in reach can give the demand that many times."""
    size = len(fleet.state.rows)
    known = _able(fleet, demand, condition)
    if known is None:
        return np.zeros(size, dtype=np.bool_)
    stock, slots, able = known
    times: _Numbers
    if isolate:
        times = np.bincount(slots.roots[able], minlength=size)
    else:
        units = np.minimum(stock.free, stock.max_unit)[able] // demand[0][1]
        times = np.bincount(slots.roots[able], weights=units, minlength=size)
    shared = forest.sharing(fleet)
    for row in shared.rows:
        slot = stock.slot(row)
        if slot >= 0 and able[slot]:
            each = 1 if isolate else min(stock.free[slot], stock.max_unit[slot]) // demand[0][1]
            times[shared.anchors(row, fleet)] += each
    enough: Bools = times >= count
    return enough


def _reached(fleet: Fleet, condition: Condition) -> Bools:
    """Tell by row whether a provider in reach of that root meets a condition."""
    key = ("reached", condition)
    aspects = ("aggregates", "trait:MISC_SHARES_VIA_AGGREGATE", *condition.aspects())
    return fleet.answer(key, aspects, lambda: _reach(fleet, condition))


def _reach(fleet: Fleet, condition: Condition) -> Bools:
    met = forest.meeting(fleet, condition)
    found = np.zeros(len(met), dtype=np.bool_)
    found[fleet.state.rows.root[np.flatnonzero(met)]] = True
    shared = forest.sharing(fleet)
    for row in shared.rows:
        if met[row]:
            found[shared.anchors(row, fleet)] = True
    return found
