"""From all hosts to those that can take the request, with a count after each check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scheduler_lib.exceptions import ProviderNotFound
from scheduler_lib.fleet.classes import StaticKey
from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.decision import StageCount
from scheduler_lib.model.request import UNSUFFIXED, Request, ResourceGroup
from scheduler_lib.placement.candidate import Candidate
from scheduler_lib.placement.search import Search
from scheduler_lib.placement.solver import Tick, no_tick
from scheduler_lib.scheduling.demand import Demand
from scheduler_lib.scheduling.filters.base import Filter, Standing
from scheduler_lib.scheduling.shortlist import BoolArray, Shortlist

NO_GROUP = ResourceGroup()


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What is left of the fleet for one request.

    :ivar shortlist: the hosts that passed every check.
    :ivar counts: how many each check left.
    :ivar search: the request, compiled for this fleet.
    :ivar flat: the hosts' own inventories decide alone.
    :ivar resources: what the host itself must give, where the search is flat.
    """

    shortlist: Shortlist
    counts: tuple[StageCount, ...]
    search: Search
    flat: bool
    resources: Mapping[str, int]

    def fits(self, index: int) -> bool:
        """Tell whether a root alone still has room for what is asked, as things stand now."""
        shortlist = self.shortlist
        return all(
            shortlist.free_at(index, resource_class) >= amount
            for resource_class, amount in self.resources.items()
        )

    def candidates(self, index: int) -> Iterator[Candidate]:
        """Return the ways in which one host of the shortlist can serve the request."""
        return self.search.on_root(self.shortlist.row(index))


class Narrowing:
    """One request on its way through the checks.

    :param tick: is called now and then while providers are looked for, later on too.
    """

    def __init__(
        self,
        request: Request,
        fleet: Fleet,
        filters: Sequence[Filter],
        demand: Demand,
        now: float,
        *,
        tick: Tick = no_tick,
    ) -> None:
        self._request = request
        self._fleet = fleet
        self._filters: Sequence[Filter] = () if is_forced(request) else filters
        self._demand = demand
        self._now = now
        self._counts: list[StageCount] = []
        self._search = compiled(request, fleet, tick)
        self._flat = self._search.flat

    def run(self) -> Narrowed:
        """Return what is left."""
        hosts = self._fleet.hosts(static_key(self._request, self._flat, self._filters))
        self._counts.extend(hosts.counts)
        shortlist = self._named(Shortlist(self._fleet, hosts, self._demand))
        resources = unsuffixed(self._request).resources if self._flat else {}
        shortlist = self._with_room(shortlist, resources)
        for check in self._filters:
            shortlist = self._checked(check, shortlist)
        if self._request.limit is not None:
            shortlist = shortlist.first(self._request.limit)
        return Narrowed(shortlist, tuple(self._counts), self._search, self._flat, resources)

    def _named(self, shortlist: Shortlist) -> Shortlist:
        for check, mask in names_asked(self._request, self._fleet):
            shortlist = self._count(check, shortlist, mask(shortlist))
        return shortlist

    def _with_room(self, shortlist: Shortlist, resources: Mapping[str, int]) -> Shortlist:
        if not self._flat:
            return self._in_trees(shortlist)
        room: BoolArray | None = None
        before = len(shortlist)
        for resource_class, amount in resources.items():
            enough = has_room(shortlist, resource_class, amount)
            room = enough if room is None else np.logical_and(room, enough, out=room)
            after = int(np.count_nonzero(room))
            self._counts.append(StageCount(resource_class, before, after))
            before = after
        return shortlist if room is None else shortlist.keep(room)

    def _in_trees(self, shortlist: Shortlist) -> Shortlist:
        rows = shortlist.rows
        passing = np.ones(len(rows), dtype=np.bool_)
        before = len(rows)
        for check, mask in self._search.stages():
            passing &= mask[rows]
            after = int(np.count_nonzero(passing))
            self._counts.append(StageCount(check, before, after))
            before = after
        return shortlist.keep(passing)

    def _checked(self, check: Filter, shortlist: Shortlist) -> Shortlist:
        mask = check.passes(shortlist, self._request, self._now)
        if mask is None:
            self._counts.append(StageCount(check.name, len(shortlist), len(shortlist)))
            return shortlist
        return self._count(check.name, shortlist, mask)

    def _count(self, check: str, shortlist: Shortlist, mask: BoolArray) -> Shortlist:
        kept = shortlist.keep(mask)
        self._counts.append(StageCount(check, len(shortlist), len(kept)))
        return kept


def has_room(shortlist: Shortlist, resource_class: str, amount: int) -> BoolArray:
    """Return which roots can give the amount themselves."""
    enough: BoolArray = shortlist.free(resource_class) >= amount
    allowed = shortlist.allows(resource_class, amount)
    return enough if allowed is None else enough & allowed


def is_forced(request: Request) -> bool:
    """Tell whether the request names its hosts or nodes, which skips the filters."""
    return bool(request.force_hosts or request.force_nodes)


def compiled(request: Request, fleet: Fleet, tick: Tick = no_tick) -> Search:
    """Return the request as a search over this fleet."""
    return Search(
        fleet,
        request.groups,
        request.group_policy,
        root_required=request.root_required,
        root_forbidden=request.root_forbidden,
        same_subtree=request.same_subtree,
        tick=tick,
    )


def unsuffixed(request: Request) -> ResourceGroup:
    """Return the unsuffixed group; an empty one where there is none."""
    return request.groups.get(UNSUFFIXED, NO_GROUP)


def static_key(request: Request, flat: bool, filters: Iterable[Filter]) -> StaticKey:
    """Return the static class of the request: all it asks that seldom changes."""
    standing = Standing(required=request.root_required, forbidden=request.root_forbidden)
    for check in filters:
        check.ask(request, standing)
    # Where trees or sharing come in, the traits may be another provider's than the root's.
    group = unsuffixed(request) if flat else NO_GROUP
    return StaticKey(
        required=standing.required | group.required,
        any_of=group.any_of,
        forbidden=standing.forbidden | group.forbidden,
        member_of=standing.member_of + group.member_of,
        forbidden_aggregates=standing.forbidden_aggregates | group.forbidden_aggregates,
        zone=standing.zone,
        enabled_only=standing.enabled_only,
    )


def names_asked(
    request: Request, fleet: Fleet
) -> Iterator[tuple[str, Callable[[Shortlist], BoolArray]]]:
    """Yield the checks by name that the request asks for, each with what makes its mask.

    The mask is by index into the shortlist that it is made for: what one check has left is another
    shortlist than the one before.
    """
    if is_forced(request):
        rows = forced_rows(request, fleet)
        yield "forced", lambda shortlist: np.isin(shortlist.rows, rows)
    if request.ignore_hosts:
        ignored = [row for host in request.ignore_hosts for row in fleet.host_rows(host, None)]
        yield "ignored", lambda shortlist: ~np.isin(shortlist.rows, ignored)
    in_tree = unsuffixed(request).in_tree
    if in_tree is not None:
        root = _root_of(in_tree, fleet)
        yield "in_tree", lambda shortlist: np.isin(shortlist.rows, root)


def forced_rows(request: Request, fleet: Fleet) -> list[int]:
    """Return the root rows of the hosts and nodes that the request names."""
    hosts = request.force_hosts or (None,)
    nodes = request.force_nodes or (None,)
    return [int(row) for host in hosts for node in nodes for row in fleet.host_rows(host, node)]


def _root_of(provider_uuid: str, fleet: Fleet) -> list[int]:
    try:
        return [fleet.root(fleet.row(provider_uuid))]
    except ProviderNotFound:
        # An unknown provider has no tree: nothing fits, as in Placement.
        return []
