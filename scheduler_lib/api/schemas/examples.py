"""One example of each operation, for the API's document: together they tell a story.

They can be sent in this order to an empty service, as an administrator or, for the reshaper, as
another service, and all go well. Paths name things as they are; the route is found by its form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

HOST: Final = "4e8e5957-649f-477b-9e5b-f1f75b21c03c"
NUMA: Final = "7d2590ae-fb85-4080-9306-058b4c915e3f"
DISKS: Final = "42896e0d-205d-4fe3-bd1e-100924931787"
SHARED: Final = "5e08ea53-c4c6-448e-9334-ac4953de3cfa"
INSTANCE: Final = "00c21c3e-6b1a-4b1a-9a0b-ae3f4f5f3b25"
OTHER: Final = "aecbcc25-3b46-4d0c-9ad4-0b2a6a1a2cd6"
PROJECT: Final = "42a32c07-3eeb-4401-9373-68a8cdca6784"
USER: Final = "66cb2f29-c86d-47c3-8af5-69ae7b778c70"

_HOST: Final = f"/resource_providers/{HOST}"
_NUMA: Final = f"/resource_providers/{NUMA}"
_OWNERS: Final = {"project_id": PROJECT, "user_id": USER, "consumer_type": "INSTANCE"}
_VCPU: Final = {"total": 64, "reserved": 2, "max_unit": 64, "allocation_ratio": 4.0}


@dataclass(frozen=True, slots=True)
class Example:
    """One request at the newest microversion.

    :ivar query: key to value; several values of a key are not needed here.
    :ivar body: what is sent as JSON; None for nothing.
    """

    method: str
    path: str
    body: object = None
    query: tuple[tuple[str, str], ...] = ()
    role: str = "admin"


def _consumer(generation: int | None, **by_provider: object) -> dict[str, object]:
    return {"allocations": by_provider, "consumer_generation": generation, **_OWNERS}


_ON_HOST: Final = {HOST: {"resources": {"VCPU": 2, "MEMORY_MB": 2048}}}
_ON_BOTH: Final = {
    HOST: {"resources": {"MEMORY_MB": 2048}},
    NUMA: {"resources": {"VCPU": 2, "CUSTOM_FPGA": 1}},
}

STORY: Final = (
    Example("GET", "/"),
    Example("POST", "/resource_classes", {"name": "CUSTOM_FPGA"}),
    Example("PUT", "/resource_classes/CUSTOM_LICENSE"),
    Example("GET", "/resource_classes"),
    Example("GET", "/resource_classes/CUSTOM_FPGA"),
    Example("PUT", "/traits/CUSTOM_GOLD"),
    Example("GET", "/traits/CUSTOM_GOLD"),
    Example("POST", "/resource_providers", {"name": "host1", "uuid": HOST}),
    Example(
        "POST",
        "/resource_providers",
        {"name": "numa0", "uuid": NUMA, "parent_provider_uuid": HOST},
    ),
    Example("POST", "/resource_providers", {"name": "disks", "uuid": DISKS}),
    Example("GET", _NUMA),
    Example("PUT", _NUMA, {"name": "host1-numa0", "parent_provider_uuid": HOST}),
    Example(
        "PUT",
        f"{_HOST}/inventories",
        {
            "resource_provider_generation": 0,
            "inventories": {"VCPU": _VCPU, "MEMORY_MB": {"total": 262144, "reserved": 4096}},
        },
    ),
    Example("POST", f"{_NUMA}/inventories", {"resource_class": "CUSTOM_FPGA", "total": 4}),
    Example(
        "PUT",
        f"{_HOST}/inventories/MEMORY_MB",
        {"resource_provider_generation": 1, "total": 262144, "reserved": 8192},
    ),
    Example("GET", f"{_HOST}/inventories"),
    Example("GET", f"{_HOST}/inventories/MEMORY_MB"),
    Example(
        "PUT",
        f"{_HOST}/traits",
        {"resource_provider_generation": 2, "traits": ["CUSTOM_GOLD", "HW_CPU_X86_AVX2"]},
    ),
    Example("GET", f"{_HOST}/traits"),
    Example("GET", "/traits", query=(("name", "startswith:CUSTOM_"), ("associated", "true"))),
    Example(
        "PUT",
        f"{_HOST}/aggregates",
        {"resource_provider_generation": 3, "aggregates": [SHARED]},
    ),
    Example("GET", f"{_HOST}/aggregates"),
    Example(
        "GET",
        "/resource_providers",
        query=(("resources", "VCPU:2,MEMORY_MB:2048"), ("required", "CUSTOM_GOLD")),
    ),
    Example(
        "GET",
        "/allocation_candidates",
        query=(
            ("resources", "VCPU:2,MEMORY_MB:2048"),
            ("required", "CUSTOM_GOLD,!COMPUTE_STATUS_DISABLED"),
            ("resources_FPGA", "CUSTOM_FPGA:1"),
            ("limit", "10"),
        ),
    ),
    Example("PUT", f"/allocations/{INSTANCE}", _consumer(None, **_ON_HOST)),
    Example("GET", f"/allocations/{INSTANCE}"),
    Example("GET", f"{_HOST}/allocations"),
    Example("GET", f"{_HOST}/usages"),
    Example("GET", "/usages", query=(("project_id", PROJECT), ("user_id", USER))),
    Example(
        "POST",
        "/allocations",
        {INSTANCE: _consumer(1), OTHER: _consumer(None, **_ON_HOST)},
    ),
    Example(
        "POST",
        "/reshaper",
        {
            "inventories": {
                HOST: {
                    "resource_provider_generation": 6,
                    "inventories": {"MEMORY_MB": {"total": 262144, "reserved": 8192}},
                },
                NUMA: {
                    "resource_provider_generation": 1,
                    "inventories": {"VCPU": _VCPU, "CUSTOM_FPGA": {"total": 4}},
                },
            },
            "allocations": {OTHER: _consumer(1, **_ON_BOTH)},
        },
        role="service",
    ),
    Example("DELETE", f"/allocations/{OTHER}"),
    Example("DELETE", f"{_HOST}/inventories/MEMORY_MB"),
    Example("DELETE", f"{_NUMA}/inventories"),
    Example("DELETE", f"{_HOST}/traits"),
    Example("DELETE", _NUMA),
    Example("DELETE", "/traits/CUSTOM_GOLD"),
    Example("DELETE", "/resource_classes/CUSTOM_LICENSE"),
)
