"""One instance's hosts, best first, each looked at again just before it is offered."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from scheduler_lib.model.decision import Destination
from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.claiming import destination
from scheduler_lib.scheduling.narrowing import Narrowed
from scheduler_lib.scheduling.ranking import Ranked, best_first, totals
from scheduler_lib.scheduling.weighers.base import Weigher


class Choices:
    """The ranking of one narrowed request; the hosts are ranked once, however many are tried."""

    def __init__(
        self,
        narrowed: Narrowed,
        request: Request,
        weighers: Sequence[Weigher],
        settings: SchedulingSettings,
        random_source: random.Random,
        *,
        claiming: bool,
    ) -> None:
        self._narrowed = narrowed
        self._claiming = claiming
        sums, self._base = totals(narrowed.shortlist, request, weighers, settings)
        self._order = best_first(sums, settings, random_source)
        self._waiting: list[Ranked] = []
        self._fresh = True

    def best(self, count: int) -> list[Destination]:
        """Return the best hosts that still fit, at most that many."""
        found: list[Destination] = []
        fitting: list[Ranked] = []
        for ranked in self._remaining():
            offer = self._offer(*ranked, best=not found)
            if offer is not None:
                fitting.append(ranked)
                found.append(offer)
                if len(found) == count:
                    break
        self._waiting = fitting + self._waiting
        self._fresh = False
        return found

    def drop_best(self) -> None:
        """Go on to the next best."""
        self._waiting.pop(0)

    def _offer(self, index: int, total: float, *, best: bool) -> Destination | None:
        # The fleet was narrowed a moment ago; later on, others may have taken what was there.
        if self._fresh or self._narrowed.fits(index):
            claimed = best and self._claiming
            return destination(self._narrowed, index, total + self._base, claimed=claimed)
        return None

    def _remaining(self) -> Iterator[Ranked]:
        while self._waiting:
            yield self._waiting.pop(0)
        # Not "yield from": who stops asking here must not end the ranking itself.
        for ranked in self._order:  # noqa: UP028
            yield ranked
