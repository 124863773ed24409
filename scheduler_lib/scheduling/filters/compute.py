"""Leave out hosts that are switched off, declared dead, or silent."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_lib.model.decision import Reason, ReasonKind
from scheduler_lib.model.provider import COMPUTE_STATUS_DISABLED
from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.filters.base import Filter, Standing
from scheduler_lib.scheduling.hostview import HostView
from scheduler_lib.scheduling.shortlist import BoolArray, Shortlist


class ComputeFilter(Filter):
    """A host passes when it is enabled, not forced down, and its heartbeat is not too old.

    Liveness is judged only for hosts that have sent a heartbeat; others count as up.
    """

    name = "compute"
    once_per_request = True

    def ask(self, request: Request, standing: Standing) -> None:
        """Ask for enabled hosts only."""
        standing.enabled_only = True

    def passes(self, shortlist: Shortlist, request: Request, now: float) -> BoolArray | None:
        """Compare every heartbeat with the oldest that still counts."""
        if not shortlist.any_heartbeat:
            return None
        # A clock that is ahead is as wrong as one that is behind (Nova's servicegroup). Hosts that
        # never sent a heartbeat have nan here, which is neither.
        limit_s = self.settings.service_down_time_s
        oldest, newest = shortlist.heartbeat_span
        if not (oldest < now - limit_s or newest > now + limit_s):
            return None
        seen = shortlist.last_seen_up
        return ~((seen < now - limit_s) | (seen > now + limit_s))

    def reasons(self, host: HostView, request: Request, now: float) -> Iterable[Reason]:
        """Tell disabled, forced down and silent apart."""
        facts = host.facts
        if facts.disabled or COMPUTE_STATUS_DISABLED in host.traits:
            why = f": {facts.disabled_reason}" if facts.disabled_reason else ""
            yield host.reason("disabled", ReasonKind.OFF, f"disabled{why}")
        if facts.forced_down:
            yield host.reason("forced_down", ReasonKind.OFF, "forced down")
        seen = facts.last_seen_up
        if seen is not None and abs(now - seen) > self.settings.service_down_time_s:
            limit_s = self.settings.service_down_time_s
            message = f"last heartbeat {abs(now - seen):.0f} s away, limit {limit_s:g} s"
            yield host.reason(self.name, ReasonKind.OFF, message)
