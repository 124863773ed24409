"""The rules of candidates, written down a second time: every combination is tried."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from scheduler_lib.model.provider import MISC_SHARES_VIA_AGGREGATE, Provider
from scheduler_lib.model.request import ResourceGroup

Answer = tuple[frozenset[tuple[str, str, int]], frozenset[tuple[str, frozenset[str]]]]


class Twin:
    def __init__(self, providers: Iterable[Provider]) -> None:
        self.by_uuid = {provider.uuid: provider for provider in providers}

    def answers(
        self,
        groups: Mapping[str, ResourceGroup],
        policy: str = "none",
        root_required: frozenset[str] = frozenset(),
        root_forbidden: frozenset[str] = frozenset(),
        same_subtree: tuple[frozenset[str], ...] = (),
    ) -> dict[str, set[Answer]]:
        """Return the candidates of each root, by the root's uuid."""
        found: dict[str, set[Answer]] = {}
        for root in self.by_uuid.values():
            if root.root_uuid != root.uuid:
                continue
            if not root_required <= root.traits or root_forbidden & root.traits:
                continue
            found[root.uuid] = set(self._of_root(root, groups, policy, same_subtree))
        return found

    def _of_root(
        self,
        root: Provider,
        groups: Mapping[str, ResourceGroup],
        policy: str,
        same_subtree: tuple[frozenset[str], ...],
    ) -> Iterator[Answer]:
        own = [item for item in self.by_uuid.values() if item.root_uuid == root.uuid]
        linked = frozenset[str]().union(*(item.aggregates for item in own))
        reach = own + [
            item
            for item in self.by_uuid.values()
            if item.root_uuid != root.uuid
            and MISC_SHARES_VIA_AGGREGATE in item.traits
            and item.aggregates & linked
        ]
        ways = [list(self._ways(name, group, root, reach)) for name, group in groups.items()]
        for combination in itertools.product(*ways):
            served = dict(zip(groups, combination, strict=True))
            if self._fits(groups, served, policy) and self._near(served, same_subtree):
                total = _total(groups, served)
                yield (
                    frozenset((rp, name, n) for (rp, name), n in total.items()),
                    frozenset((name, frozenset(way.values())) for name, way in served.items()),
                )

    def _ways(
        self, name: str, group: ResourceGroup, root: Provider, reach: list[Provider]
    ) -> Iterator[dict[str, str]]:
        """Give each way to serve a group: resource class (or "") to provider uuid."""
        if name:
            for item in reach:
                if self._itself(item, group):
                    yield dict.fromkeys(group.resources or [""], item.uuid)
            return
        for choice in itertools.product(reach, repeat=len(group.resources)):
            traits = frozenset[str]().union(*(item.traits for item in choice))
            if not group.required <= traits or any(not traits & some for some in group.any_of):
                continue
            if all(self._as_part(item, group, root) for item in choice):
                yield {key: item.uuid for key, item in zip(group.resources, choice, strict=True)}

    def _itself(self, item: Provider, group: ResourceGroup) -> bool:
        return (
            group.required <= item.traits
            and all(item.traits & some for some in group.any_of)
            and not item.traits & group.forbidden
            and all(item.aggregates & some for some in group.member_of)
            and not item.aggregates & group.forbidden_aggregates
            and self._in_tree(item, group)
        )

    def _as_part(self, item: Provider, group: ResourceGroup, anchor: Provider) -> bool:
        """Tell whether a provider may serve the unsuffixed group in that root's tree."""
        if item.traits & group.forbidden:
            return False
        if (item.aggregates | anchor.aggregates) & group.forbidden_aggregates:
            return False
        comes_from_outside = item.root_uuid != anchor.uuid
        if comes_from_outside and group.in_tree is not None:
            return False
        places = (item,) if comes_from_outside else (item, anchor)
        return any(
            all(one.aggregates & some for some in group.member_of) for one in places
        ) and self._in_tree(item, group)

    def _in_tree(self, item: Provider, group: ResourceGroup) -> bool:
        if group.in_tree is None:
            return True
        named = self.by_uuid.get(group.in_tree)
        return named is not None and named.root_uuid == item.root_uuid

    def _fits(
        self,
        groups: Mapping[str, ResourceGroup],
        served: Mapping[str, Mapping[str, str]],
        policy: str,
    ) -> bool:
        for name, way in served.items():
            for resource_class, amount in groups[name].resources.items():
                stock = self.by_uuid[way[resource_class]].stocks.get(resource_class)
                if stock is None or not stock.inventory.allows(amount):
                    return False
        for (rp, resource_class), amount in _total(groups, served).items():
            stock = self.by_uuid[rp].stocks[resource_class]
            if stock.used + amount > stock.inventory.capacity:
                return False
            if amount > stock.inventory.max_unit:
                return False
        if policy == "isolate":
            alone = [next(iter(way.values())) for name, way in served.items() if name]
            return len(alone) == len(set(alone))
        return True

    def _near(
        self, served: Mapping[str, Mapping[str, str]], same_subtree: tuple[frozenset[str], ...]
    ) -> bool:
        for suffixes in same_subtree:
            rows = {next(iter(served[name].values())) for name in suffixes}
            if not any(all(top in self._line(row) for row in rows) for top in rows):
                return False
        return True

    def _line(self, rp: str | None) -> list[str]:
        found = []
        while rp is not None:
            found.append(rp)
            rp = self.by_uuid[rp].parent_uuid
        return found


def _total(
    groups: Mapping[str, ResourceGroup], served: Mapping[str, Mapping[str, str]]
) -> Counter[tuple[str, str]]:
    total: Counter[tuple[str, str]] = Counter()
    for name, way in served.items():
        for resource_class, amount in groups[name].resources.items():
            total[way[resource_class], resource_class] += amount
    return total
