"""What a filter is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from scheduler_lib.model.decision import Reason
from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.hostview import HostView
from scheduler_lib.scheduling.shortlist import BoolArray, Shortlist


@dataclass(slots=True)
class Standing:
    """What filters ask of a host that seldom changes; together it names a static class.

    :ivar zone: the availability zone it must be in; None for any.
    :ivar enabled_only: leave out hosts that are disabled or forced down.
    :ivar member_of: sets of aggregate uuids; it must be in one of each.
    :ivar forbidden_aggregates: aggregate uuids it must not be in.
    :ivar required: traits its root must have.
    :ivar forbidden: traits its root must not have.
    """

    zone: str | None = None
    enabled_only: bool = False
    member_of: tuple[frozenset[str], ...] = ()
    forbidden_aggregates: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    forbidden: frozenset[str] = frozenset()


class Filter:
    """One question about hosts. Override what the question needs.

    What depends only on facts that seldom change (zone, aggregates, traits, enabled or not) goes
    into the hosts' standing, which is looked up, not computed; the rest is a pass over columns.

    :cvar name: the name it is configured by, and counted under.
    :cvar once_per_request: what one instance of a request is given does not change its answer for
        the next; the chosen host is not asked again.
    :param settings: how the scheduler is configured.
    """

    name: ClassVar[str]
    once_per_request: ClassVar[bool] = False

    def __init__(self, settings: SchedulingSettings) -> None:
        self.settings = settings

    def ask(self, request: Request, standing: Standing) -> None:
        """Add what this filter asks of a host that seldom changes."""

    def passes(self, shortlist: Shortlist, request: Request, now: float) -> BoolArray | None:
        """Return which hosts pass, by index; None when all do.

        :param now: seconds since 1970 UTC.
        """
        return None

    def reasons(self, host: HostView, request: Request, now: float) -> Iterable[Reason]:
        """Return every reason this filter has against one host; none when it passes.

        :param now: seconds since 1970 UTC.
        """
        return ()
