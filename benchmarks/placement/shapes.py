"""Providers and requests by arithmetic: flat hosts, hosts with NUMA nodes and NICs, wide trees.

Provider ``i`` is the same provider on every machine and on both sides.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_NAMESPACE = uuid.UUID("0a3d6a52-7c0f-5d0e-8f44-6a1f4b6a7c21")
# Four pairs; a host has one trait of each, so that two traits leave a quarter of the hosts.
TRAIT_PAIRS = (
    ("HW_CPU_X86_AVX2", "HW_CPU_X86_AVX512F"),
    ("STORAGE_DISK_SSD", "STORAGE_DISK_HDD"),
    ("HW_CPU_X86_VMX", "HW_CPU_X86_SVM"),
    ("COMPUTE_VOLUME_ATTACH", "COMPUTE_TRUSTED_CERTS"),
)
AGGREGATES = 20
AMPLE = 2_000_000_000
GPU = "CUSTOM_GPU"
GPUS = 8
PHYSNETS = ("CUSTOM_PHYSNET_A", "CUSTOM_PHYSNET_B")


class Amount(NamedTuple):
    """What an inventory says; the rest is as Placement has it by default."""

    total: int
    allocation_ratio: float = 1.0


class Shape(NamedTuple):
    """One provider; ``parent`` and ``root`` are names, its own for a root."""

    name: str
    root: str
    parent: str | None
    inventories: Mapping[str, Amount]
    traits: tuple[str, ...] = ()
    aggregates: tuple[str, ...] = ()

    @property
    def uuid(self) -> str:
        """Give the provider's uuid."""
        return identifier(self.name)


def identifier(name: str) -> str:
    """Give the uuid that belongs to a name."""
    return str(uuid.uuid5(_NAMESPACE, name))


def aggregate(number: int) -> str:
    """Give the uuid of one of the aggregates."""
    return identifier(f"aggregate-{number}")


FLAT_HOST = {"VCPU": Amount(64, 4.0), "MEMORY_MB": Amount(262_144), "DISK_GB": Amount(2_000)}


def flat(count: int) -> Iterator[Shape]:
    """Give hosts without children: four traits each, in one of the aggregates each."""
    for number in range(count):
        traits = tuple(pair[number >> bit & 1] for bit, pair in enumerate(TRAIT_PAIRS))
        # Sixteen neighbours share an aggregate, so that it tells nothing of the traits.
        group = aggregate(number // 16 % AGGREGATES)
        yield _root(f"flat-{number:06d}", FLAT_HOST, traits, (group,))


def ample(count: int) -> Iterator[Shape]:
    """Give hosts that no measurement fills."""
    amounts = {name: Amount(AMPLE) for name in FLAT_HOST}
    for number in range(count):
        yield _root(f"ample-{number:06d}", amounts)


def nested(count: int) -> Iterator[Shape]:
    """Give hosts with two NUMA nodes, and a physical function below each of these."""
    for number in range(count):
        host = f"nested-{number:06d}"
        yield _root(host, {"DISK_GB": Amount(2_000)})
        for node, physnet in enumerate(PHYSNETS):
            numa = f"{host}-numa{node}"
            processors = {"VCPU": Amount(32, 4.0), "MEMORY_MB": Amount(131_072)}
            yield Shape(numa, host, host, processors, ("HW_NUMA_ROOT",))
            functions = {"SRIOV_NET_VF": Amount(8)}
            yield Shape(f"{host}-pf{node}", host, numa, functions, ("HW_NIC_SRIOV", physnet))


def wide() -> Iterator[Shape]:
    """Give one host with eight equal devices."""
    yield _root("wide", {"VCPU": Amount(64)})
    for number in range(GPUS):
        yield Shape(f"wide-gpu{number}", "wide", "wide", {GPU: Amount(1)})


def _root(
    name: str,
    inventories: Mapping[str, Amount],
    traits: tuple[str, ...] = (),
    aggregates: tuple[str, ...] = (),
) -> Shape:
    return Shape(name, name, None, inventories, traits, aggregates)


SMALL = "resources=VCPU:1,MEMORY_MB:512,DISK_GB:10"
TWO_TRAITS = f"required={TRAIT_PAIRS[0][0]},{TRAIT_PAIRS[1][0]}"
MEMBER_OF = f"member_of={aggregate(0)}"

_PROCESSORS = "resources_C=VCPU:2,MEMORY_MB:2048&required_C=HW_NUMA_ROOT"
_NIC = "resources_N=SRIOV_NET_VF:1"
_TWO_NICS = "resources_N1=SRIOV_NET_VF:1&resources_N2=SRIOV_NET_VF:1"
_GROUPED = f"resources=DISK_GB:10&{_PROCESSORS}"
# The six requests, each with how many candidates a host gives.
NESTED_REQUESTS = {
    "ungrouped, 4 classes": (8, "resources=VCPU:2,MEMORY_MB:2048,SRIOV_NET_VF:1,DISK_GB:10"),
    "C, N": (4, f"{_GROUPED}&{_NIC}&group_policy=none"),
    "C, N with a physnet": (2, f"{_GROUPED}&{_NIC}&required_N={PHYSNETS[0]}&group_policy=none"),
    "C, N, same_subtree": (2, f"{_GROUPED}&{_NIC}&group_policy=none&same_subtree=_C,_N"),
    "C, N1, N2, isolate": (4, f"{_GROUPED}&{_TWO_NICS}&group_policy=isolate"),
    "C, N1, N2, none": (8, f"{_GROUPED}&{_TWO_NICS}&group_policy=none"),
}


def candidates_path(query: str, limit: int | None) -> str:
    """Give the path and query of a request for candidates."""
    tail = "" if limit is None else f"&limit={limit}"
    return f"/allocation_candidates?{query}{tail}"


def devices_query(groups: int) -> str:
    """Ask the wide host for that many devices, each in a group of its own."""
    parts = [f"resources_{number}={GPU}:1" for number in range(groups)]
    return "&".join(["resources=VCPU:1", *parts, "group_policy=none"])


def claim(providers: list[str], generation: int | None = None) -> dict[str, object]:
    """Give what a client writes to claim the small request on each of some providers."""
    amounts = {"VCPU": 1, "MEMORY_MB": 512, "DISK_GB": 10}
    return {
        "allocations": {provider: {"resources": amounts} for provider in providers},
        "project_id": "project",
        "user_id": "user",
        "consumer_generation": generation,
        "consumer_type": "INSTANCE",
    }
