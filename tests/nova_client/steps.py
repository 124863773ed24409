"""What nova does with Placement, step by step, by its own report client.

Run by an interpreter that has nova, from the root of the source tree:

    python -m tests.nova_client.steps http://127.0.0.1:8778

Prints one JSON object: each step with what came of it. An assertion that fails ends it.
"""
# ruff: noqa: E402, T201 - nova wants its threads chosen before anything else is imported

from nova import monkey_patch

# As nova's own services do.
monkey_patch.patch(backend="threading")

import json
import sys
import uuid
from types import SimpleNamespace

from keystoneauth1 import adapter, session, token_endpoint
from nova import config as nova_config
from nova import context as nova_context
from nova import exception, objects
from nova.scheduler import utils as scheduler_utils
from nova.scheduler.client import report

PROJECT, USER = "a" * 32, "b" * 32
AGGREGATE = str(uuid.UUID(int=0xA))
HOSTS = {name: str(uuid.UUID(int=number)) for number, name in enumerate(("cn1", "cn2"), start=1)}
NUMA = {
    (host, node): str(uuid.UUID(int=0x100 * at + node))
    for at, host in enumerate(HOSTS, start=1)
    for node in (0, 1)
}
DISK = {"total": 100, "reserved": 0, "min_unit": 1, "max_unit": 100, "step_size": 1}
INSTANCE, MIGRATION = str(uuid.UUID(int=0x1000)), str(uuid.UUID(int=0x2000))


def client_of(url: str) -> report.SchedulerReportClient:
    """Return nova's client, talking to that address with a ready token."""
    # Only a service may reshape; nova's own user is one.
    roles = {"x-roles": "admin,service"}
    opened = session.Session(auth=token_endpoint.Token(url, "admin"), additional_headers=roles)
    speaks = adapter.Adapter(
        opened, service_type="placement", endpoint_override=url, raise_exc=False
    )
    return report.SchedulerReportClient(adapter=speaks)


class Steps:
    """Each method is a step, taken in the order they stand in ``run``."""

    def __init__(self, url: str) -> None:
        self.client = client_of(url)
        self.context = nova_context.get_admin_context()

    def run(self) -> dict[str, object]:
        """Take all steps; give what came of each."""
        return {
            step.__name__: step()
            for step in (
                self.tree,
                self.tree_again,
                self.stale_tree,
                self.aggregate,
                self.candidates,
                self.claim,
                self.claim_twice_at_once,
                self.move_to_migration,
                self.claim_on_other_host,
                self.grow_and_shrink,
                self.put_back,
                self.usages,
                self.reshape,
                self.delete_allocations,
                self.delete_providers,
            )
        }

    def tree(self) -> object:
        """Two hosts of two NUMA nodes: providers, inventories, traits, aggregates."""
        for host, root in HOSTS.items():
            found = self.client.get_provider_tree_and_ensure_root(self.context, root, name=host)
            found.update_inventory(host, {"DISK_GB": dict(DISK, allocation_ratio=1.0)})
            found.update_traits(host, ["COMPUTE_NODE", "CUSTOM_RACK_1"])
            found.update_aggregates(host, [AGGREGATE])
            for node in (0, 1):
                name = f"{host}_numa{node}"
                found.new_child(name, root, uuid=NUMA[host, node])
                found.update_inventory(name, _of_numa())
                found.update_traits(name, ["HW_NUMA_ROOT", "CUSTOM_FAST"][: 2 - node])
            self.client.update_from_provider_tree(self.context, found)
        return len(self.client.get_providers_in_tree(self.context, HOSTS["cn1"]))

    def tree_again(self) -> object:
        """A client that knows nothing yet reads the same tree."""
        self.client.clear_provider_cache()
        found = self.client.get_provider_tree_and_ensure_root(self.context, HOSTS["cn1"])
        numa = found.data("cn1_numa0")
        assert numa.parent_uuid == HOSTS["cn1"]
        assert numa.inventory["VCPU"]["total"] == 8
        assert numa.traits == {"HW_NUMA_ROOT", "CUSTOM_FAST"}
        assert found.data("cn1").aggregates == {AGGREGATE}
        # What is as it was is not written again.
        generation = numa.generation
        self.client.update_from_provider_tree(self.context, found)
        assert self._data("cn1", "cn1_numa0").generation == generation
        return sorted(found.get_provider_uuids("cn1"))

    def stale_tree(self) -> object:
        """A tree that another client has written since is refused, and read anew."""
        found = self.client.get_provider_tree_and_ensure_root(self.context, HOSTS["cn1"])
        other = client_of(self.client._client.endpoint_override)
        theirs = other.get_provider_tree_and_ensure_root(self.context, HOSTS["cn1"])
        theirs.add_traits("cn1", "CUSTOM_NEW")
        other.update_from_provider_tree(self.context, theirs)
        found.update_inventory("cn1", {"DISK_GB": dict(DISK, total=200, allocation_ratio=1.0)})
        try:
            self.client.update_from_provider_tree(self.context, found)
        except exception.ResourceProviderUpdateConflict as error:
            told = str(error)
        assert "CUSTOM_NEW" in self._data("cn1", "cn1").traits
        return told

    def aggregate(self) -> object:
        """A host is put into an aggregate, and taken out."""
        added = str(uuid.UUID(int=0xB))
        self.client.aggregate_add_host(self.context, added, host_name="cn2")
        assert self._aggregates("cn2") == {AGGREGATE, added}
        self.client.aggregate_remove_host(self.context, added, "cn2")
        assert self._aggregates("cn2") == {AGGREGATE}
        return True

    def candidates(self) -> object:
        """Cores and memory of one NUMA node, a disk, and what is in an aggregate."""
        requests, summaries, version = self._candidates()
        assert len(requests) == 4
        assert set(summaries) == {*HOSTS.values(), *NUMA.values()}
        narrowed, _, _ = self._candidates(traits=("CUSTOM_FAST",))
        assert len(narrowed) == 2
        nowhere, _, _ = self._candidates(cores=9)
        assert nowhere == []
        return version

    def claim(self) -> object:
        """A new instance takes the first candidate on the first host."""
        request = self._candidate_of("cn1")
        assert self._claim(INSTANCE, request)
        held = self.client.get_allocs_for_consumer(self.context, INSTANCE)
        assert held["consumer_generation"] == 1
        assert held["project_id"] == PROJECT
        assert {rp: part["resources"] for rp, part in held["allocations"].items()} == {
            rp: part["resources"] for rp, part in request["allocations"].items()
        }
        return sorted(held["allocations"])

    def claim_twice_at_once(self) -> object:
        """A claim that thinks nobody is there, where somebody is."""
        payload = {
            "allocations": self._candidate_of("cn1")["allocations"],
            "project_id": PROJECT,
            "user_id": USER,
            "consumer_generation": None,
        }
        try:
            self.client.put_allocations(self.context, INSTANCE, payload)
        except exception.AllocationUpdateFailed as error:
            return type(error).__name__
        raise AssertionError("two claims went through")

    def move_to_migration(self) -> object:
        """What the instance holds goes to the migration."""
        assert self.client.move_allocations(self.context, INSTANCE, MIGRATION)
        assert not self._held(INSTANCE)
        assert HOSTS["cn1"] in self._held(MIGRATION)
        # It says the same of a move that was made already.
        return self.client.move_allocations(self.context, INSTANCE, MIGRATION)

    def claim_on_other_host(self) -> object:
        """The instance takes a candidate on the second host."""
        assert self._claim(INSTANCE, self._candidate_of("cn2"))
        return HOSTS["cn2"] in self._held(INSTANCE)

    def grow_and_shrink(self) -> object:
        """More of one class is taken, and given back."""
        more = {NUMA["cn2", 1]: {"resources": {"VCPU": 2}}}
        before = self._held(INSTANCE)
        self.client.add_resources_to_instance_allocation(self.context, INSTANCE, more)
        assert self._held(INSTANCE) != before
        self.client.remove_resources_from_instance_allocation(self.context, INSTANCE, more)
        return self._held(INSTANCE) == before

    def put_back(self) -> object:
        """The move is undone: the migration's part goes back to the instance."""
        assert self.client.move_allocations(self.context, MIGRATION, INSTANCE)
        return sorted(self._held(INSTANCE)) == sorted(
            self.client.get_allocs_for_consumer(self.context, INSTANCE)["allocations"]
        )

    def usages(self) -> object:
        """What the project holds, as quotas count it."""
        counted = self.client.get_usages_counts_for_quota(self.context, PROJECT, USER)
        assert counted["user"] == counted["project"]
        return counted["project"]

    def reshape(self) -> object:
        """The disk goes from the root to a child, with what is held of it."""
        found = self.client.get_provider_tree_and_ensure_root(self.context, HOSTS["cn1"])
        disks = str(uuid.UUID(int=0x300))
        found.new_child("cn1_disks", HOSTS["cn1"], uuid=disks)
        found.update_inventory("cn1_disks", {"DISK_GB": dict(DISK, allocation_ratio=1.0)})
        found.update_inventory("cn1", {})
        held = self.client.get_allocations_for_provider_tree(self.context, "cn1")
        for part in held.values():
            part["allocations"][disks] = part["allocations"].pop(HOSTS["cn1"])
        self.client.update_from_provider_tree(self.context, found, allocations=held)
        assert disks in self._held(INSTANCE)
        return sorted(self._data("cn1", "cn1_disks").inventory)

    def delete_allocations(self) -> object:
        """The instance goes; a second time there is nothing to delete."""
        first = self.client.delete_allocation_for_instance(self.context, INSTANCE)
        second = self.client.delete_allocation_for_instance(self.context, INSTANCE)
        forced = self.client.delete_allocation_for_instance(self.context, MIGRATION, force=True)
        return [first, second, forced]

    def delete_providers(self) -> object:
        """Both trees go."""
        for host, root in HOSTS.items():
            node = SimpleNamespace(uuid=root, hypervisor_hostname=host, host=host)
            self.client.delete_resource_provider(self.context, node)
            try:
                self.client.get_provider_by_name(self.context, host)
            except exception.ResourceProviderNotFound:
                continue
            raise AssertionError(f"{host} is still there")
        return True

    def _candidates(self, cores: int = 2, traits: tuple[str, ...] = ()) -> object:
        wanted = scheduler_utils.ResourceRequest()
        numa = objects.RequestGroup(
            requester_id="_NUMA",
            resources={"VCPU": cores, "MEMORY_MB": 1024},
            required_traits=set(traits),
        )
        disk = objects.RequestGroup(
            requester_id="_DISK", resources={"DISK_GB": 10}, aggregates=[[AGGREGATE]]
        )
        for group in (numa, disk):
            group.use_same_provider = True
            wanted._add_request_group(group)
        wanted._add_group_policy("none")
        return self.client.get_allocation_candidates(self.context, wanted)

    def _candidate_of(self, host: str) -> dict[str, object]:
        requests, _, _ = self._candidates()
        return next(item for item in requests if HOSTS[host] in item["allocations"])

    def _claim(self, consumer: str, request: dict[str, object]) -> bool:
        return self.client.claim_resources(
            self.context, consumer, request, PROJECT, USER, report.SAME_SUBTREE_VERSION
        )

    def _held(self, consumer: str) -> dict[str, object]:
        found = self.client.get_allocs_for_consumer(self.context, consumer)
        return {uuid_: part["resources"] for uuid_, part in found["allocations"].items()}

    def _aggregates(self, host: str) -> set[str]:
        return set(self.client._get_provider_aggregates(self.context, HOSTS[host]).aggregates)

    def _data(self, host: str, name: str) -> object:
        fresh = client_of(self.client._client.endpoint_override)
        return fresh.get_provider_tree_and_ensure_root(self.context, HOSTS[host]).data(name)


def _of_numa() -> dict[str, dict[str, object]]:
    shape = {"min_unit": 1, "step_size": 1, "reserved": 0}
    return {
        "VCPU": {"total": 8, "max_unit": 8, "allocation_ratio": 1.0, **shape},
        "MEMORY_MB": {"total": 4096, "max_unit": 4096, "allocation_ratio": 1.5, **shape},
    }


if __name__ == "__main__":
    nova_config.parse_args(["steps"], default_config_files=[], configure_db=False, init_rpc=False)
    objects.register_all()
    print(json.dumps(Steps(sys.argv[1]).run()))
