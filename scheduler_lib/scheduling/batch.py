"""Several instances of one request: placed one after the other on a view of the fleet.

Hosts are narrowed and weighed once; after each pick only the chosen host is looked at again. As in
Nova, what one instance is given the next one no longer sees, and a host that fell out stays out.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.decision import Destination, Selection
from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.claiming import destination
from scheduler_lib.scheduling.filters.base import Filter
from scheduler_lib.scheduling.narrowing import Narrowed
from scheduler_lib.scheduling.ranking import Extent, best_first, sound
from scheduler_lib.scheduling.shortlist import FloatArray, IntArray
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
    ) -> None:
        self._narrowed = narrowed
        self._view = view
        self._request = request
        self._filters = filters
        self._settings = settings
        self._random = random_source
        self._now = now
        self._board = Scoreboard(narrowed, request, weighers, settings)

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
        taken = {item.provider_uuid for item in chosen}
        found: list[Destination] = []
        if count == 0 or not len(self._board):
            return ()
        for slot in best_first(self._board.totals(), self._settings, self._random):
            index = self._board.index(slot)
            if self._narrowed.shortlist.uuid(index) not in taken:
                offer = destination(self._narrowed, index, self._board.total(slot))
                if offer is not None:
                    found.append(offer)
                if len(found) == count:
                    break
        return tuple(found)

    def _pick(self) -> Destination | None:
        slot = next(best_first(self._board.totals(), self._settings, self._random))
        index = self._board.index(slot)
        offer = destination(self._narrowed, index, self._board.total(slot))
        if offer is None:
            self._board.drop(slot)
            return None
        self._view.consume(
            (uuid, resource_class, amount)
            for uuid, amounts in offer.allocations.items()
            for resource_class, amount in amounts.items()
        )
        if self._passes(index):
            self._board.rescore(slot)
        else:
            self._board.drop(slot)
        return offer

    def _passes(self, index: int) -> bool:
        alone = self._narrowed.shortlist.only(index)
        masks = (check.passes(alone, self._request, self._now) for check in self._filters)
        return all(mask is None or bool(mask[0]) for mask in masks) and (
            not self._narrowed.search.flat or self._narrowed.fits(index)
        )


class Scoreboard:
    """The raw numbers of the hosts that are left, kept while single hosts change or fall out."""

    def __init__(
        self,
        narrowed: Narrowed,
        request: Request,
        weighers: Sequence[Weigher],
        settings: SchedulingSettings,
    ) -> None:
        self._shortlist = narrowed.shortlist
        self._request = request
        weighing = [(item, settings.multipliers.get(item.name, 1.0)) for item in weighers]
        self._weighers = [(item, multiplier) for item, multiplier in weighing if multiplier]
        self._indices: IntArray = np.arange(len(self._shortlist))
        self._raw: list[FloatArray | IntArray] = [
            sound(item.weigh(self._shortlist, request)).copy() for item, _ in self._weighers
        ]
        self._extents: list[Extent] = []
        self._totals: FloatArray = np.zeros(0)
        self._score_all()

    def __len__(self) -> int:
        return len(self._indices)

    def index(self, slot: int) -> int:
        """Return the shortlist's index of a slot of the board."""
        return int(self._indices[slot])

    def totals(self) -> FloatArray:
        """Return the weighted sums, by slot."""
        return self._totals

    def total(self, slot: int) -> float:
        """Return the weighted sum of one slot."""
        return float(self._totals[slot])

    def drop(self, slot: int) -> None:
        """Take one host off the board."""
        self._indices = np.delete(self._indices, slot)
        self._raw = [np.delete(raw, slot) for raw in self._raw]
        self._totals = np.delete(self._totals, slot)
        self._update_scores()

    def rescore(self, slot: int) -> None:
        """Read one host again, which has changed."""
        alone = self._shortlist.only(self.index(slot))
        for raw, (weigher, _) in zip(self._raw, self._weighers, strict=True):
            raw[slot] = sound(weigher.weigh(alone, self._request))[0]
        self._update_scores(slot)

    def _update_scores(self, changed: int | None = None) -> None:
        if len(self) < 2 or self._extents != self._current_extents():
            self._score_all()
        elif changed is not None:
            self._totals[changed] = sum(
                extent.normalised(raw[changed : changed + 1])[0] * multiplier
                for extent, raw, (_, multiplier) in self._lines()
            )

    def _current_extents(self) -> list[Extent]:
        pairs = zip(self._weighers, self._raw, strict=True)
        return [Extent.of(weigher, raw) for (weigher, _), raw in pairs]

    def _score_all(self) -> None:
        self._totals = np.zeros(len(self))
        if len(self) < 2:
            self._extents = []
            return
        self._extents = self._current_extents()
        for extent, raw, (_, multiplier) in self._lines():
            self._totals += extent.normalised(raw) * multiplier

    def _lines(self) -> list[tuple[Extent, FloatArray | IntArray, tuple[Weigher, float]]]:
        return list(zip(self._extents, self._raw, self._weighers, strict=True))


def selections_of(
    request: Request, destinations: Sequence[Destination], alternates: tuple[Destination, ...]
) -> tuple[Selection, ...]:
    """Return one selection for each consumer, in order."""
    pairs = zip(request.consumers, destinations, strict=True)
    return tuple(Selection(consumer, item, alternates) for consumer, item in pairs)
