"""Stay in the zone that the request names."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_lib.model.decision import Reason, ReasonKind
from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.filters.base import Filter, Standing
from scheduler_lib.scheduling.hostview import HostView


class AvailabilityZoneFilter(Filter):
    """A host passes when it is in the zone asked for; hosts that name none are in the default."""

    name = "availability_zone"
    once_per_request = True

    def ask(self, request: Request, standing: Standing) -> None:
        """Ask for the zone, if the request names one."""
        standing.zone = request.availability_zone

    def reasons(self, host: HostView, request: Request, now: float) -> Iterable[Reason]:
        """Name both zones."""
        asked = request.availability_zone
        if asked is not None and host.zone != asked:
            message = f"availability zone {host.zone}, asked {asked}"
            yield host.reason(self.name, ReasonKind.NEVER, message)
