"""A filter of one's own: leave out hosts on which much is going on."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.clock import SystemClock
from scheduler_lib.model.decision import Reason, ReasonKind
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import HostFacts, Provider, ProviderChanged, Stock
from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.filters.base import Filter
from scheduler_lib.scheduling.hostview import HostView
from scheduler_lib.scheduling.scheduler import Scheduler
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
    """Ask the filter about a quiet and a busy host, without a database."""
    settings = SchedulingSettings()
    scheduler = Scheduler(settings, [QuietHosts(settings)], [], SystemClock(), Random(1))
    fleet = Fleet()
    fleet.apply(ProviderChanged(a_host(number, busy)) for number, busy in ((1, 0.0), (2, 9.0)))
    request = Request.build({"VCPU": 1}, consumers=[f"{1:032x}"])
    for verdict in scheduler.explain(request, fleet.view()).verdicts:
        print(verdict.host, *[reason.message for reason in verdict.reasons] or ["fits"])


def a_host(number: int, busy: float) -> Provider:
    """Return a host with so much going on."""
    name, own = f"host{number}", f"{number:032x}"
    facts = HostFacts(name, name, numbers={"current_workload": busy}, texts={})
    return Provider(own, name, own, stocks={"VCPU": Stock(Inventory(total=8))}, facts=facts)


if __name__ == "__main__":
    main()
