"""A request's groups, compiled: what is looked for, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.fleet.versions import STRUCTURE
from scheduler_lib.model.request import UNSUFFIXED, ResourceGroup

ISOLATE = "isolate"

_NO_NAMES: frozenset[str] = frozenset()

Demand = tuple[tuple[str, int], ...]


class Condition(NamedTuple):
    """What a provider must be, whatever it has left.

    ``spans``: being in an aggregate counts for the whole tree when the root is in it.
    """

    required: frozenset[str] = _NO_NAMES
    any_of: tuple[frozenset[str], ...] = ()
    forbidden: frozenset[str] = _NO_NAMES
    member_of: tuple[frozenset[str], ...] = ()
    forbidden_aggregates: frozenset[str] = _NO_NAMES
    in_tree: str | None = None
    spans: bool = False

    def aspects(self) -> tuple[str, ...]:
        """Return the aspects of the fleet that the answer depends on."""
        traits = self.required.union(self.forbidden, *self.any_of)
        aggregates = self.forbidden_aggregates.union(*self.member_of)
        return (
            STRUCTURE,
            *(f"trait:{name}" for name in traits),
            *(f"aggregate:{uuid}" for uuid in aggregates),
        )


NO_CONDITION = Condition()


class Kind(NamedTuple):
    """What suffixed groups ask: one provider must meet the condition and give the whole demand."""

    demand: Demand
    condition: Condition | None


class GroupPlan(NamedTuple):
    """One suffixed group, and the place of what it asks among the kinds."""

    suffix: str
    demand: Demand
    kind: int


class Plan:
    """One request.

    :ivar demand: what the unsuffixed group asks, class by class.
    :ivar condition: what each provider of the unsuffixed group must be; None for anything.
    :ivar outside: what it must be itself when it shares with the tree from another one.
    :ivar anchor: what the root of the tree must be that it then shares with.
    :ivar bound: the unsuffixed group is served from its own tree only.
    :ivar required: traits that the providers of the unsuffixed group must have together.
    :ivar any_of: of each of these sets they must have one trait together.
    :ivar groups: the suffixed groups, in the order given.
    :ivar kinds: what suffixed groups ask, each kind once.
    :ivar counts: how many suffixed groups are of each kind.
    :ivar isolate: suffixed groups are served by different providers.
    :ivar root: what the root of the tree must be; None for anything.
    :ivar same_subtree: sets of suffixes to be served under one of their providers.
    """

    __slots__ = (
        "anchor",
        "any_of",
        "bound",
        "condition",
        "counts",
        "demand",
        "groups",
        "isolate",
        "kinds",
        "outside",
        "required",
        "root",
        "same_subtree",
    )

    def __init__(
        self,
        groups: Mapping[str, ResourceGroup],
        group_policy: str,
        root_required: frozenset[str],
        root_forbidden: frozenset[str],
        same_subtree: tuple[frozenset[str], ...],
    ) -> None:
        self.isolate = group_policy == ISOLATE
        self.same_subtree = same_subtree
        self.demand: Demand = ()
        self.condition: Condition | None = None
        self.outside: Condition | None = None
        self.anchor: Condition | None = None
        self.bound = False
        self.required = _NO_NAMES
        self.any_of: tuple[frozenset[str], ...] = ()
        self.groups: list[GroupPlan] = []
        self.kinds: list[Kind] = []
        self.counts: list[int] = []
        self.root: Condition | None = None
        if root_required or root_forbidden:
            self.root = Condition(required=root_required, forbidden=root_forbidden)
        places: dict[Kind, int] = {}
        for suffix, group in groups.items():
            if suffix == UNSUFFIXED:
                self._take_unsuffixed(group)
            else:
                self._take(suffix, group, places)
        if not self.demand and not any(group.demand for group in self.groups):
            raise InvalidRequest("The request asks for no resources.", field="resources")

    def _take_unsuffixed(self, group: ResourceGroup) -> None:
        condition = Condition(
            forbidden=group.forbidden,
            member_of=group.member_of,
            forbidden_aggregates=group.forbidden_aggregates,
            in_tree=group.in_tree,
            spans=True,
        )
        self.demand = tuple(group.resources.items())
        self.required, self.any_of = group.required, group.any_of
        self.bound = group.in_tree is not None
        if condition != Condition(spans=True):
            self.condition = condition
            self.outside = condition._replace(in_tree=None, spans=False)
        if group.forbidden_aggregates:
            # An aggregate on the root spans the tree, and who shares with it.
            self.anchor = Condition(forbidden_aggregates=group.forbidden_aggregates)
        if not self.demand and (self.condition or self.required or self.any_of):
            raise InvalidRequest(
                "The unsuffixed group has conditions, but asks for no resources.",
                field="groups",
                hint="Use root_required and root_forbidden for what the host itself must be.",
            )

    def _take(self, suffix: str, group: ResourceGroup, places: dict[Kind, int]) -> None:
        demand = tuple(group.resources.items())
        if not demand and not any(suffix in suffixes for suffixes in self.same_subtree):
            raise InvalidRequest(
                f"Group {suffix} asks for no resources, and same_subtree does not name it.",
                field="groups",
            )
        condition = Condition(
            group.required,
            group.any_of,
            group.forbidden,
            group.member_of,
            group.forbidden_aggregates,
            group.in_tree,
        )
        kind = Kind(demand, None if condition == NO_CONDITION else condition)
        place = places.setdefault(kind, len(self.kinds))
        if place == len(self.kinds):
            self.kinds.append(kind)
            self.counts.append(0)
        self.counts[place] += 1
        self.groups.append(GroupPlan(suffix, demand, place))
