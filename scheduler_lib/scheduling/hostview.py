"""One host at a time, for explanations and for checks that are not columnar."""

from __future__ import annotations

from scheduler_lib.exceptions import HostNotFound
from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.decision import Reason, ReasonKind
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.provider import HostFacts
from scheduler_lib.scheduling.shortlist import Shortlist


class HostView:
    """One host of a shortlist; everything is read when asked."""

    def __init__(self, shortlist: Shortlist, index: int) -> None:
        self._shortlist = shortlist
        self._index = index

    @property
    def fleet(self) -> Fleet:
        """The fleet it stands in."""
        return self._shortlist.fleet

    @property
    def row(self) -> int:
        """Its root provider's row in the fleet."""
        return self._shortlist.row(self._index)

    @property
    def name(self) -> ResourceName:
        """Its name."""
        return self._shortlist.name(self._index)

    @property
    def zone(self) -> str:
        """Its availability zone; the default one when it names none."""
        return self._shortlist.zone(self._index)

    @property
    def traits(self) -> frozenset[str]:
        """The traits of its root provider."""
        return self.fleet.traits(self.row)

    @property
    def aggregates(self) -> frozenset[str]:
        """The uuids of the aggregates its root provider is in."""
        return self.fleet.aggregates(self.row)

    @property
    def facts(self) -> HostFacts:
        """What it reported of itself.

        :raises HostNotFound: when it is a provider that no host has reported.
        """
        facts = self.fleet.facts(self.row)
        if facts is None:
            raise HostNotFound(f"{self.name} is no host.", host=self.name.host, node=self.name.node)
        return facts

    def free(self, resource_class: str) -> int:
        """Return what is left of its root's own inventory; -1 when it has none."""
        return int(self._shortlist.only(self._index).free(resource_class)[0])

    def capacity(self, resource_class: str) -> int:
        """Return the capacity of its root's own inventory; -1 when it has none."""
        return int(self._shortlist.only(self._index).capacity(resource_class)[0])

    def allows(self, resource_class: str, amount: int) -> bool:
        """Tell whether min_unit, max_unit and step_size allow the amount."""
        allowed = self._shortlist.only(self._index).allows(resource_class, amount)
        return allowed is None or bool(allowed[0])

    def reason(
        self,
        check: str,
        kind: ReasonKind,
        message: str,
        *,
        asked: int | None = None,
        free: int | None = None,
        limit: int | None = None,
    ) -> Reason:
        """Return a reason against this host."""
        host, node = self.name
        return Reason(host, node, check, kind, message, asked, free, limit)
