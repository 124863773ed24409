"""Fleets and schedulers in a line, without a database."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterable, Sequence

from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.decision import Decision, Selection
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import HostFacts, Provider, ProviderChanged, Stock
from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.filters.aggregate import AggregateFilter
from scheduler_lib.scheduling.filters.availability_zone import AvailabilityZoneFilter
from scheduler_lib.scheduling.filters.compute import ComputeFilter
from scheduler_lib.scheduling.filters.retry import RetryFilter
from scheduler_lib.scheduling.scheduler import Scheduler
from scheduler_lib.scheduling.weighers.base import Weigher
from scheduler_lib.scheduling.weighers.cpu import CpuWeigher
from scheduler_lib.scheduling.weighers.disk import DiskWeigher
from scheduler_lib.scheduling.weighers.ram import RamWeigher

FILTERS = (AvailabilityZoneFilter, ComputeFilter, RetryFilter, AggregateFilter)
WEIGHERS = (RamWeigher, CpuWeigher, DiskWeigher)
NOW = 1_000_000.0


class StoppedClock(SystemClock):
    """The wall clock stands still."""

    def now(self) -> float:
        return NOW


def uuid_of(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, name))


def consumers(count: int) -> list[str]:
    return [uuid_of(f"consumer {number}") for number in range(count)]


def stocks(units: dict[str, object]) -> dict[str, Stock]:
    """Amounts by class; a pair is (inventory, used)."""
    return {name: _stock(value) for name, value in units.items()}


def _stock(value: object) -> Stock:
    if isinstance(value, Stock):
        return value
    if isinstance(value, tuple):
        total, used = value
        return Stock(total if isinstance(total, Inventory) else Inventory(total), used)
    return Stock(value if isinstance(value, Inventory) else Inventory(int(str(value))))


def host(
    name: str,
    units: dict[str, object],
    *,
    traits: Iterable[str] = (),
    aggregates: Iterable[str] = (),
    **facts: object,
) -> ProviderChanged:
    root = uuid_of(name)
    return ProviderChanged(
        Provider(
            uuid=root,
            name=name,
            root_uuid=root,
            stocks=stocks(units),
            traits=frozenset(traits),
            aggregates=frozenset(aggregates),
            facts=HostFacts(name, name, {}, {}, **facts),  # type: ignore[arg-type]
        )
    )


def child(name: str, parent: str, units: dict[str, object], *traits: str) -> ProviderChanged:
    root = uuid_of(parent)
    return ProviderChanged(
        Provider(uuid_of(name), name, root, root, 0, stocks(units), frozenset(traits))
    )


def fleet_of(*changes: ProviderChanged) -> Fleet:
    fleet = Fleet()
    fleet.apply(changes)
    return fleet


def scheduler(*weighers: type[Weigher], seed: int = 1, **settings: object) -> Scheduler:
    chosen = SchedulingSettings(**{"alternates": 0, **settings})  # type: ignore[arg-type]
    return Scheduler(
        chosen,
        [kind(chosen) for kind in FILTERS],
        [kind(chosen) for kind in weighers or WEIGHERS],
        StoppedClock(),
        random.Random(seed),
    )


def soon() -> Deadline:
    return Deadline.after(30, SystemClock())


def ask(resources: dict[str, int], count: int = 1, **rest: object) -> Request:
    return Request.build(resources, consumers=consumers(count), **rest)  # type: ignore[arg-type]


def names(decision: Decision) -> list[str]:
    return [destination.host for destination in decision.destinations]


class FleetClaimer:
    """Claims by consuming in the fleet, as if nobody else were there."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self.claimed: list[Selection] = []

    def claim(self, selections: Sequence[Selection]) -> None:
        self.claimed.extend(selections)
        self._fleet.consume(
            (provider, resource_class, amount)
            for selection in selections
            for provider, amounts in selection.destination.allocations.items()
            for resource_class, amount in amounts.items()
        )
