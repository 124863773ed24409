"""The hosts and requests of ``fleet_shape`` as the library's own values."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator

from benchmarks.fleet_shape import (
    CPU_RATIO,
    DISK_RATIO,
    HEARTBEAT,
    RAM_RATIO,
    RESERVED_MEMORY_MB,
    HostShape,
    RequestShape,
    consumer,
)
from scheduler_lib.model.allocation import Claim
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.provider import HostFacts, Provider, ProviderChanged, Stock
from scheduler_lib.model.request import UNSUFFIXED, Request, ResourceGroup
from scheduler_lib.model.stats import HostStats

ALTERNATES = 3
PROJECT = "0123456789abcdef0123456789abcdef"
# One consumer may hold at most what the host physically has; four hold an overcommitted host's use.
_HOLDERS = 4


def stats(shape: HostShape) -> dict[str, object]:
    """Give what the host's resource tracker pushes."""
    used_mb = shape.memory_mb_used + RESERVED_MEMORY_MB
    free_gb = shape.local_gb - shape.local_gb_used
    return {
        "uuid": shape.uuid,
        "vcpus": shape.vcpus,
        "memory_mb": shape.memory_mb,
        "local_gb": shape.local_gb,
        "vcpus_used": shape.vcpus_used,
        "memory_mb_used": used_mb,
        "local_gb_used": shape.local_gb_used,
        "free_ram_mb": shape.memory_mb - used_mb,
        "free_disk_gb": free_gb,
        "disk_available_least": free_gb,
        "running_vms": shape.instances,
        "current_workload": 0,
        "hypervisor_type": "QEMU",
        "hypervisor_version": 8_002_002,
        "host_ip": "192.0.2.1",
        "cpu_info": '{"arch": "x86_64", "vendor": "AMD"}',
        "supported_instances": '[["x86_64", "kvm", "hvm"]]',
        "stats": {"num_instances": str(shape.instances)},
        "cpu_allocation_ratio": CPU_RATIO,
        "ram_allocation_ratio": RAM_RATIO,
        "disk_allocation_ratio": DISK_RATIO,
        "reserved_host_memory_mb": RESERVED_MEMORY_MB,
        "availability_zone": shape.zone,
        "last_seen_up": HEARTBEAT,
        "traits": list(shape.traits),
    }


def name(shape: HostShape) -> ResourceName:
    """Give the name the host reports under."""
    return ResourceName(shape.host, shape.node)


def report(shape: HostShape) -> tuple[ResourceName, HostStats]:
    """Give the host's report, checked."""
    return name(shape), HostStats.parse(stats(shape))


def added(shapes: Iterable[HostShape]) -> Iterator[ProviderChanged]:
    """Give the changes that bring these hosts into a fleet, as full as the shapes say."""
    return (ProviderChanged(provider(shape)) for shape in shapes)


def provider(shape: HostShape) -> Provider:
    """Give the host's root provider."""
    return Provider(
        uuid=shape.uuid,
        name=shape.node,
        root_uuid=shape.uuid,
        stocks={
            "VCPU": Stock(
                Inventory(shape.vcpus, max_unit=shape.vcpus, allocation_ratio=CPU_RATIO),
                shape.vcpus_used,
            ),
            "MEMORY_MB": Stock(
                Inventory(shape.memory_mb, RESERVED_MEMORY_MB, max_unit=shape.memory_mb),
                shape.memory_mb_used,
            ),
            "DISK_GB": Stock(
                Inventory(shape.local_gb, max_unit=shape.local_gb), shape.local_gb_used
            ),
        },
        traits=frozenset(shape.traits),
        facts=HostFacts(
            host=shape.host,
            node=shape.node,
            numbers={"running_vms": float(shape.instances)},
            texts={},
            availability_zone=shape.zone,
            last_seen_up=HEARTBEAT,
        ),
    )


def holdings(shape: HostShape) -> list[Claim]:
    """Give claims that fill the host as far as its shape says."""
    amounts = {
        "VCPU": shape.vcpus_used,
        "MEMORY_MB": shape.memory_mb_used,
        "DISK_GB": shape.local_gb_used,
    }
    return [
        Claim(
            consumer_uuid=str(uuid.uuid5(uuid.UUID(shape.uuid), str(holder))),
            allocations={
                shape.uuid: {
                    resource_class: amount // _HOLDERS + (holder < amount % _HOLDERS)
                    for resource_class, amount in amounts.items()
                }
            },
            project_id=PROJECT,
            user_id=PROJECT,
        )
        for holder in range(_HOLDERS)
    ]


def request(shape: RequestShape, *, instances: int = 1, first: int = 0) -> Request:
    """Give the request for that many instances.

    :param first: the number of the first instance; each number is another consumer.
    """
    return Request(
        groups={
            UNSUFFIXED: ResourceGroup(
                resources={
                    "VCPU": shape.vcpus,
                    "MEMORY_MB": shape.memory_mb,
                    "DISK_GB": shape.disk_gb,
                },
                required=frozenset(shape.traits),
            )
        },
        consumers=tuple(consumer(first + number) for number in range(instances)),
        project_id=PROJECT,
        user_id=PROJECT,
        availability_zone=shape.zone,
        alternates=ALTERNATES,
    )
