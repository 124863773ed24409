"""The raw numbers of the hosts that are left, kept while single hosts change or fall out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.ranking import Numbers, Scale, within
from scheduler_lib.scheduling.shortlist import FloatArray, IntArray, Shortlist
from scheduler_lib.scheduling.weighers.base import Weigher


class _Line:
    """One weigher's raw values, by slot."""

    __slots__ = ("multiplier", "raw", "scale", "weighed", "weigher")

    def __init__(self, weigher: Weigher, multiplier: float, raw: Numbers) -> None:
        self.weigher = weigher
        self.multiplier = multiplier
        self.raw = raw
        self.scale = Scale.of(weigher, raw)
        self.weighed = self._weighed()

    def change(self, slot: int, value: float) -> bool:
        """Write one value; tell whether the scale has moved."""
        before = float(self.raw[slot])
        self.raw[slot] = value
        if self._moved_by(before, value) and self._measured():
            return True
        self.weighed[slot] = self.raw[slot] * self.share()
        return False

    def drop(self, slot: int) -> bool:
        """Take one value out; tell whether the scale has moved."""
        gone = float(self.raw[slot])
        self.raw = np.delete(self.raw, slot)
        self.weighed = np.delete(self.weighed, slot)
        return self._at_an_end(gone) and self._measured()

    def share(self) -> float:
        """Return what one unit adds to the score."""
        return self.scale.share(self.multiplier)

    def _moved_by(self, before: float, value: float) -> bool:
        low, high = self.scale
        return self._at_an_end(before) or not low <= value <= high

    def _at_an_end(self, value: float) -> bool:
        low, high = self.scale
        fixed = self.weigher
        return (fixed.maxval is None and value >= high) or (fixed.minval is None and value <= low)

    def _measured(self) -> bool:
        scale = Scale.of(self.weigher, self.raw) if len(self.raw) else self.scale
        if scale == self.scale:
            return False
        self.scale = scale
        self.weighed = self._weighed()
        return True

    def _weighed(self) -> FloatArray:
        return np.multiply(self.raw, self.share(), dtype=np.float64)


class Scoreboard:
    """Scores by slot; a slot is a host that still takes part.

    :param shortlist: the hosts; it follows the view that picks are consumed in.
    """

    def __init__(
        self,
        shortlist: Shortlist,
        request: Request,
        weighers: Sequence[Weigher],
        settings: SchedulingSettings,
    ) -> None:
        self._shortlist = shortlist
        self._request = request
        self._indices: IntArray = np.arange(len(shortlist))
        self._lines = [
            _Line(weigher, multiplier, self._weighed(weigher, shortlist).copy())
            for weigher in (weighers if len(shortlist) else ())
            if (multiplier := settings.multipliers.get(weigher.name, 1.0))
        ]
        self._sums: FloatArray = np.zeros(len(shortlist))
        self._base = 0.0
        self._score_all()

    def __len__(self) -> int:
        return len(self._indices)

    @property
    def sums(self) -> FloatArray:
        """The weighted sums by slot, each less what is the same for all."""
        return self._sums

    def index(self, slot: int) -> int:
        """Return the shortlist's index of a slot."""
        return int(self._indices[slot])

    def slots_without(self, rows: Sequence[int]) -> IntArray:
        """Return the slots of all hosts but those with these root rows."""
        return np.flatnonzero(~np.isin(self._shortlist.rows[self._indices], rows))

    def score(self, slot: int) -> float:
        """Return the score of a slot."""
        return float(self._sums[slot]) + self._base

    def drop(self, slot: int) -> None:
        """Take one host off the board."""
        self._indices = np.delete(self._indices, slot)
        moved = [line.drop(slot) for line in self._lines]
        if any(moved) or len(self) < 2:
            self._score_all()
        else:
            self._sums = np.delete(self._sums, slot)

    def rescore(self, slot: int) -> None:
        """Read one host again, which has changed."""
        alone = self._shortlist.only(self.index(slot))
        moved = [line.change(slot, self._weighed(line.weigher, alone)[0]) for line in self._lines]
        if any(moved) or len(self) < 2:
            self._score_all()
        else:
            self._sums[slot] = sum(line.weighed[slot] for line in self._lines)

    def _weighed(self, weigher: Weigher, shortlist: Shortlist) -> Numbers:
        return within(weigher.weigh(shortlist, self._request), weigher)

    def _score_all(self) -> None:
        self._base = 0.0
        if len(self) < 2 or not self._lines:
            # A host alone counts as 0, however it is weighed.
            self._sums = np.zeros(len(self))
            return
        self._sums = self._lines[0].weighed.copy()
        for line in self._lines[1:]:
            self._sums += line.weighed
        self._base = -sum(line.scale.low * line.share() for line in self._lines)
