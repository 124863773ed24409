"""What upstream's fixtures put into its tables, put there through HTTP: one function a fixture."""

from __future__ import annotations

from collections.abc import Callable

from tests.conformance import hosts_with_networks
from tests.conformance.seeder import Seeder

SHARES = "MISC_SHARES_VIA_AGGREGATE"

Fill = Callable[[Seeder], None]


def base_environment(seeder: Seeder) -> None:
    """Set the names that every file may read."""
    for name in (
        *("RP_UUID", "RP_NAME", "RP_UUID1", "RP_NAME1", "RP_UUID2", "RP_NAME2"),
        *("PROJECT_ID", "ADMIN_PROJECT_ID", "SERVICE_PROJECT_ID", "PROJECT_ID_ALT"),
        *("USER_ID", "USER_ID_ALT", "INSTANCE_UUID", "MIGRATION_UUID", "CONSUMER_UUID"),
        *("PARENT_PROVIDER_UUID", "ALT_PARENT_PROVIDER_UUID"),
    ):
        seeder.environment[name] = seeder.new_uuid()
    seeder.environment["CUSTOM_RES_CLASS"] = "CUSTOM_IRON_NFV"
    seeder.environment["CUSTOM_RES_CLASS1"] = "CUSTOM_IRON_NFV1"
    seeder.environment["CUSTOM_RES_CLASS2"] = "CUSTOM_IRON_NFV2"


def nothing(_: Seeder) -> None:
    """Leave the server empty."""


def allocations(seeder: Seeder) -> None:
    """One provider, three consumers, two users; the provider's generation ends at 5."""
    env = seeder.environment
    env["ALT_USER_ID"] = seeder.new_uuid()
    provider = seeder.provider(env["RP_NAME"], uuid=env["RP_UUID"])
    seeder.inventory(provider, "DISK_GB", 2048, step_size=10, min_unit=10, max_unit=1000)
    seeder.inventory(provider, "VCPU", 10, max_unit=10)
    project, user = env["PROJECT_ID"], env["USER_ID"]
    env["CONSUMER_0"] = seeder.allocate(provider, {"DISK_GB": 1000}, project, user)
    env["CONSUMER_ID"] = seeder.allocate(provider, {"VCPU": 6}, project, user)
    env["ALT_CONSUMER_ID"] = seeder.allocate(
        provider, {"DISK_GB": 20, "VCPU": 1}, project, env["ALT_USER_ID"]
    )
    # Named, and deliberately not made.
    env["ALT_RP_UUID"] = seeder.new_uuid()
    env["ALT_RP_NAME"] = seeder.new_uuid()


def shared_storage(seeder: Seeder) -> None:
    """Two hosts of NUMA nodes with PFs, and two sharing disks, all in one aggregate."""
    aggregate = seeder.environment["AGG_UUID"] = seeder.new_uuid()
    made = {name: seeder.provider(name, aggregate) for name in ("cn1", "cn2", "ss", "ss2")}
    for host in ("1", "2"):
        for node in ("1", "2"):
            numa, pf = f"numa{host}_{node}", f"pf{host}_{node}"
            made[numa] = seeder.provider(numa, parent=made[f"cn{host}"])
            made[pf] = seeder.provider(pf, parent=made[numa])
            seeder.inventory(made[pf], "SRIOV_NET_VF", 8, allocation_ratio=1.0)
    _name_them(seeder, made)
    for name in ("cn1", "cn2"):
        seeder.inventory(made[name], "VCPU", 24, allocation_ratio=16.0)
        seeder.inventory(made[name], "MEMORY_MB", 128 * 1024, allocation_ratio=1.5)
    seeder.traits(made["cn1"], "HW_CPU_X86_SSE", "HW_CPU_X86_SSE2")
    _disk(seeder, made["cn2"])
    for name in ("ss", "ss2"):
        _disk(seeder, made[name])
        seeder.traits(made[name], SHARES)


def numa_aggregate(seeder: Seeder) -> None:
    """Two hosts that have nothing but NUMA nodes; two sharing disks, one of them for one node."""
    a, b, c = (seeder.new_uuid() for _ in range(3))
    seeder.environment.update(AGGA_UUID=a, AGGB_UUID=b, AGGC_UUID=c)
    made = {
        "cn1": seeder.provider("cn1", a),
        "cn2": seeder.provider("cn2", a, b),
        "ss1": seeder.provider("ss1", a),
        "ss2": seeder.provider("ss2", c),
    }
    for name, host, aggregates in (
        ("numa1_1", "cn1", (c,)),
        ("numa1_2", "cn1", ()),
        ("numa2_1", "cn2", ()),
        ("numa2_2", "cn2", ()),
    ):
        made[name] = seeder.provider(name, *aggregates, parent=made[host])
        seeder.inventory(made[name], "VCPU", 24, allocation_ratio=16.0)
    _name_them(seeder, made)
    for name in ("ss1", "ss2"):
        _disk(seeder, made[name])
        seeder.traits(made[name], SHARES)


def non_shared_storage(seeder: Seeder) -> None:
    """Three flat hosts, and three aggregates that nobody is in."""
    for key in ("AGGA_UUID", "AGGB_UUID", "AGGC_UUID"):
        seeder.environment[key] = seeder.new_uuid()
    for name in ("cn1", "cn2", "cn3"):
        provider = seeder.environment[f"{name.upper()}_UUID"] = seeder.provider(name)
        seeder.inventory(provider, "VCPU", 24)
        seeder.inventory(provider, "MEMORY_MB", 128 * 1024)
        seeder.inventory(provider, "DISK_GB", 2000)


def granular(seeder: Seeder) -> None:
    """Three hosts and three sharing providers over three aggregates."""
    a, b, c = (seeder.named_uuid(name) for name in ("aggA", "aggB", "aggC"))
    seeder.environment.update(AGGA=a, AGGB=b, AGGC=c)
    seeder.call("PUT", "/resource_classes/CUSTOM_NET_MBPS")
    host = {"VCPU": 8, "MEMORY_MB": 4096}
    network = {"SRIOV_NET_VF": 8, "CUSTOM_NET_MBPS": 4000}
    for name, aggregates, totals, traits in (
        (
            "cn_left",
            (a,),
            {**host, "DISK_GB": 500, "VGPU": 8, **network},
            "HW_CPU_X86_AVX HW_CPU_X86_AVX2 HW_GPU_API_DXVA HW_NIC_DCB_PFC CUSTOM_FOO",
        ),
        (
            "cn_middle",
            (a, b),
            {**host, **network},
            "HW_CPU_X86_AVX HW_CPU_X86_AVX2 HW_CPU_X86_SSE HW_NIC_ACCEL_TLS",
        ),
        (
            "cn_right",
            (b, c),
            {**host, "DISK_GB": 500, "VGPU": 8},
            "HW_CPU_X86_MMX HW_GPU_API_DXVA CUSTOM_DISK_SSD",
        ),
        ("shr_disk_1", (a,), {"DISK_GB": 1000}, f"{SHARES} CUSTOM_DISK_SSD"),
        ("shr_disk_2", (a, b), {"DISK_GB": 1000}, SHARES),
        ("shr_net", (c,), {"SRIOV_NET_VF": 16, "CUSTOM_NET_MBPS": 40000}, SHARES),
    ):
        provider = seeder.environment[name.upper()] = seeder.provider(name, *aggregates)
        for resource_class, total in totals.items():
            most = 2 if (name, resource_class) == ("cn_right", "VGPU") else total
            seeder.inventory(provider, resource_class, total, max_unit=most)
        seeder.traits(provider, *traits.split())


def _disk(seeder: Seeder, provider: str) -> None:
    seeder.inventory(provider, "DISK_GB", 2000, reserved=100, allocation_ratio=1.0)


def _name_them(seeder: Seeder, made: dict[str, str]) -> None:
    for name, provider in made.items():
        seeder.environment[f"{name.upper()}_UUID"] = provider


FIXTURES: dict[str, tuple[str, Fill]] = {
    "APIFixture": ("default", nothing),
    "LegacyRBACPolicyFixture": ("default", nothing),
    "SecureRBACPolicyFixture": ("secure-rbac", nothing),
    "OpenPolicyFixture": ("open-policy", nothing),
    "CORSFixture": ("cors", nothing),
    "AllocationFixture": ("default", allocations),
    "SharedStorageFixture": ("default", shared_storage),
    "NUMAAggregateFixture": ("default", numa_aggregate),
    "NUMANetworkFixture": ("default", hosts_with_networks.numa_network),
    "DeepNUMANetworkFixture": ("default", hosts_with_networks.deep_numa_network),
    "NonSharedStorageFixture": ("default", non_shared_storage),
    "GranularFixture": ("default", granular),
    "NeutronQoSMultiSegmentFixture": ("default", hosts_with_networks.neutron_qos),
}
"""Upstream's fixture class to the server's profile and what is put into it."""
