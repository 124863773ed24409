"""From raw numbers to an order: normalised, multiplied, added up, best first.

score(host) = sum over weighers of multiplier x (raw - min) / (max - min), min and max taken over
the hosts at hand unless the weigher fixes them; all alike counts as 0, and so does a host alone
(Nova, ``nova.weights``).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.shortlist import BoolArray, FloatArray, Shortlist
from scheduler_lib.scheduling.weighers.base import Weigher

Numbers = npt.NDArray[np.number]
Ranked = tuple[int, float]

# Up to here a scan for the next best is cheaper than sorting everything.
_SCANS = 8


class Scale(NamedTuple):
    """What counts as 0 and as 1 for one weigher, among the hosts at hand."""

    low: float
    high: float

    @classmethod
    def of(cls, weigher: Weigher, raw: Numbers) -> Scale:
        """Return it for these raw values."""
        low = float(np.minimum.reduce(raw)) if weigher.minval is None else weigher.minval
        high = float(np.maximum.reduce(raw)) if weigher.maxval is None else weigher.maxval
        return cls(low, high)

    def share(self, multiplier: float) -> float:
        """Return what one unit of the raw value adds to the score."""
        return multiplier / (self.high - self.low) if self.high > self.low else 0.0

    def normalised(self, raw: Numbers) -> FloatArray:
        """Return the values from 0 to 1."""
        scaled: FloatArray = np.subtract(raw, self.low, dtype=np.float64)
        scaled *= self.share(1.0)
        return np.clip(scaled, 0.0, 1.0, out=scaled)


class Totals(NamedTuple):
    """The sums of the weighted scores, by index.

    :ivar sums: the scores, each less ``base``.
    :ivar base: what is the same for all, and moves nobody.
    """

    sums: FloatArray
    base: float


def within(raw: Numbers, weigher: Weigher) -> Numbers:
    """Return raw values with those beyond the weigher's fixed bounds put on the bounds.

    Values that are no numbers count as the least that is one.
    """
    if raw.dtype.kind == "f":
        finite: BoolArray = np.isfinite(raw)
        if not finite.all():
            raw = np.where(finite, raw, raw[finite].min() if finite.any() else 0.0)
    if weigher.minval is not None and np.minimum.reduce(raw) < weigher.minval:
        raw = np.maximum(raw, weigher.minval)
    if weigher.maxval is not None and np.maximum.reduce(raw) > weigher.maxval:
        raw = np.minimum(raw, weigher.maxval)
    return raw


def totals(
    shortlist: Shortlist,
    request: Request,
    weighers: Sequence[Weigher],
    settings: SchedulingSettings,
) -> Totals:
    """Return the weighted sums of the hosts of a shortlist."""
    sums: FloatArray | None = None
    base = 0.0
    for weigher in weighers if len(shortlist) > 1 else ():
        multiplier = settings.multipliers.get(weigher.name, 1.0)
        if not multiplier:
            continue
        raw = within(weigher.weigh(shortlist, request), weigher)
        scale = Scale.of(weigher, raw)
        share = scale.share(multiplier)
        if share:
            line: FloatArray = np.multiply(raw, share, dtype=np.float64)
            sums = line if sums is None else np.add(sums, line, out=sums)
            base -= scale.low * share
    return Totals(np.zeros(len(shortlist)) if sums is None else sums, base)


def best_first(
    sums: FloatArray, settings: SchedulingSettings, random_source: random.Random
) -> Iterator[Ranked]:
    """Yield indices with their sums, best first, worked out only as far as they are asked for.

    Equals go to the lower index, which is the lower (host, node) name, unless they are shuffled;
    the first is drawn among the best ``host_subset_size``.

    :param sums: by index; the ranking uses them up.
    """
    order = _descending(sums)
    if settings.shuffle_best_same_weighed_hosts and len(sums):
        order = _equals_shuffled(sums, order, random_source)
    if settings.host_subset_size < 2:
        return order
    subset = list(islice(order, settings.host_subset_size))
    if len(subset) > 1:
        subset.insert(0, subset.pop(random_source.randrange(len(subset))))
    return chain(subset, order)


def first_of(sums: FloatArray, settings: SchedulingSettings, random_source: random.Random) -> int:
    """Return the index that :func:`best_first` would yield first; the sums stay as they are."""
    if settings.host_subset_size < 2 and not settings.shuffle_best_same_weighed_hosts:
        return int(sums.argmax())
    return next(best_first(sums.copy(), settings, random_source))[0]


def _descending(sums: FloatArray) -> Iterator[Ranked]:
    seen: dict[int, float] = {}
    for _ in range(min(_SCANS, len(sums))):
        best = int(sums.argmax())
        seen[best] = float(sums[best])
        sums[best] = -np.inf
        yield best, seen[best]
    if len(sums) > len(seen):
        for index in np.argsort(-sums, kind="stable").tolist():
            if index not in seen:
                yield index, float(sums[index])


def _equals_shuffled(
    sums: FloatArray, order: Iterator[Ranked], random_source: random.Random
) -> Iterator[Ranked]:
    most = float(sums.max())
    equals = np.flatnonzero(sums == most).tolist()
    random_source.shuffle(equals)
    for index in equals:
        yield index, most
    yield from islice(order, len(equals), None)
