"""One fleet and a few requests, described by arithmetic alone.

Plain Python with no dependency, so that two environments that share nothing else decide over the
same numbers. Host ``i`` is the same host on every machine and in every version of Python.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import NamedTuple

ZONES = ("zone-0", "zone-1", "zone-2")
TRAITS = (
    "HW_CPU_X86_AVX2",
    "STORAGE_DISK_SSD",
    "HW_CPU_X86_AESNI",
    "HW_NIC_SRIOV",
    "COMPUTE_DEVICE_TAGGING",
    "COMPUTE_TRUSTED_CERTS",
)
HEARTBEAT = 1_764_547_200.0
"""When every host was last seen up: 2025-12-01T00:00:00Z."""
SERVICE_DOWN_TIME_S = 1_000_000_000
"""Long enough for the heartbeat to be checked, and never to expire during a measurement."""

CPU_RATIO = 4.0
RAM_RATIO = 1.0
DISK_RATIO = 1.0
RESERVED_MEMORY_MB = 512

_NAMESPACE = uuid.UUID("5c0f7c0e-53f0-5c1d-9d3e-6f1b7c1f0a11")
# vcpus, memory_mb, local_gb of the hardware that a data centre buys over the years.
_HARDWARE = (
    (32, 131_072, 1_000),
    (64, 262_144, 2_000),
    (96, 393_216, 3_200),
    (128, 524_288, 4_000),
)
_MASK = 2**64 - 1


class HostShape(NamedTuple):
    """One host: what it has, how much of that is allocated, where it stands and what it is."""

    index: int
    uuid: str
    host: str
    node: str
    zone: str
    vcpus: int
    memory_mb: int
    local_gb: int
    vcpus_used: int
    memory_mb_used: int
    local_gb_used: int
    instances: int
    traits: tuple[str, ...]


class RequestShape(NamedTuple):
    """What one instance asks for."""

    name: str
    vcpus: int
    memory_mb: int
    disk_gb: int
    zone: str | None = None
    traits: tuple[str, ...] = ()


REQUESTS = {
    shape.name: shape
    for shape in (
        RequestShape("open", 4, 8_192, 80),
        RequestShape("selective", 4, 8_192, 80, ZONES[1], TRAITS[:2]),
        RequestShape("small", 1, 512, 10),
    )
}


def hosts(count: int) -> Iterator[HostShape]:
    """Give the first hosts of the fleet; each has room for any of the requests."""
    return map(host, range(count))


def host(index: int) -> HostShape:
    """Give one host of the fleet."""
    vcpus, memory_mb, local_gb = _HARDWARE[_mixed(index, 0) % len(_HARDWARE)]
    name = f"cn{index:06d}"
    return HostShape(
        index=index,
        uuid=str(uuid.uuid5(_NAMESPACE, name)),
        host=name,
        node=f"{name}.example",
        zone=ZONES[index % len(ZONES)],
        vcpus=vcpus,
        memory_mb=memory_mb,
        local_gb=local_gb,
        vcpus_used=_share(index, 1, int(vcpus * CPU_RATIO)),
        memory_mb_used=_share(index, 2, memory_mb - RESERVED_MEMORY_MB),
        local_gb_used=_share(index, 3, local_gb),
        instances=_mixed(index, 4) % 40,
        traits=tuple(
            trait for number, trait in enumerate(TRAITS) if _mixed(index, 5 + number) % 3 < 2
        ),
    )


def serves(shape: HostShape, request: RequestShape) -> bool:
    """Tell whether the host is in the request's zone, has its traits, and has room for it."""
    return (
        (request.zone is None or request.zone == shape.zone)
        and set(request.traits) <= set(shape.traits)
        and shape.vcpus_used + request.vcpus <= shape.vcpus * CPU_RATIO
        and shape.memory_mb_used + request.memory_mb <= shape.memory_mb - RESERVED_MEMORY_MB
        and shape.local_gb_used + request.disk_gb <= shape.local_gb
    )


def consumer(number: int) -> str:
    """Give the uuid of an instance that asks for a destination."""
    return str(uuid.uuid5(_NAMESPACE, f"instance-{number}"))


def _share(index: int, salt: int, capacity: int) -> int:
    # 5 to 75 % full, about 40 % in the mean: every host keeps room for every request.
    return capacity * (50 + _mixed(index, salt) % 701) // 1000


def _mixed(index: int, salt: int) -> int:
    # The finaliser of SplitMix64: neighbouring indexes give unrelated numbers.
    value = (index * 0x9E3779B97F4A7C15 + salt * 0xD1B54A32D192ED03 + 0x632BE59BD9B4E019) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)
