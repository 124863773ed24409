"""Prefer the host whose leftovers stay most useful to the requests that usually come.

After "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient
Descent" (USENIX ATC 2023), turned around: instead of what becomes useless, what stays usable is
added up, shape by shape of the recent demand, and the host that loses least of it is preferred.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.demand import DeviceNeed, Shape, Usual
from scheduler_lib.scheduling.devices import Devices, Units
from scheduler_lib.scheduling.mix import Mix
from scheduler_lib.scheduling.shortlist import FloatArray, IntArray, Shortlist
from scheduler_lib.scheduling.weighers.base import Weigher

# How much a host's fullness counts beside one device's worth of lost use, and how much a device
# counts within it: found best on the published GPU trace, flat around these values.
_LEANING = 0.03
_DEVICE_LEANING = 10.0


class FragmentationWeigher(Weigher):
    """How little of what the usual requests could use is lost by placing this one.

    Devices are the providers of a class that the usual requests ask for in groups of their own;
    where they ask for none, only the host's fullness counts, as in the packing weigher.
    """

    name = "fragmentation"
    looks_ahead = True

    def weigh(self, shortlist: Shortlist, request: Request) -> FloatArray:
        """Return less for each host the more usable capacity it would lose."""
        shape = Shape.of(request)
        usual = shortlist.demand.usual()
        classes = sorted({need.resource_class for item, _ in usual for need in item.devices})
        lost = np.zeros(len(shortlist))
        for resource_class in classes:
            lost += _lost(shortlist, resource_class, shape, usual)
        return -lost - _LEANING * _fullness(shortlist, shape, classes)


def _lost(shortlist: Shortlist, resource_class: str, shape: Shape, usual: Usual) -> FloatArray:
    """Return the usable capacity that each host would lose, in devices."""
    fleet = shortlist.fleet
    stock = fleet.stock(resource_class)
    if stock is None or not len(stock):
        return np.zeros(len(shortlist))
    devices = Devices(fleet, resource_class, stock)
    mix = fleet.answer(("mix", resource_class, id(usual)), (), lambda: Mix(usual, resource_class))
    own = {name: shortlist.tree_sums(name, "free")[devices.roots] for name in mix.own_classes}
    free = devices.free()
    left = free
    for need in shape.devices:
        if need.resource_class == resource_class:
            left = _taken(left, devices, need)
    own_left = _less(own, dict(shape.own))
    lost = mix.usable(devices, free, own) - mix.usable(devices, left, own_left)
    columns = devices.columns(shortlist.rows)
    largest = max(int(stock.capacity.max(initial=1)), 1)
    return np.where(columns < 0, 0.0, lost[columns]) / largest


def _taken(free: Units, devices: Devices, need: DeviceNeed) -> Units:
    able = free >= need.amount
    if need.conditions:
        able &= devices.meeting_each((need.conditions,))[0]
    left = free.copy()
    tight = np.where(able, free, np.iinfo(np.int32).max)
    hosts = np.arange(free.shape[1])
    for _ in range(min(need.quantity, len(free))):
        # The search within a tree takes the device with least free first, and so does this.
        device = tight.argmin(axis=0)
        left[device, hosts] -= np.where(able[device, hosts], need.amount, 0).astype(np.int32)
        tight[device, hosts] = np.iinfo(np.int32).max
        able[device, hosts] = False
    return left


def _less(own: Mapping[str, IntArray], amounts: Mapping[str, int]) -> dict[str, IntArray]:
    return {name: units - amounts.get(name, 0) for name, units in own.items()}


def _fullness(shortlist: Shortlist, shape: Shape, classes: list[str]) -> FloatArray:
    weights = {name: 1.0 for name, _ in shape.own}
    weights.update(dict.fromkeys(classes, _DEVICE_LEANING))
    left = np.zeros(len(shortlist))
    for name, weight in weights.items():
        most = shortlist.largest_tree(name)
        if most > 0:
            left += shortlist.tree_free(name) * (weight / most)
    return left
