"""A host with two GPUs and a NIC: one of each, under one NUMA node, by both doors."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from scheduler_lib import SchedulerClient, conf
from scheduler_lib.model.request import Request, ResourceGroup
from scheduler_lib.testing import PlacementApiFixture

GPU, NIC, CONNECTION = "CUSTOM_PCI_10DE_2204", "SRIOV_NET_VF", "sqlite:///devices.sqlite"


def device(name: str, resource_class: str, total: int, trait: str) -> Mapping[str, object]:
    """Return one device, as a host reports it."""
    return {"name": name, "inventories": {resource_class: {"total": total}}, "traits": [trait]}


def numa(name: str, *devices: Mapping[str, object]) -> Mapping[str, object]:
    """Return one NUMA node with its devices, as a host reports it."""
    return {"name": name, "traits": ["HW_NUMA_ROOT"], "children": devices}


NUMA0 = numa("numa0", device("gpu0", GPU, 1, "CUSTOM_FAST"))
NUMA1 = numa(
    "numa1", device("gpu1", GPU, 1, "CUSTOM_FAST"), device("nic", NIC, 8, "CUSTOM_PHYSNET_DATA")
)
STATS = {"vcpus": 64, "memory_mb": 262144, "children": [NUMA0, NUMA1]}
# The group without resources is the NUMA node that the others have to hang under.
GROUPS = {
    "": ResourceGroup({"VCPU": 8}),
    "_NUMA": ResourceGroup(required=frozenset({"HW_NUMA_ROOT"})),
    "_GPU": ResourceGroup({GPU: 1}, required=frozenset({"CUSTOM_FAST"})),
    "_NIC": ResourceGroup({NIC: 1}, required=frozenset({"CUSTOM_PHYSNET_DATA"})),
}
TOGETHER = frozenset({"_NUMA", "_GPU", "_NIC"})
QUERY = (
    f"resources=VCPU:8&required_NUMA=HW_NUMA_ROOT&resources_GPU={GPU}:1&required_GPU=CUSTOM_FAST"
    f"&resources_NIC={NIC}:1&required_NIC=CUSTOM_PHYSNET_DATA"
    "&group_policy=none&same_subtree=_NUMA,_GPU,_NIC"
)


def main() -> None:
    """Report the host, ask over HTTP who can give it, and claim it through the library."""
    (options := conf.load()).set_override("connection", CONNECTION, group="database")
    with SchedulerClient(options) as client, PlacementApiFixture(connection=CONNECTION) as api:
        client.update_resource_stats(None, "host1", STATS)
        found = api.client.simulate_get("/allocation_candidates", query_string=QUERY).json
        print("candidates over HTTP:", len(found["allocation_requests"]))
        listed = api.client.simulate_get("/resource_providers").json["resource_providers"]
        names = {provider["uuid"]: provider["name"] for provider in listed}
        request = Request(GROUPS, (str(uuid.uuid4()),), same_subtree=(TOGETHER,))
        for suffix, used in client.select(None, request).selections[0].destination.mappings.items():
            print(suffix or "(host)", *(names[each] for each in used))


if __name__ == "__main__":
    main()
