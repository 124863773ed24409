"""Prefer hosts with free memory: spreads; a negative multiplier stacks."""

from __future__ import annotations

from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.shortlist import IntArray, Shortlist
from scheduler_lib.scheduling.weighers.base import Weigher


class RamWeigher(Weigher):
    """Free memory in MB: total - reserved - used, the ratio not counted (Nova, RAMWeigher)."""

    name = "ram"
    minval = 0

    def weigh(self, shortlist: Shortlist, request: Request) -> IntArray:
        """Return free MEMORY_MB."""
        return shortlist.spare("MEMORY_MB")
