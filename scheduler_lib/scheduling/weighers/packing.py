"""Prefer the fullest host that fits: keeps big gaps whole; a negative multiplier spreads."""

from __future__ import annotations

import numpy as np

from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.shortlist import FloatArray, Shortlist
from scheduler_lib.scheduling.weighers.base import Weigher


class PackingWeigher(Weigher):
    """How little a host has left, in the classes asked, counting its whole tree.

    What is left of each class is measured against the largest host of the fleet, so that
    a small host that would be full goes before a large one that is half full; the classes count
    alike, times ``packing_resource_weights``.
    """

    name = "packing"

    def weigh(self, shortlist: Shortlist, request: Request) -> FloatArray:
        """Return less for each host the more it has free: 0 for a full one, negative otherwise."""
        left = np.zeros(len(shortlist))
        for resource_class in self._classes(request):
            most = shortlist.largest_tree(resource_class)
            if most > 0:
                weight = self.settings.packing_resource_weights.get(resource_class, 1.0)
                left -= shortlist.tree_free(resource_class) * (weight / most)
        return left

    def _classes(self, request: Request) -> list[str]:
        asked = {name for group in request.groups.values() for name in group.resources}
        # What somebody gave a weight counts even where it is not asked: a request for processors
        # alone should not take them from beside the devices that need them.
        return sorted(asked | set(self.settings.packing_resource_weights))
