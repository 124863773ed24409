"""Leave out hosts on which this request was tried already."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from scheduler_lib.model.decision import Reason, ReasonKind
from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.filters.base import Filter
from scheduler_lib.scheduling.hostview import HostView
from scheduler_lib.scheduling.shortlist import BoolArray, Shortlist


class RetryFilter(Filter):
    """A host passes when the request does not name it, host and node, as tried."""

    name = "retry"
    once_per_request = True

    def passes(self, shortlist: Shortlist, request: Request, now: float) -> BoolArray | None:
        """Strike out the few that were tried."""
        if not request.retry_hosts:
            return None
        mask = np.ones(len(shortlist), dtype=bool)
        for host, node in request.retry_hosts:
            rows = shortlist.fleet.host_rows(host, node)
            mask[shortlist.indices_of(rows)] = False
        return mask

    def reasons(self, host: HostView, request: Request, now: float) -> Iterable[Reason]:
        """Say that it was tried."""
        name = host.name
        tried = ((item.host.casefold(), item.node) for item in request.retry_hosts)
        if (name.host.casefold(), name.node) in tried:
            yield host.reason(self.name, ReasonKind.EXCLUDED, "tried before")
