"""The decision alone: a fleet in memory, the scheduler, and claims that nobody contests."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence

from benchmarks import fleet_shape, fleet_values
from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.decision import Decision, Selection
from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.filters.aggregate import AggregateFilter
from scheduler_lib.scheduling.filters.availability_zone import AvailabilityZoneFilter
from scheduler_lib.scheduling.filters.compute import ComputeFilter
from scheduler_lib.scheduling.filters.retry import RetryFilter
from scheduler_lib.scheduling.scheduler import Scheduler
from scheduler_lib.scheduling.weighers.cpu import CpuWeigher
from scheduler_lib.scheduling.weighers.disk import DiskWeigher
from scheduler_lib.scheduling.weighers.ram import RamWeigher

FILTERS = (AvailabilityZoneFilter, ComputeFilter, RetryFilter, AggregateFilter)
WEIGHERS = (RamWeigher, CpuWeigher, DiskWeigher)


class Uncontested:
    """Accepts every claim and writes nothing."""

    def claim(self, selections: Sequence[Selection]) -> None:
        return


class Decider:
    """The default filters and three weighers over one fleet without a database."""

    def __init__(self, hosts: int) -> None:
        settings = SchedulingSettings(
            enabled_filters=tuple(item.name for item in FILTERS),
            enabled_weighers=tuple(item.name for item in WEIGHERS),
            alternates=fleet_values.ALTERNATES,
            service_down_time_s=fleet_shape.SERVICE_DOWN_TIME_S,
        )
        self._clock = SystemClock()
        self._scheduler = Scheduler(
            settings,
            tuple(item(settings) for item in FILTERS),
            tuple(item(settings) for item in WEIGHERS),
            self._clock,
            random.Random(0),
        )
        self._claimer = Uncontested()
        self.fleet = Fleet()
        self.fleet.apply(fleet_values.added(fleet_shape.hosts(hosts)))

    def decide(self, request: Request) -> Decision:
        """Decide; the fleet stays as it is."""
        deadline = Deadline.after(600.0, self._clock)
        return self._scheduler.select(request, self.fleet, self._claimer, deadline)


def medians_us(calls: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Time several calls turn by turn, so that what disturbs one disturbs all; give medians."""
    samples: list[list[int]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, taken in zip(calls, samples, strict=True):
            started = time.perf_counter_ns()
            call()
            taken.append(time.perf_counter_ns() - started)
    return [statistics.median(taken) / 1000 for taken in samples]
