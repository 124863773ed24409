"""Options as plain values; ``scheduler_lib.conf`` makes them out of a ConfigOpts."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field


class Accounting(enum.Enum):
    """Which numbers say how full a host is."""

    ALLOCATIONS = "allocations"
    """What was claimed, in the database."""
    REPORTED = "reported"
    """The ``*_used`` columns of the hosts' reports."""


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Where the books are.

    :ivar connection: a SQLAlchemy URL.
    :ivar sqlite_synchronous: ``NORMAL`` (survives a crash of the process) or ``FULL`` (of the
        machine too).
    :ivar busy_timeout_s: how long SQLite waits for another writer.
    :ivar max_pool_size: connections kept open.
    :ivar max_overflow: connections opened beyond that under load.
    :ivar max_retries: how often a transaction is run again after a deadlock.
    :ivar change_retention_s: how long rows of the change feed are kept.
    :ivar request_key_retention_s: how long answers are kept under their request key.
    """

    connection: str
    sqlite_synchronous: str = "NORMAL"
    busy_timeout_s: float = 30.0
    max_pool_size: int = 5
    max_overflow: int = 50
    max_retries: int = 20
    change_retention_s: float = 3600.0
    request_key_retention_s: float = 86400.0


@dataclass(frozen=True, slots=True)
class CapacitySettings:
    """How reported totals become inventories.

    A ratio that a report gives wins over ``*_allocation_ratio``, and that over ``initial_*``.

    :ivar reserved_host_cpus: taken off VCPU.
    :ivar reserved_host_memory_mb: taken off MEMORY_MB.
    :ivar reserved_host_disk_mb: taken off DISK_GB, rounded up to whole GB.
    """

    cpu_allocation_ratio: float | None = None
    ram_allocation_ratio: float | None = None
    disk_allocation_ratio: float | None = None
    initial_cpu_allocation_ratio: float = 4.0
    initial_ram_allocation_ratio: float = 1.0
    initial_disk_allocation_ratio: float = 1.0
    reserved_host_cpus: int = 0
    reserved_host_memory_mb: int = 0
    reserved_host_disk_mb: int = 0


@dataclass(frozen=True, slots=True)
class SchedulingSettings:
    """How the scheduler chooses.

    :ivar enabled_filters: names of filters, in the order they run.
    :ivar enabled_weighers: names of weighers.
    :ivar multipliers: weigher name to multiplier; an absent one has 1.0.
    :ivar packing_resource_weights: resource class to its weight in the packing weigher; an absent
        one has 1.0.
    :ivar host_subset_size: choose at random among that many best hosts.
    :ivar shuffle_best_same_weighed_hosts: shuffle the hosts that share the best weight.
    :ivar random_seed: where the random choices begin; None for anywhere.
    :ivar alternates: next-best hosts named for each destination.
    :ivar service_down_time_s: a host whose heartbeat is older counts as down.
    :ivar default_availability_zone: the zone of hosts that name none.
    :ivar accounting: which numbers say how full a host is.
    """

    enabled_filters: tuple[str, ...] = ()
    enabled_weighers: tuple[str, ...] = ()
    multipliers: Mapping[str, float] = field(default_factory=dict)
    packing_resource_weights: Mapping[str, float] = field(default_factory=dict)
    host_subset_size: int = 1
    shuffle_best_same_weighed_hosts: bool = False
    random_seed: int | None = None
    alternates: int = 2
    service_down_time_s: float = 60.0
    default_availability_zone: str = "nova"
    accounting: Accounting = Accounting.ALLOCATIONS


@dataclass(frozen=True, slots=True)
class CallSettings:
    """What the facade does for each call.

    :ivar call_timeout_s: the time one call may take, in seconds.
    :ivar retry_attempts: tries of a call that is safe to repeat.
    :ivar report_refresh_s: an unchanged report is sent all the same when the last accepted one is
        older, in seconds: another process may have deleted the host meanwhile.
    """

    call_timeout_s: float = 60.0
    retry_attempts: int = 3
    report_refresh_s: float = 600.0


@dataclass(frozen=True, slots=True)
class PlacementSettings:
    """How the Placement API answers.

    :ivar auth_strategy: ``keystone`` or ``noauth2``.
    :ivar max_request_body_bytes: the longest body that is taken.
    :ivar healthcheck_path: where the healthcheck answers; empty for nowhere.
    :ivar call_timeout_s: the time one request may take, in seconds.
    :ivar max_allocation_candidates: the most candidates given to one request; None for all.
    :ivar generation_strategy: ``breadth-first`` or ``depth-first``.
    :ivar randomize: whether candidates come in a random order.
    :ivar incomplete_project_id: who allocations are booked on that name no project.
    :ivar incomplete_user_id: who allocations are booked on that name no user.
    :ivar sync_on_startup: whether the schema is brought up to date at the start.
    """

    auth_strategy: str = "keystone"
    max_request_body_bytes: int = 16 * 1024 * 1024
    healthcheck_path: str = "/healthcheck"
    call_timeout_s: float = 60.0
    max_allocation_candidates: int | None = None
    generation_strategy: str = "breadth-first"
    randomize: bool = False
    incomplete_project_id: str = "00000000-0000-0000-0000-000000000000"
    incomplete_user_id: str = "00000000-0000-0000-0000-000000000000"
    sync_on_startup: bool = False
