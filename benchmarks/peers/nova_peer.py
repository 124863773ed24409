"""Measure nova's own scheduler code over the hosts of ``fleet_shape``.

Run by an interpreter that has nova 34.0.0, from the root of the source tree:

    python -m benchmarks.peers.nova_peer --hosts 1000 --instances 1 --repeat 5

Prints one JSON object. Everything that decides is nova's: ``HostState.update``, the enabled
filters, the weighers, ``SchedulerManager``. What waits for other machines is replaced by objects in
memory that answer at once: placement, the databases, the notifier.
"""
# ruff: noqa: E402 - nova wants its threads chosen before anything else is imported

from nova import monkey_patch

# As nova-scheduler itself does.
monkey_patch.patch(backend="threading")

import argparse
import contextlib
import datetime
import json
import logging
import platform
import statistics
import sys
import time
import uuid
from collections import defaultdict
from importlib import metadata

import nova.conf
from nova import config as nova_config
from nova import context as nova_context
from nova import objects, rpc
from nova.objects import service as service_objects
from nova.scheduler import host_manager
from nova.scheduler import manager as scheduler_manager

from benchmarks import fleet_shape

CONF = nova.conf.CONF
CELL = str(uuid.UUID(int=1))
PROJECT = "0123456789abcdef0123456789abcdef"
HEARTBEAT = datetime.datetime.fromtimestamp(fleet_shape.HEARTBEAT, datetime.UTC)
THREE_WEIGHERS = [
    "nova.scheduler.weights.ram.RAMWeigher",
    "nova.scheduler.weights.cpu.CPUWeigher",
    "nova.scheduler.weights.disk.DiskWeigher",
]
LEVELS = {
    "filter_weigh": "get_filtered_hosts and get_weighed_hosts over ready HostStates",
    "schedule": "_schedule over ready HostStates: filters, weighers, claims, consumption, "
    "alternates",
    "select": "select_destinations: request filters, the placement query's building, HostStates "
    "built from ready ComputeNode and Service objects, then as schedule",
}
INCLUDED = [
    "the enabled filters and weighers, as listed",
    "HostState.update for every candidate (select only)",
    "request filters and building of the placement query (select only)",
    "the claim loop, consumption between instances, alternates, Selection objects",
]
EXCLUDED = [
    "placement: a stand-in gives the candidates (zone, traits and room already checked) and "
    "accepts each claim at once",
    "SQL: ComputeNode and Service objects are ready, there are no aggregates, and the instances "
    "of each host are known to be none",
    "hydration of ComputeNode and Service objects from rows",
    "RPC, notifications, HTTP, keystone",
    "image properties, extra specs, server groups, PCI and NUMA: the request has none",
    "nova's limit of 1000 placement candidates: every candidate is looked at",
]


class MemoryHostManager(host_manager.HostManager):
    """A host manager whose databases are two dictionaries."""

    def __init__(self):
        self.computes = {}
        self.services = {}
        super().__init__()

    def refresh_cells_caches(self):
        cell = objects.CellMapping(uuid=CELL, name="cell", disabled=False)
        self.cells = {CELL: cell}
        self.enabled_cells = [cell]
        self.host_to_cell_uuid = {}

    def _init_aggregates(self):
        return

    def _init_instance_info(self, computes_by_cell=None):
        return

    def _get_computes_for_cells(self, context, cells, compute_uuids):
        return {CELL: [self.computes[item] for item in compute_uuids]}, self.services

    def fill(self, shapes):
        """Know these hosts, and that nova-compute keeps telling of their instances."""
        self.computes = {shape.uuid: compute_node(shape) for shape in shapes}
        self.services = {shape.host: service(shape) for shape in shapes}
        self._instance_info = {shape.host: {"instances": {}, "updated": True} for shape in shapes}


class MemoryPlacement:
    """Placement with the answer ready: one candidate for each host, every claim accepted."""

    def __init__(self, shapes, request):
        self.requests = [allocation_request(shape, request) for shape in shapes]
        self.summaries = {shape.uuid: {"resources": {}, "traits": []} for shape in shapes}
        self.claims = 0

    def get_allocation_candidates(self, context, resources):
        return self.requests, self.summaries, "1.36"

    def claim_resources(self, context, consumer_uuid, alloc_req, project_id, user_id, **versions):
        self.claims += 1
        return True

    def delete_allocation_for_instance(self, context, consumer_uuid, force=False):
        self.claims -= 1

    def by_provider(self):
        """Give the candidates as ``_schedule`` wants them."""
        index = defaultdict(list)
        for request in self.requests:
            for provider in request["allocations"]:
                index[provider].append(request)
        return index


class Silence:
    """A notifier that nobody listens to."""

    def prepare(self, **publisher):
        return self

    def is_enabled(self):
        return False

    def info(self, context, event_type, payload):
        return


class MemoryScheduler(scheduler_manager.SchedulerManager):
    """nova's scheduler manager with its placement client, and host states when they are ready."""

    placement = None
    ready_states = None

    @property
    def placement_client(self):
        return self.placement

    def _get_all_host_states(self, context, spec_obj, provider_summaries):
        if self.ready_states is not None:
            return iter(self.ready_states)
        return super()._get_all_host_states(context, spec_obj, provider_summaries)


def compute_node(shape):
    """Build what nova would read of this host from its compute_nodes table."""
    used_mb = shape.memory_mb_used + fleet_shape.RESERVED_MEMORY_MB
    free_gb = shape.local_gb - shape.local_gb_used
    return objects.ComputeNode(
        id=shape.index + 1,
        uuid=shape.uuid,
        service_id=None,
        host=shape.host,
        hypervisor_hostname=shape.node,
        hypervisor_type="QEMU",
        hypervisor_version=8_002_002,
        host_ip="192.0.2.1",
        vcpus=shape.vcpus,
        memory_mb=shape.memory_mb,
        local_gb=shape.local_gb,
        vcpus_used=shape.vcpus_used,
        memory_mb_used=used_mb,
        local_gb_used=shape.local_gb_used,
        free_ram_mb=shape.memory_mb - used_mb,
        free_disk_gb=free_gb,
        disk_available_least=free_gb,
        current_workload=0,
        running_vms=shape.instances,
        cpu_info='{"arch": "x86_64", "vendor": "AMD"}',
        metrics="[]",
        stats={"num_instances": str(shape.instances), "io_workload": "0", "failed_builds": "0"},
        numa_topology=None,
        pci_device_pools=objects.PciDevicePoolList(objects=[]),
        supported_hv_specs=[objects.HVSpec(arch="x86_64", hv_type="kvm", vm_mode="hvm")],
        cpu_allocation_ratio=fleet_shape.CPU_RATIO,
        ram_allocation_ratio=fleet_shape.RAM_RATIO,
        disk_allocation_ratio=fleet_shape.DISK_RATIO,
        mapped=1,
        created_at=HEARTBEAT,
        updated_at=HEARTBEAT,
        deleted_at=None,
        deleted=False,
    )


def service(shape):
    """Build the nova-compute service of this host."""
    return objects.Service(
        id=shape.index + 1,
        uuid=str(uuid.UUID(int=shape.index + 1)),
        host=shape.host,
        binary="nova-compute",
        topic="compute",
        report_count=1,
        disabled=False,
        disabled_reason=None,
        availability_zone=shape.zone,
        last_seen_up=HEARTBEAT,
        forced_down=False,
        created_at=HEARTBEAT,
        updated_at=HEARTBEAT,
        deleted_at=None,
        deleted=False,
    )


def allocation_request(shape, request):
    """Build placement's allocation request for this host."""
    resources = {
        "VCPU": request.vcpus,
        "MEMORY_MB": request.memory_mb,
        "DISK_GB": request.disk_gb,
    }
    return {
        "allocations": {shape.uuid: {"resources": resources}},
        "mappings": {"": [shape.uuid]},
    }


def request_spec(request, instances):
    """Build nova's request: a flavour with these amounts, and nothing else."""
    flavor = objects.Flavor(
        id=1,
        name="measured",
        flavorid="1",
        vcpus=request.vcpus,
        memory_mb=request.memory_mb,
        root_gb=request.disk_gb,
        ephemeral_gb=0,
        swap=0,
        extra_specs={},
    )
    return objects.RequestSpec(
        image=objects.ImageMeta(properties=objects.ImageMetaProps()),
        flavor=flavor,
        numa_topology=None,
        pci_requests=objects.InstancePCIRequests(requests=[]),
        project_id=PROJECT,
        user_id=PROJECT,
        availability_zone=None,
        num_instances=instances,
        ignore_hosts=None,
        force_hosts=None,
        force_nodes=None,
        requested_destination=None,
        retry=None,
        limits=None,
        instance_group=None,
        scheduler_hints={},
        instance_uuid=fleet_shape.consumer(0),
        security_groups=objects.SecurityGroupList(objects=[]),
        network_metadata=objects.NetworkMetadata(physnets=set(), tunneled=False),
        is_bfv=False,
        requested_resources=[],
        request_level_params=objects.RequestLevelParams(),
        requested_networks=objects.NetworkRequestList(objects=[]),
    )


def configure(weighers):
    """Set nova's defaults; read no configuration file of this machine."""
    nova_config.parse_args(
        ["nova-scheduler"], default_config_files=[], configure_db=False, init_rpc=False
    )
    logging.getLogger().setLevel(logging.WARNING)
    CONF.set_override("service_down_time", fleet_shape.SERVICE_DOWN_TIME_S)
    CONF.set_override("host_subset_size", 1, "filter_scheduler")
    CONF.set_override("shuffle_best_same_weighed_hosts", False, "filter_scheduler")
    # The chosen host and three alternates, as on our side.
    CONF.set_override("max_attempts", 4, "scheduler")
    if weighers == "three":
        CONF.set_override("weight_classes", THREE_WEIGHERS, "filter_scheduler")
    objects.register_all()
    rpc.NOTIFIER = rpc.LEGACY_NOTIFIER = Silence()
    service_objects.get_minimum_version_all_cells = lambda context, binaries: (
        service_objects.SERVICE_VERSION
    )
    host_manager.HostManager = MemoryHostManager


class Bench:
    """One fleet and one request, measured level by level."""

    def __init__(self, shapes, request, instances):
        self.request = request
        self.instances = [fleet_shape.consumer(number) for number in range(instances)]
        self.context = nova_context.RequestContext(PROJECT, PROJECT, is_admin=True)
        self.candidates = [shape for shape in shapes if fleet_shape.serves(shape, request)]
        placement = MemoryScheduler.placement = MemoryPlacement(self.candidates, request)
        self.placement = placement
        self.scheduler = MemoryScheduler()
        self.scheduler.host_manager.fill(shapes)
        self.by_provider = placement.by_provider()

    def states(self):
        """Build the host states of the candidates."""
        manager = self.scheduler.host_manager
        states = list(
            manager.get_host_states_by_uuids(self.context, list(self.placement.summaries), None)
        )
        for state in states:
            state.allocation_candidates = self.by_provider[state.uuid]
        return states

    def filter_weigh(self):
        """Time one pass of filters and weighers."""
        manager = self.scheduler.host_manager
        states, spec = self.states(), request_spec(self.request, 1)
        with Stopwatch() as watch:
            filtered = manager.get_filtered_hosts(states, spec)
            manager.get_weighed_hosts(filtered, spec)
        return watch, None

    def schedule(self):
        """Time ``_schedule`` on host states that are ready."""
        self.scheduler.ready_states = self.states()
        spec = request_spec(self.request, len(self.instances))
        with Stopwatch() as watch:
            selections = self.scheduler._schedule(
                self.context,
                spec,
                self.instances,
                self.by_provider,
                self.placement.summaries,
                "1.36",
                True,
            )
        self.scheduler.ready_states = None
        return watch, selections

    def select(self):
        """Time the whole of ``select_destinations``."""
        spec = request_spec(self.request, len(self.instances))
        with Stopwatch() as watch:
            selections = self.scheduler.select_destinations(
                self.context,
                spec_obj=spec,
                instance_uuids=self.instances,
                return_objects=True,
                return_alternates=True,
            )
        return watch, selections

    def best(self, count=4):
        """Weigh once more and give the best hosts with their weights."""
        manager = self.scheduler.host_manager
        spec = request_spec(self.request, 1)
        weighed = manager.get_weighed_hosts(
            list(manager.get_filtered_hosts(self.states(), spec)), spec
        )
        return [
            {"host": item.obj.host, "node": item.obj.nodename, "weight": item.weight}
            for item in weighed[:count]
        ]


class Stopwatch(contextlib.AbstractContextManager):
    """Wall time and this process's own time, in microseconds."""

    def __enter__(self):
        self.wall_us = time.perf_counter_ns()
        self.cpu_us = time.process_time_ns()
        return self

    def __exit__(self, *exc_info):
        self.cpu_us = (time.process_time_ns() - self.cpu_us) / 1000
        self.wall_us = (time.perf_counter_ns() - self.wall_us) / 1000


def measured(bench, levels, repeat, warm_up):
    """Run each level; give medians, samples, and the last selections."""
    report = {"median_us": {}, "cpu_median_us": {}, "samples_us": {}}
    selections = None
    for level in levels:
        run = getattr(bench, level)
        if warm_up:
            run()
        watches = []
        for _ in range(repeat):
            watch, answer = run()
            watches.append(watch)
            selections = answer or selections
        report["median_us"][level] = statistics.median(watch.wall_us for watch in watches)
        report["cpu_median_us"][level] = statistics.median(watch.cpu_us for watch in watches)
        report["samples_us"][level] = [round(watch.wall_us, 1) for watch in watches]
    return report, selections


def chosen(selections):
    """Give the names that a caller would get: one list an instance, the chosen host first."""
    return [[item.service_host for item in choice] for choice in selections or []]


def parsed(arguments):
    parser = argparse.ArgumentParser(description="Measure nova's scheduler in memory.")
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--instances", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--request", choices=sorted(fleet_shape.REQUESTS), default="open")
    parser.add_argument("--weighers", choices=("default", "three"), default="default")
    parser.add_argument("--levels", default=",".join(LEVELS), help="comma-separated")
    parser.add_argument("--no-warm-up", action="store_true", help="time the first run too")
    return parser.parse_args(arguments)


def main(arguments):
    options = parsed(arguments)
    configure(options.weighers)
    shapes = list(fleet_shape.hosts(options.hosts))
    bench = Bench(shapes, fleet_shape.REQUESTS[options.request], options.instances)
    levels = options.levels.split(",")
    report, selections = measured(bench, levels, options.repeat, not options.no_warm_up)
    manager = bench.scheduler.host_manager
    report |= {
        "peer": "nova",
        "version": metadata.version("nova"),
        "python": platform.python_version(),
        "hosts": options.hosts,
        "candidates": len(bench.candidates),
        "instances": options.instances,
        "repeat": options.repeat,
        "request": options.request,
        "filters": [type(item).__name__ for item in manager.enabled_filters],
        "weighers": [type(item).__name__ for item in manager.weighers],
        "levels": {level: LEVELS[level] for level in levels},
        "best": bench.best(),
        "chosen": chosen(selections),
        "included": INCLUDED,
        "excluded": EXCLUDED,
    }
    json.dump(report, sys.stdout)
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
