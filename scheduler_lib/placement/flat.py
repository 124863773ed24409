"""Requests that a host's own inventories decide alone: every host that passes is a candidate."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from scheduler_lib.fleet import Fleet
from scheduler_lib.fleet.arrays import Bools, Rows32
from scheduler_lib.placement import forest
from scheduler_lib.placement.plan import Condition, Plan
from scheduler_lib.placement.walk import chunks


def serving(fleet: Fleet, plan: Plan, limit: int | None, source: Random | None) -> Iterator[Rows32]:
    """Give the rows of the hosts that can serve, by name or in a random order, some at once.

    :param limit: how many are wanted; it bounds the work, and how many are given.
    """
    left = limit
    met = _met(fleet, plan)
    for roots in chunks(forest.roots_by_name(fleet), limit, None, source):
        found = roots[met[roots]] if met is not None else roots
        for name, amount in plan.demand:
            found = _with_room(fleet, name, amount, found)
        if left is not None:
            found = found[:left]
            left -= len(found)
        if len(found):
            yield found
        if left == 0:
            return


def _met(fleet: Fleet, plan: Plan) -> Bools | None:
    """Tell for each row whether it is what a host must be; None when anything will do."""
    conditions = [plan.root, plan.condition]
    if plan.required or plan.any_of:
        conditions.append(Condition(plan.required, plan.any_of))
    met: Bools | None = None
    for condition in conditions:
        if condition is not None:
            also = forest.meeting(fleet, condition)
            met = also if met is None else met & also
    return met


def _with_room(fleet: Fleet, name: str, amount: int, rows: Rows32) -> Rows32:
    stock = fleet.stock(name)
    if stock is None or not stock.size:
        return rows[:0]
    slots = stock.slots(rows)
    able = (slots >= 0) & (stock.free[slots] >= amount)
    return rows[able & stock.allow(slots, amount)]
