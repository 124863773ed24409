"""Prefer hosts with free processors: spreads; a negative multiplier stacks."""

from __future__ import annotations

from scheduler_lib.model.request import Request
from scheduler_lib.scheduling.shortlist import IntArray, Shortlist
from scheduler_lib.scheduling.weighers.base import Weigher


class CpuWeigher(Weigher):
    """Free virtual processors, the allocation ratio counted (Nova, CPUWeigher)."""

    name = "cpu"
    minval = 0

    def weigh(self, shortlist: Shortlist, request: Request) -> IntArray:
        """Return free VCPU."""
        return shortlist.free("VCPU")
