"""Prefer the host whose leftovers stay most useful to the requests that usually come.

After "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient
Descent" (USENIX ATC 2023), turned around: instead of what becomes useless, what stays usable is
added up, shape by shape of the recent demand, and the host that loses least of it is preferred.
"""

from __future__ import annotations

import numpy as np

from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.demand import Shape
from scheduler_lib.scheduling.devices import Devices
from scheduler_lib.scheduling.mix import Mix
from scheduler_lib.scheduling.shortlist import FloatArray, Shortlist
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
            lost += _lost(shortlist, resource_class, shape)
        return -lost - _LEANING * _fullness(shortlist, shape, classes)


def _lost(shortlist: Shortlist, resource_class: str, shape: Shape) -> FloatArray:
    """Return the usable capacity that each host would lose, in devices."""
    fleet = shortlist.fleet
    stock = fleet.stock(resource_class)
    if stock is None or not len(stock):
        return np.zeros(len(shortlist))
    devices = Devices(fleet, resource_class, stock)
    mix = shortlist.demand.derived(
        ("mix", resource_class), lambda usual: Mix(usual, resource_class)
    )
    own = {name: shortlist.tree_sums(name, "free")[devices.roots] for name in mix.own_classes}
    lost = mix.lost(shape, devices, devices.free(), own)
    columns = devices.columns(shortlist.rows)
    largest = max(int(stock.capacity.max(initial=1)), 1)
    return np.where(columns < 0, 0.0, lost[columns]) / largest


def _fullness(shortlist: Shortlist, shape: Shape, classes: list[str]) -> FloatArray:
    weights = {name: 1.0 for name, _ in shape.own}
    weights.update(dict.fromkeys(classes, _DEVICE_LEANING))
    left = np.zeros(len(shortlist))
    for name, weight in weights.items():
        most = shortlist.largest_tree(name)
        if most > 0:
            left += shortlist.tree_free(name) * (weight / most)
    return left
