"""One request, compiled against a fleet: which trees may serve it, and how each of them can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import numpy as np

from scheduler_lib.fleet import Fleet
from scheduler_lib.fleet.arrays import Bools
from scheduler_lib.model.request import UNSUFFIXED, ResourceGroup
from scheduler_lib.placement import batches, flat, forest, sieve
from scheduler_lib.placement.batches import Batch
from scheduler_lib.placement.candidate import Candidate, Shortfall
from scheduler_lib.placement.counting import cut, once
from scheduler_lib.placement.pattern import Pattern
from scheduler_lib.placement.plan import Plan
from scheduler_lib.placement.shortfalls import Explainer
from scheduler_lib.placement.solver import Tick, no_tick
from scheduler_lib.placement.tree import TIGHTEST, TreeSearch
from scheduler_lib.placement.walk import Found, Walk

BREADTH_FIRST = "breadth-first"
DEPTH_FIRST = "depth-first"

_NO_NAMES: frozenset[str] = frozenset()


class Search:
    """The candidates of one request.

    A search reads the fleet as it is when a method is called; nothing dynamic is kept.

    :param fleet: the fleet, or a view of one.
    :param groups: resource groups by suffix; ``""`` is the unsuffixed one.
    :param group_policy: ``isolate`` (each suffixed group on another provider) or ``none``.
    :param root_required: traits the tree's root must have.
    :param root_forbidden: traits the tree's root must not have.
    :param same_subtree: sets of suffixes whose providers must lie under one of them.
    :param tick: is called now and then while a method searches; what it raises ends the search.
    :raises InvalidRequest: when a group has conditions but nothing to put them on.
    """

    def __init__(
        self,
        fleet: Fleet,
        groups: Mapping[str, ResourceGroup],
        group_policy: str = "none",
        root_required: frozenset[str] = _NO_NAMES,
        root_forbidden: frozenset[str] = _NO_NAMES,
        same_subtree: tuple[frozenset[str], ...] = (),
        *,
        tick: Tick = no_tick,
    ) -> None:
        self._fleet = fleet
        self._tick = tick
        self._plan = Plan(groups, group_policy, root_required, root_forbidden, same_subtree)

    @property
    def flat(self) -> bool:
        """Whether the hosts' own inventories decide alone.

        So it is when there is only an unsuffixed group, bound to no tree, and neither nested nor
        sharing providers have any class it asks for.
        """
        plan = self._plan
        if plan.groups or (plan.condition is not None and plan.condition.in_tree is not None):
            return False
        shared = forest.sharing(self._fleet).rows
        for name, _ in plan.demand:
            stock = self._fleet.stock(name)
            if stock is None:
                continue
            if stock.nested or any(stock.slot(row) >= 0 for row in shared):
                return False
        return True

    def root_mask(self) -> Bools:
        """Tell for each provider row whether it is a root that may serve.

        False is final; a root that stays may still turn out to have no candidate.
        """
        return sieve.root_mask(self._fleet, self._plan)

    def stages(self) -> Iterator[tuple[str, Bools]]:
        """Give the parts of :meth:`root_mask` one after another: a check, and which rows pass it.

        All together they are the mask, as far as roots are concerned.
        """
        return sieve.stages(self._fleet, self._plan)

    def on_root(self, root_row: int, *, order: str = TIGHTEST) -> Iterator[Candidate]:
        """Give the candidates of one tree, one after another.

        :param root_row: the root's row.
        :param order: ``tightest`` tries the providers with the least free of what is asked first,
            ``name`` looks at no numbers. Otherwise, and among equal ones, the order is that of the
            tree: the root, then depth-first by name, then those that share with it, by name.
        """
        tree = TreeSearch(self._fleet, self._plan, root_row, order, tick=self._tick)
        return tree.candidates()

    def candidates(
        self,
        limit: int | None = None,
        *,
        order: str = TIGHTEST,
        strategy: str = BREADTH_FIRST,
        nested: bool = True,
        source: Random | None = None,
    ) -> Iterator[Candidate]:
        """Give the candidates of all trees, each once.

        :param limit: how many, at most; None for all. It bounds the work and the memory.
        :param order: as in :meth:`on_root`.
        :param strategy: ``breadth-first`` gives the first of each tree by name, then the second of
            each, ...; ``depth-first`` gives all of the first tree, then all of the second, ...
        :param nested: False leaves out candidates that use more than one provider of a tree, as
            clients that know of no trees expect (Placement API below 1.29).
        :param source: visit trees, and try the providers of a tree, in a random order instead.
        """
        found = self.patterns(limit, order=order, strategy=strategy, nested=nested, source=source)
        for rows, patterns in found:
            for pattern in patterns:
                yield pattern.candidate(rows)

    def patterns(
        self,
        limit: int | None = None,
        *,
        order: str = TIGHTEST,
        strategy: str = BREADTH_FIRST,
        nested: bool = True,
        source: Random | None = None,
    ) -> Iterator[Found]:
        """Give what :meth:`candidates` gives, for those who have many of them to write down.

        Trees that are alike are served by the same patterns, so what is made of a pattern can be
        used again for the next tree.

        :returns: the rows that a tree has in reach, and one or more patterns for it. Their
            candidates, one after another, are those of :meth:`candidates`.
        """
        if self.flat:
            return self._of_hosts(limit, source)
        walk = Walk(self._fleet, self._plan, order, nested=nested, source=source, tick=self._tick)
        found = walk.one_by_one(limit) if strategy == DEPTH_FIRST else walk.in_turn(limit)
        shared = forest.sharing(self._fleet).rows
        if shared:
            found = once(found, shared, self._tick)
        return found if limit is None else cut(found, limit)

    def batches(
        self,
        limit: int | None = None,
        *,
        order: str = TIGHTEST,
        strategy: str = BREADTH_FIRST,
        nested: bool = True,
        source: Random | None = None,
    ) -> Iterator[Batch]:
        """Give what :meth:`candidates` gives, trees that are alike together.

        Parameters are those of :meth:`candidates`. Nothing is done tree by tree unless it must be.
        """
        if self.flat:
            yield from self._flat_batches(limit, source)
            return
        shared = forest.sharing(self._fleet).rows
        if shared or source is not None or (strategy == DEPTH_FIRST and limit is not None):
            yield from batches.grouped(
                self.patterns(limit, order=order, strategy=strategy, nested=nested, source=source),
                each=source is not None,
            )
            return
        walk = Walk(self._fleet, self._plan, order, nested=nested, tick=self._tick)
        if strategy == DEPTH_FIRST:
            yield from batches.one_by_one(walk.stands(None))
        else:
            yield from batches.in_turn(walk.stands(limit), limit)

    def reasons(self, root_row: int) -> tuple[Shortfall, ...]:
        """Say why a tree cannot serve: empty when it can."""
        if next(self.on_root(root_row), None) is not None:
            return ()
        return Explainer(self._fleet, self._plan, root_row).shortfalls()

    def _of_hosts(self, limit: int | None, source: Random | None) -> Iterator[Found]:
        """Give the candidates of a flat request: every host that stays is one."""
        for batch in self._flat_batches(limit, source):
            for row in batch.rows[:, 0].tolist():
                yield (row,), batch.patterns

    def _flat_batches(self, limit: int | None, source: Random | None) -> Iterator[Batch]:
        amounts = tuple([(0, name, amount) for name, amount in self._plan.demand])
        patterns = (Pattern(amounts, {UNSUFFIXED: (0,)}),)
        for turn, rows in enumerate(flat.serving(self._fleet, self._plan, limit, source)):
            places = np.arange(len(rows), dtype=np.int32)
            yield Batch(turn, places, rows[:, None], patterns)
