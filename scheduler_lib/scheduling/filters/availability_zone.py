"""Stay in the zone that the request names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scheduler_lib.fleet.classes import StaticKey
from scheduler_lib.model.decision import Reason, ReasonKind
from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.filters.base import Filter
from scheduler_lib.scheduling.hostview import HostView


class AvailabilityZoneFilter(Filter):
    """A host passes when it is in the zone asked for; hosts that name none are in the default."""

    name = "availability_zone"

    def key(self, request: Request, key: StaticKey) -> StaticKey:
        """Ask for the zone, if the request names one."""
        zone = request.availability_zone
        return key if zone is None else replace(key, zone=zone)

    def reasons(self, host: HostView, request: Request, now: float) -> Iterable[Reason]:
        """Name both zones."""
        asked = request.availability_zone
        if asked is not None and host.zone != asked:
            message = f"availability zone {host.zone}, asked {asked}"
            yield host.reason(self.name, ReasonKind.NEVER, message)
