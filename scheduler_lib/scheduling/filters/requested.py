"""Stay on the host that a request asks for, with every other check as usual."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_lib.model.decision import Reason, ReasonKind
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.filters.base import Filter
from scheduler_lib.scheduling.hostview import HostView
from scheduler_lib.scheduling.shortlist import BoolArray, Shortlist


class RequestedFilter(Filter):
    """A host passes when it is among those the request names, or the request names none.

    It is no option: a request that names its destination means it (Nova, requested_destination).
    """

    name = "requested"
    once_per_request = True

    def passes(self, shortlist: Shortlist, request: Request, now: float) -> BoolArray | None:
        """Keep the few that are named."""
        if not request.requested_hosts and not request.requested_nodes:
            return None
        fleet = shortlist.fleet
        mask = shortlist.rows < 0  # no host at first
        for host in request.requested_hosts or (None,):
            for node in request.requested_nodes or (None,):
                mask[shortlist.indices_of(fleet.host_rows(host, node))] = True
        for index in mask.nonzero()[0].tolist():
            mask[index] = is_requested(shortlist.name(index), request)
        return mask

    def reasons(self, host: HostView, request: Request, now: float) -> Iterable[Reason]:
        """Say that another one is named."""
        if not is_requested(host.name, request):
            message = "the request asks for another destination"
            yield host.reason(self.name, ReasonKind.EXCLUDED, message)


def is_requested(name: ResourceName, request: Request) -> bool:
    """Tell whether a request names this host, or none."""
    hosts, nodes = request.requested_hosts, request.requested_nodes
    return (not hosts or name.host in hosts) and (not nodes or name.node in nodes)
