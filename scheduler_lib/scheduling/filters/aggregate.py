"""Stay in, or out of, the aggregates that the request names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scheduler_lib.fleet.classes import StaticKey
from scheduler_lib.model.decision import Reason, ReasonKind
from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.filters.base import Filter
from scheduler_lib.scheduling.hostview import HostView


class AggregateFilter(Filter):
    """A host passes when it is in one aggregate of each set asked, and in none forbidden."""

    name = "aggregate"

    def key(self, request: Request, key: StaticKey) -> StaticKey:
        """Ask for the memberships."""
        if not request.aggregates and not request.forbidden_aggregates:
            return key
        return replace(
            key,
            member_of=(*key.member_of, *request.aggregates),
            forbidden_aggregates=key.forbidden_aggregates | request.forbidden_aggregates,
        )

    def reasons(self, host: HostView, request: Request, now: float) -> Iterable[Reason]:
        """Name the sets it is not in, and those it should not be in."""
        mine = host.aggregates
        for choice in request.aggregates:
            if not choice & mine:
                message = f"in none of the aggregates {', '.join(sorted(choice))}"
                yield host.reason(self.name, ReasonKind.NEVER, message)
        for aggregate in sorted(request.forbidden_aggregates & mine):
            message = f"in the forbidden aggregate {aggregate}"
            yield host.reason(self.name, ReasonKind.NEVER, message)
