"""What a weigher is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.shortlist import FloatArray, IntArray, Shortlist


class Weigher(ABC):
    """One preference among hosts; more is better, unless its multiplier is negative.

    :cvar name: the name it is configured by.
    :cvar looks_ahead: it reads what has been asked lately, which is noted only for such weighers.
    :cvar minval: the value that counts as 0; None for the least among the hosts at hand.
    :cvar maxval: the value that counts as 1; None for the greatest among the hosts at hand.
    :param settings: how the scheduler is configured.
    """

    name: ClassVar[str]
    looks_ahead: ClassVar[bool] = False
    minval: ClassVar[float | None] = None
    maxval: ClassVar[float | None] = None

    def __init__(self, settings: SchedulingSettings) -> None:
        self.settings = settings

    @abstractmethod
    def weigh(self, shortlist: Shortlist, request: Request) -> FloatArray | IntArray:
        """Return one raw number for each host, by index.

        A host's number depends on that host and the fleet, never on who else is on the list: after
        a pick, the chosen host alone is weighed again.
        """
