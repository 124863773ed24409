"""Stay in, or out of, the aggregates that the request names."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_lib.model.decision import Reason, ReasonKind
from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.filters.base import Filter, Standing
from scheduler_lib.scheduling.hostview import HostView


class AggregateFilter(Filter):
    """A host passes when it is in one aggregate of each set asked, and in none forbidden."""

    name = "aggregate"
    once_per_request = True

    def ask(self, request: Request, standing: Standing) -> None:
        """Ask for the memberships."""
        standing.member_of += request.aggregates
        standing.forbidden_aggregates |= request.forbidden_aggregates

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
