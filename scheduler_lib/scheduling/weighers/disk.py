"""Prefer hosts with free disk: spreads; a negative multiplier stacks."""

from __future__ import annotations

from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.shortlist import IntArray, Shortlist
from scheduler_lib.scheduling.weighers.base import Weigher


class DiskWeigher(Weigher):
    """Free disk in GB: total - reserved - used, the ratio not counted (Nova, DiskWeigher)."""

    name = "disk"
    minval = 0

    def weigh(self, shortlist: Shortlist, request: Request) -> IntArray:
        """Return free DISK_GB."""
        return shortlist.spare("DISK_GB")
