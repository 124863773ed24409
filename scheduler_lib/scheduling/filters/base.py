"""What a filter is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from scheduler_lib.fleet.classes import StaticKey
from scheduler_lib.model.decision import Reason
from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.hostview import HostView
from scheduler_lib.scheduling.shortlist import BoolArray, Shortlist


class Filter:
    """One question about hosts. Override what the question needs.

    What depends only on facts that seldom change (zone, aggregates, traits, enabled or not) goes
    into the static class, which is looked up, not computed; the rest is a pass over columns.

    :cvar name: the name it is configured by, and counted under.
    :param settings: how the scheduler is configured.
    """

    name: ClassVar[str]

    def __init__(self, settings: SchedulingSettings) -> None:
        self.settings = settings

    def key(self, request: Request, key: StaticKey) -> StaticKey:
        """Return the static class narrowed by what this filter asks of it."""
        return key

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
