"""Several instances of one request: placed one after the other on a view of the fleet.

Hosts are narrowed and weighed once; after each pick only the chosen host is looked at again. As in
Nova, what one instance is given the next one no longer sees, and a host that fell out stays out.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.decision import Destination, Selection
from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.claiming import destination
from scheduler_lib.scheduling.filters.base import Filter
from scheduler_lib.scheduling.narrowing import Narrowed
from scheduler_lib.scheduling.ranking import best_first, first_of
from scheduler_lib.scheduling.scoreboard import Scoreboard
from scheduler_lib.scheduling.weighers.base import Weigher


class Batch:
    """One request for several instances, on its way.

    :param narrowed: the hosts, narrowed on the view.
    :param view: where the picks are consumed; nothing outside changes.
    """

    def __init__(
        self,
        narrowed: Narrowed,
        view: Fleet,
        request: Request,
        filters: Sequence[Filter],
        weighers: Sequence[Weigher],
        settings: SchedulingSettings,
        random_source: random.Random,
        now: float,
        *,
        claiming: bool,
    ) -> None:
        self._narrowed = narrowed
        self._view = view
        self._request = request
        self._filters = [check for check in filters if not check.once_per_request]
        self._settings = settings
        self._random = random_source
        self._now = now
        self._claiming = claiming
        self._board = Scoreboard(narrowed.shortlist, request, weighers, settings)

    def place(self, count: int) -> list[Destination]:
        """Return destinations for that many instances; fewer when no more fit."""
        placed: list[Destination] = []
        while len(placed) < count and len(self._board):
            picked = self._pick()
            if picked is not None:
                placed.append(picked)
        return placed

    def alternates(self, chosen: Sequence[Destination], count: int) -> tuple[Destination, ...]:
        """Return the next best hosts that no instance was given, at most that many."""
        found: list[Destination] = []
        if count == 0:
            return ()
        taken = [self._view.row(uuid) for uuid in {item.provider_uuid for item in chosen}]
        slots = self._board.slots_without(taken)
        for place, _ in best_first(self._board.sums[slots], self._settings, self._random):
            slot = int(slots[place])
            offer = destination(self._narrowed, self._board.index(slot), self._board.score(slot))
            if offer is not None:
                found.append(offer)
            if len(found) == count:
                break
        return tuple(found)

    def _pick(self) -> Destination | None:
        slot = first_of(self._board.sums, self._settings, self._random)
        index = self._board.index(slot)
        score = self._board.score(slot)
        offer = destination(self._narrowed, index, score, claimed=self._claiming)
        if offer is None:
            self._board.drop(slot)
            return None
        self._view.consume(
            [
                (uuid, resource_class, amount)
                for uuid, amounts in offer.allocations.items()
                for resource_class, amount in amounts.items()
            ]
        )
        if self._passes(index):
            self._board.rescore(slot)
        else:
            self._board.drop(slot)
        return offer

    def _passes(self, index: int) -> bool:
        if not self._narrowed.fits(index):
            return False
        alone = self._narrowed.shortlist.only(index)
        masks = (check.passes(alone, self._request, self._now) for check in self._filters)
        return all(mask is None or bool(mask[0]) for mask in masks)


def selections_of(
    request: Request, destinations: Sequence[Destination], alternates: tuple[Destination, ...]
) -> tuple[Selection, ...]:
    """Return one selection for each consumer, in order."""
    pairs = zip(request.consumers, destinations, strict=True)
    return tuple(Selection(consumer, item, alternates) for consumer, item in pairs)
