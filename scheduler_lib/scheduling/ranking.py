"""From raw numbers to an order: normalised, multiplied, added up, best first.

score(host) = sum over weighers of multiplier x (raw - min) / (max - min), min and max taken over
the hosts at hand unless the weigher fixes them; all alike counts as 0, and so does a host alone
(Nova, ``nova.weights``).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.shortlist import BoolArray, FloatArray, IntArray, Shortlist
from scheduler_lib.scheduling.weighers.base import Weigher

# Up to here a scan for the next best is cheaper than sorting everything.
_SCANS = 8


@dataclass(frozen=True, slots=True)
class Extent:
    """What counts as 0 and as 1 for one weigher, among the hosts at hand."""

    low: float
    high: float

    @classmethod
    def of(cls, weigher: Weigher, raw: FloatArray | IntArray) -> Extent:
        """Return it for these raw values."""
        low = float(raw.min()) if weigher.minval is None else weigher.minval
        high = float(raw.max()) if weigher.maxval is None else weigher.maxval
        return cls(low, high)

    def normalised(self, raw: FloatArray | IntArray) -> FloatArray:
        """Return the values on the scale from 0 to 1."""
        if self.high <= self.low:
            return np.zeros(len(raw))
        scaled: FloatArray = np.subtract(raw, self.low, dtype=np.float64)
        scaled /= self.high - self.low
        return np.clip(scaled, 0.0, 1.0, out=scaled)


def sound(raw: FloatArray | IntArray) -> FloatArray | IntArray:
    """Return raw values in which nan and infinities count as the least finite one."""
    if raw.dtype.kind != "f":
        return raw
    finite: BoolArray = np.isfinite(raw)
    if finite.all():
        return raw
    least = raw[finite].min() if finite.any() else 0.0
    return np.where(finite, raw, least)


def scores(
    shortlist: Shortlist,
    request: Request,
    weighers: Sequence[Weigher],
    settings: SchedulingSettings,
) -> FloatArray:
    """Return the sum of the weighted scores of each host, by index."""
    totals = np.zeros(len(shortlist))
    if len(shortlist) < 2:
        return totals
    for weigher in weighers:
        multiplier = settings.multipliers.get(weigher.name, 1.0)
        if multiplier:
            raw = sound(weigher.weigh(shortlist, request))
            totals += Extent.of(weigher, raw).normalised(raw) * multiplier
    return totals


def best_first(
    totals: FloatArray, settings: SchedulingSettings, random_source: random.Random
) -> Iterator[int]:
    """Yield indices, best first; the order is worked out only as far as it is asked for.

    Equals go to the lower index, which is the lower (host, node) name, unless they are shuffled;
    the first is drawn among the best ``host_subset_size``.
    """
    order = _descending(totals)
    if settings.shuffle_best_same_weighed_hosts and len(totals):
        order = _equals_shuffled(totals, order, random_source)
    subset = list(islice(order, settings.host_subset_size))
    if len(subset) > 1:
        subset.insert(0, subset.pop(random_source.randrange(len(subset))))
    return chain(subset, order)


def _descending(totals: FloatArray) -> Iterator[int]:
    remaining = totals.copy()
    seen: list[int] = []
    for _ in range(min(_SCANS, len(totals))):
        best = int(remaining.argmax())
        seen.append(best)
        yield best
        remaining[best] = -np.inf
    if len(totals) > len(seen):
        for index in np.argsort(-totals, kind="stable").tolist():
            if index not in seen:
                yield index


def _equals_shuffled(
    totals: FloatArray, order: Iterator[int], random_source: random.Random
) -> Iterator[int]:
    equals = np.flatnonzero(totals == totals.max()).tolist()
    random_source.shuffle(equals)
    yield from equals
    yield from islice(order, len(equals), None)
