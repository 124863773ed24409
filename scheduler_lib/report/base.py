"""What every report backend owes the facade."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from scheduler_lib.model.capability import Capability
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.stats import HostStats

REPORT_CAPABILITIES = frozenset(
    {Capability.READS_BACK, Capability.DURABLE, Capability.SHARED, Capability.NESTED}
)

# What is known of one host, and of all: `list` inside the class below is the method.
HostRecord = dict[str, object]
HostRecords = list[HostRecord]


@runtime_checkable
class ReportBackend(Protocol):
    """Takes hosts' reports.

    A backend is built as ``Backend(conf, connections, clock)``; its constructor only assigns, the
    first call connects. Eight threads may call at once. The facade has checked what it passes on,
    drops reports that say nothing new, keeps the time, and retries; a report must therefore be
    safe to send twice.

    :ivar capabilities: what it promises; everything else is not there.
    """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this backend promises."""
        ...

    def update(
        self, context: object, name: ResourceName, stats: HostStats, *, deadline: Deadline
    ) -> None:
        """Create the host, or bring it up to date; what the report does not name stays.

        :raises DuplicateHost: when the name belongs to another uuid, or the uuid to another name.
        :raises HostInUse: when a child or an inventory with allocations is no longer reported.
        """
        ...

    def get(self, context: object, name: ResourceName, *, deadline: Deadline) -> HostRecord:
        """Return what is known of one host: the fields of ``compute_nodes``, and its structure.

        :raises HostNotFound: when it has never reported.
        """
        ...

    def list(self, context: object, *, deadline: Deadline) -> HostRecords:
        """Return what is known of every host, by name."""
        ...

    def delete(self, context: object, name: ResourceName, *, deadline: Deadline) -> None:
        """Forget one host with everything below it.

        :raises HostNotFound: when it has never reported.
        :raises HostInUse: when it still holds allocations.
        """
        ...

    def close(self) -> None:
        """Let go of what the backend holds open; a second time does nothing."""
        ...
