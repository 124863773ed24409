"""Every host, with every check it fails, and what the weighers say of those that fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scheduler_lib.fleet.classes import StaticKey
from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.decision import (
    Explanation,
    HostVerdict,
    Reason,
    ReasonKind,
    Score,
)
from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.placement.search import Search
from scheduler_lib.scheduling.demand import Demand
from scheduler_lib.scheduling.filters.base import Filter
from scheduler_lib.scheduling.hostview import HostView
from scheduler_lib.scheduling.narrowing import (
    Narrowing,
    compiled,
    is_forced,
    names_asked,
)
from scheduler_lib.scheduling.ranking import Scale, within
from scheduler_lib.scheduling.shortlist import Shortlist
from scheduler_lib.scheduling.weighers.base import Weigher


@dataclass(frozen=True, slots=True)
class Explaining:
    """One request, to be held against every host of a fleet."""

    request: Request
    fleet: Fleet
    filters: Sequence[Filter]
    weighers: Sequence[Weigher]
    settings: SchedulingSettings
    demand: Demand
    now: float

    def reasons(self) -> tuple[Reason, ...]:
        """Return every failed check of every host, host by host in order of their names."""
        return tuple(reason for _, found in self._hosts() for reason in found)

    def explanation(self) -> Explanation:
        """Return one verdict a host: those that fit best first, then the others by name."""
        refused = [
            HostVerdict(host.name.host, host.name.node, tuple(found))
            for host, found in self._hosts()
            if found
        ]
        narrowed = Narrowing(self.request, self.fleet, self.filters, self.demand, self.now).run()
        known = {(verdict.host, verdict.node) for verdict in refused}
        fitting = [
            verdict
            for verdict in self._weighed(narrowed.shortlist)
            if (verdict.host, verdict.node) not in known
        ]
        return Explanation((*fitting, *refused), narrowed.counts)

    def _hosts(self) -> Iterator[tuple[HostView, list[Reason]]]:
        everyone = Shortlist(self.fleet, self.fleet.hosts(StaticKey()), self.demand)
        search = compiled(self.request, self.fleet)
        left_out = {check: mask(everyone) for check, mask in names_asked(self.request, self.fleet)}
        for index in range(len(everyone)):
            host = HostView(everyone, index)
            names = [check for check, mask in left_out.items() if not mask[index]]
            found = [self._excluded(host, check) for check in names]
            found.extend(self._filtered(host))
            found.extend(self._short(host, search))
            yield host, found

    def _excluded(self, host: HostView, check: str) -> Reason:
        messages = {
            "forced": "the request names other hosts or nodes",
            "ignored": "the request ignores this host",
            "in_tree": "the request names another provider's tree",
        }
        return host.reason(check, ReasonKind.EXCLUDED, messages[check])

    def _filtered(self, host: HostView) -> Iterator[Reason]:
        if is_forced(self.request):
            return
        for check in self.filters:
            yield from check.reasons(host, self.request, self.now)

    def _short(self, host: HostView, search: Search) -> Iterator[Reason]:
        for shortfall in search.reasons(host.row):
            yield host.reason(
                shortfall.check,
                shortfall.kind,
                shortfall.message,
                asked=shortfall.asked,
                free=shortfall.free,
                limit=shortfall.limit,
            )

    def _weighed(self, shortlist: Shortlist) -> list[HostVerdict]:
        lines: list[list[Score]] = [[] for _ in range(len(shortlist))]
        for weigher in self.weighers if len(shortlist) else ():
            multiplier = self.settings.multipliers.get(weigher.name, 1.0)
            raw = within(weigher.weigh(shortlist, self.request), weigher)
            # A host alone counts as 0, however it is weighed.
            scale = Scale.of(weigher, raw) if len(shortlist) > 1 else Scale(0.0, 0.0)
            for line, value, share in zip(lines, raw, scale.normalised(raw), strict=True):
                line.append(
                    Score(weigher.name, float(value), float(share), float(share) * multiplier)
                )
        verdicts = [
            HostVerdict(*shortlist.name(index), (), tuple(line), sum(s.weighted for s in line))
            for index, line in enumerate(lines)
        ]
        return sorted(verdicts, key=lambda verdict: -verdict.total)
