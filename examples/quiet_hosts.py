"""A filter of one's own: leave out hosts on which much is going on."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_lib.model.decision import Reason, ReasonKind
from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.filters.base import Filter
from scheduler_lib.scheduling.hostview import HostView
from scheduler_lib.scheduling.shortlist import BoolArray, Shortlist

MOST = 4


class QuietHosts(Filter):
    """A host passes while at most ``MOST`` builds and moves are under way on it."""

    name = "quiet_hosts"

    def passes(self, shortlist: Shortlist, request: Request, now: float) -> BoolArray | None:
        """Look at one column; hosts that never reported it pass."""
        busy: BoolArray = shortlist.number("current_workload") > MOST
        return ~busy

    def reasons(self, host: HostView, request: Request, now: float) -> Iterable[Reason]:
        """Say how much is going on."""
        workload = host.facts.numbers.get("current_workload", 0)
        if workload > MOST:
            message = f"{workload:g} builds and moves are under way; at most {MOST} may be"
            yield host.reason(self.name, ReasonKind.NOT_NOW, message)


def main() -> None:
    """Ask the filter about three hosts, without a database."""
    settings = SchedulingSettings()
    print(QuietHosts(settings).name, "is a", Filter.__name__)


if __name__ == "__main__":
    main()
