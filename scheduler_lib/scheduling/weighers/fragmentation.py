"""Prefer the host whose leftovers stay most useful to the requests that usually come.

After "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient
Descent" (USENIX ATC 2023), turned around: instead of what becomes useless, what stays usable is
added up, shape by shape of the recent demand, and the host that loses least of it is preferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.demand import Conditions, DeviceNeed, Shape
from scheduler_lib.scheduling.devices import Devices, Units
from scheduler_lib.scheduling.shortlist import FloatArray, IntArray, Shortlist
from scheduler_lib.scheduling.weighers.base import Weigher

# Rare shapes cost as much to look at as common ones, and move nothing.
_COVER = 0.95
# How much a host's fullness counts beside one device's worth of lost use, and how much a device
# counts within it: found best on the published GPU trace, flat around these values.
_LEANING = 0.03
_DEVICE_LEANING = 10.0

Own = dict[str, IntArray]


class FragmentationWeigher(Weigher):
    """How little of what the usual requests could use is lost by placing this one.

    Devices are the providers of a class that the usual requests ask for in groups of their own;
    where they ask for none, the host's own free share takes their place.
    """

    name = "fragmentation"

    def weigh(self, shortlist: Shortlist, request: Request) -> FloatArray:
        """Return less for each host the more usable capacity it would lose."""
        shape = Shape.of(request)
        usual = [*shortlist.demand.shares(_COVER)] or [(shape, 1.0)]
        classes = sorted({need.resource_class for item, _ in usual for need in item.devices})
        before = _own(shortlist, usual)
        after = {name: units - dict(shape.own).get(name, 0) for name, units in before.items()}
        lost = np.zeros(len(shortlist))
        for resource_class in classes:
            lost += _lost(shortlist, resource_class, shape, usual, before, after)
        if not classes:
            lost += _usable_share(before, usual, shortlist) - _usable_share(after, usual, shortlist)
        return -lost - _LEANING * _fullness(shortlist, shape, classes)


@dataclass(frozen=True, slots=True)
class _Kind:
    """How many devices could serve one kind of need, and how many units they have, by host."""

    count: npt.NDArray[np.int64]
    units: IntArray


def _lost(
    shortlist: Shortlist,
    resource_class: str,
    shape: Shape,
    usual: Sequence[tuple[Shape, float]],
    before: Own,
    after: Own,
) -> FloatArray:
    stock = shortlist.fleet.stock(resource_class)
    if stock is None:
        return np.zeros(len(shortlist))
    devices = Devices(shortlist.fleet, resource_class, stock, shortlist.rows)
    free = devices.free()
    left = free
    for need in shape.devices:
        if need.resource_class == resource_class:
            left = _taken(left, devices, need)
    largest = max(int(stock.capacity.max(initial=1)), 1)
    lost = _usable(devices, free, resource_class, usual, before)
    lost -= _usable(devices, left, resource_class, usual, after)
    return lost / largest


def _usable(
    devices: Devices,
    free: Units,
    resource_class: str,
    usual: Sequence[tuple[Shape, float]],
    own: Own,
) -> FloatArray:
    total = np.zeros(free.shape[1])
    kinds: dict[tuple[int, Conditions], _Kind] = {}
    for shape, share in usual:
        for need in shape.devices:
            if need.resource_class == resource_class:
                key = (need.amount, need.conditions)
                kind = kinds.get(key)
                if kind is None:
                    kind = kinds[key] = _kind(devices, free, *key)
                fits = kind.count >= need.count
                for name, amount in shape.own:
                    fits &= own[name] >= amount
                total += np.where(fits, kind.units * share, 0.0)
    return total


def _kind(devices: Devices, free: Units, amount: int, conditions: Conditions) -> _Kind:
    able = free >= amount
    if conditions:
        able &= devices.meeting(conditions)
    return _Kind(np.count_nonzero(able, axis=0), np.where(able, free, 0).sum(axis=0))


def _taken(free: Units, devices: Devices, need: DeviceNeed) -> Units:
    able = free >= need.amount
    if need.conditions:
        able &= devices.meeting(need.conditions)
    left = free.copy()
    tight = np.where(able, free, np.iinfo(np.int32).max)
    hosts = np.arange(free.shape[1])
    for _ in range(min(need.count, len(free))):
        # The search within a tree takes the device with least free first, and so does this.
        device = tight.argmin(axis=0)
        left[device, hosts] -= np.where(able[device, hosts], need.amount, 0).astype(np.int32)
        tight[device, hosts] = np.iinfo(np.int32).max
        able[device, hosts] = False
    return left


def _own(shortlist: Shortlist, usual: Sequence[tuple[Shape, float]]) -> Own:
    names = {name for shape, _ in usual for name, _ in shape.own}
    return {name: shortlist.tree_free(name) for name in sorted(names)}


def _usable_share(
    own: Own, usual: Sequence[tuple[Shape, float]], shortlist: Shortlist
) -> FloatArray:
    share_free = np.zeros(len(shortlist))
    for name, units in own.items():
        share_free += units / max(int(shortlist.tree_capacity(name).max(initial=1)), 1)
    total = np.zeros(len(shortlist))
    for shape, share in usual:
        fits = np.ones(len(shortlist), dtype=np.bool_)
        for name, amount in shape.own:
            fits &= own[name] >= amount
        total += np.where(fits, share_free * share, 0.0)
    return total


def _fullness(shortlist: Shortlist, shape: Shape, classes: Sequence[str]) -> FloatArray:
    weights = {name: 1.0 for name, _ in shape.own}
    weights.update(dict.fromkeys(classes, _DEVICE_LEANING))
    left = np.zeros(len(shortlist))
    for name, weight in weights.items():
        most = int(shortlist.tree_capacity(name).max(initial=0))
        if most > 0:
            left += shortlist.tree_free(name) * (weight / most)
    return left
