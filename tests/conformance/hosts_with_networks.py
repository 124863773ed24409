"""The larger data sets: hosts with NUMA nodes, accelerators, network agents and their devices."""

from __future__ import annotations

from tests.conformance.seeder import Seeder

DIRECT = (
    "CUSTOM_VNIC_TYPE_DIRECT",
    "CUSTOM_VNIC_TYPE_DIRECT_PHYSICAL",
    "CUSTOM_VNIC_TYPE_MACVTAP",
)
NORMAL = "CUSTOM_VNIC_TYPE_NORMAL"
EGRESS = "NET_BW_EGR_KILOBIT_PER_SEC"
INGRESS = "NET_BW_IGR_KILOBIT_PER_SEC"
OWNER = ("numafx-project", "numafx-user")
S1, S2, OTHER = (f"CUSTOM_PHYSNET_{name}" for name in ("MSN_S1", "MSN_S2", "OTHER"))


def numa_network(seeder: Seeder) -> None:
    """A host of NUMA nodes, one of NICs, and a disk that both share."""
    _numa_network(seeder, seeder.provider("cn1"), seeder.provider("cn2"))


def deep_numa_network(seeder: Seeder) -> None:
    """The same two hosts, each below a parent, both below one grandparent."""
    top = seeder.provider("gp1")
    first = seeder.provider("cn1", parent=seeder.provider("p1", parent=top))
    second = seeder.provider("cn2", parent=seeder.provider("p2", parent=top))
    _numa_network(seeder, first, second)


def neutron_qos(seeder: Seeder) -> None:
    """Four hosts, each with two network agents whose bridges and PFs have bandwidth."""
    env = seeder.environment
    for number, networks in enumerate(((OTHER,), (S1,), (S2,), (S1, S2))):
        host = f"compute{number}"
        root = env[host] = seeder.provider(host)
        seeder.inventory(root, "VCPU", 8)
        seeder.inventory(root, "MEMORY_MB", 4096)
        seeder.inventory(root, "DISK_GB", 500)
        _open_vswitch(seeder, host, networks)
        _sriov(seeder, host, networks)
    # Upstream names the wrong agent here; no file reads it.
    env["compute3:sriov_agent"] = env["compute2:sriov_agent"]


def _numa_network(seeder: Seeder, first: str, second: str) -> None:
    env = seeder.environment
    env["CN1_UUID"], env["CN2_UUID"] = first, second
    aggregate = env["AGGA_UUID"] = seeder.new_uuid()
    disk = env["SS1_UUID"] = seeder.provider("ss1", aggregate)
    seeder.traits(disk, "MISC_SHARES_VIA_AGGREGATE")
    seeder.inventory(disk, "DISK_GB", 2000)
    seeder.aggregates(first, aggregate)
    seeder.traits(first, "COMPUTE_VOLUME_MULTI_ATTACH")
    _numa_nodes(seeder, first)
    _agents(seeder, first)
    seeder.aggregates(second, aggregate)
    seeder.inventory(second, "VCPU", 8)
    seeder.allocate(second, {"VCPU": 3}, *OWNER)
    seeder.inventory(second, "MEMORY_MB", 2048, min_unit=1024, step_size=128)
    seeder.inventory(second, "DISK_GB", 1000)
    seeder.traits(second, "CUSTOM_FOO")
    _nics(seeder, second)


def _numa_nodes(seeder: Seeder, host: str) -> None:
    env = seeder.environment
    nodes = []
    for number, traits in enumerate((("HW_NUMA_ROOT",), ("HW_NUMA_ROOT", "CUSTOM_FOO"))):
        node = env[f"NUMA{number}_UUID"] = seeder.provider(f"numa{number}", parent=host)
        seeder.traits(node, *traits)
        seeder.inventory(node, "VCPU", 4)
        nodes.append(node)
    seeder.inventory(nodes[0], "MEMORY_MB", 2048, min_unit=512, step_size=256)
    seeder.inventory(nodes[1], "MEMORY_MB", 2048, min_unit=256, max_unit=1024)
    seeder.allocate(nodes[0], {"VCPU": 2}, *OWNER)
    for name, resource_class, total, node in (
        ("fpga0", "FPGA", 1, nodes[0]),
        ("pgpu0", "VGPU", 8, nodes[0]),
        ("fpga1_0", "FPGA", 1, nodes[1]),
        ("fpga1_1", "FPGA", 1, nodes[1]),
    ):
        device = env[f"{name.upper()}_UUID"] = seeder.provider(name, parent=node)
        seeder.inventory(device, resource_class, total)


def _agents(seeder: Seeder, host: str) -> None:
    env = seeder.environment
    agent = env["SRIOV_AGENT_UUID"] = seeder.provider("sriov_agent", parent=host)
    seeder.traits(agent, DIRECT[0])
    for number in (1, 2):
        device = env[f"ESN{number}_UUID"] = seeder.provider(f"esn{number}", parent=agent)
        seeder.traits(device, f"CUSTOM_PHYSNET{number}")
        seeder.inventory(device, EGRESS, 10000 * number)
    agent = env["OVS_AGENT_UUID"] = seeder.provider("ovs_agent", parent=host)
    seeder.traits(agent, NORMAL)
    bridge = env["BR_INT_UUID"] = seeder.provider("br_int", parent=agent)
    seeder.traits(bridge, "CUSTOM_PHYSNET0")
    seeder.inventory(bridge, EGRESS, 1000)


def _nics(seeder: Seeder, host: str) -> None:
    env = seeder.environment
    ports = {1: ((1, 4), (2, 4)), 2: ((1, 2), (2, 2), (1, 2), (2, 2)), 3: ((1, 8),)}
    for nic in ports:
        env[f"NIC{nic}_UUID"] = card = seeder.provider(f"nic{nic}", parent=host)
        seeder.traits(card, "CUSTOM_HW_NIC_ROOT")
    for nic, functions in ports.items():
        for port, (network, vfs) in enumerate(functions, start=1):
            name = f"pf{nic}_{port}"
            pf = seeder.provider(name, parent=env[f"NIC{nic}_UUID"])
            env[f"{name.upper()}_UUID"] = pf
            seeder.traits(pf, f"CUSTOM_PHYSNET{network}")
            seeder.inventory(pf, "CUSTOM_VF", vfs)


def _open_vswitch(seeder: Seeder, host: str, networks: tuple[str, ...]) -> None:
    env = seeder.environment
    title = f"{host}:Open vSwitch agent"
    agent = env[f"{host}:ovs_agent"] = seeder.provider(title, parent=env[host])
    seeder.inventory(agent, "NET_PACKET_RATE_KILOPACKET_PER_SEC", 1000)
    seeder.traits(agent, NORMAL)
    kilobits = 1000 if len(networks) > 1 else 5000
    for bridge, network in zip(("br-ex", "br-ex2"), networks, strict=False):
        env[f"{host}:{bridge.replace('-', '_')}"] = _bandwidth(
            seeder, f"{title}:{bridge}", agent, kilobits, NORMAL, network
        )


def _sriov(seeder: Seeder, host: str, networks: tuple[str, ...]) -> None:
    env = seeder.environment
    title = f"{host}:NIC Switch agent"
    agent = env[f"{host}:sriov_agent"] = seeder.provider(title, parent=env[host])
    seeder.traits(agent, *DIRECT)
    kilobits = 1000 if len(networks) > 1 else 10000
    devices = zip(("enp129s0f0", "enp129s0f1"), networks, strict=False)
    for number, (device, network) in enumerate(devices):
        env[f"{host}:pf{number}"] = _bandwidth(
            seeder, f"{title}:{device}", agent, kilobits, *DIRECT, network
        )


def _bandwidth(seeder: Seeder, name: str, parent: str, kilobits: int, *traits: str) -> str:
    provider = seeder.provider(name, parent=parent)
    seeder.inventory(provider, EGRESS, kilobits)
    seeder.inventory(provider, INGRESS, kilobits)
    seeder.traits(provider, *traits)
    return provider
