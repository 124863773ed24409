"""One request, compiled against a fleet: which trees may serve it, and how each of them can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scheduler_lib.fleet import Fleet
from scheduler_lib.fleet.arrays import Bools
from scheduler_lib.model.request import UNSUFFIXED, ResourceGroup
from scheduler_lib.placement import forest, sieve
from scheduler_lib.placement.candidate import Candidate, Shortfall
from scheduler_lib.placement.plan import Condition, Plan
from scheduler_lib.placement.shortfalls import Explainer
from scheduler_lib.placement.tree import TIGHTEST, TreeSearch

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
    ) -> None:
        self._fleet = fleet
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
            ``name`` tries them by name.
        """
        return TreeSearch(self._fleet, self._plan, root_row, order).candidates()

    def candidates(self, limit: int | None = None, *, order: str = TIGHTEST) -> Iterator[Candidate]:
        """Give the candidates of all trees: the first of each tree by name, then the second, ...

        :param limit: how many, at most; None for all. It bounds the work and the memory.
        :param order: as in :meth:`on_root`.
        """
        found = self._of_hosts() if self.flat else self._in_turn(order)
        if limit is None:
            yield from found
            return
        for _, candidate in zip(range(limit), found, strict=False):
            yield candidate

    def reasons(self, root_row: int) -> tuple[Shortfall, ...]:
        """Say why a tree cannot serve: empty when it can."""
        if next(self.on_root(root_row), None) is not None:
            return ()
        return Explainer(self._fleet, self._plan, root_row).shortfalls()

    def _survivors(self, mask: Bools) -> Iterator[int]:
        names = forest.roots_by_name(self._fleet)
        return map(int, names[mask[names]])

    def _of_hosts(self) -> Iterator[Candidate]:
        """Give the candidates of a flat request: every host that stays is one."""
        plan, mask = self._plan, self.root_mask()
        if plan.required or plan.any_of:
            mask &= forest.meeting(self._fleet, Condition(plan.required, plan.any_of))
        for row in self._survivors(mask):
            amounts = tuple([(row, name, amount) for name, amount in plan.demand])
            yield Candidate(row, amounts, {UNSUFFIXED: (row,)})

    def _in_turn(self, order: str) -> Iterator[Candidate]:
        shared = forest.sharing(self._fleet).rows
        seen: set[tuple[object, ...]] = set()
        walks = (self.on_root(row, order=order) for row in self._survivors(self.root_mask()))
        while True:
            going = []
            for walk in walks:
                candidate = next((item for item in walk if not _repeated(item, shared, seen)), None)
                if candidate is not None:
                    going.append(walk)
                    yield candidate
            if not going:
                return
            walks = iter(going)  # type: ignore[assignment]


def _repeated(candidate: Candidate, shared: frozenset[int], seen: set[tuple[object, ...]]) -> bool:
    """Tell whether another tree gave the same candidate; only sharing providers make that so."""
    if not shared or any(row not in shared for row, _, _ in candidate.amounts):
        return False
    identity = candidate.identity()
    if identity in seen:
        return True
    seen.add(identity)
    return False
