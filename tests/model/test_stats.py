"""A host's report: what is taken, what it becomes, what is refused."""

import copy
import json
import time
from datetime import UTC, datetime

import pytest

from scheduler_lib.exceptions import InvalidStats
from scheduler_lib.model.stats import COUNTS, JSON_TEXTS, KNOWN, MAX_DEPTH, ChildReport, HostStats

NOVA = {
    "id": 7, "service_id": 3, "host": "h1", "uuid": "11111111-1111-4111-8111-111111111111",
    "vcpus": 8, "memory_mb": 16384, "local_gb": 100, "vcpus_used": 1, "memory_mb_used": 512,
    "local_gb_used": 2, "hypervisor_type": "QEMU", "hypervisor_version": 8000000,
    "hypervisor_hostname": "n1", "free_ram_mb": 15872, "free_disk_gb": 98, "current_workload": 0,
    "running_vms": 1, "cpu_info": '{"arch": "x86_64"}', "disk_available_least": -3,
    "host_ip": "192.0.2.1", "supported_instances": [["x86_64", "qemu", "hvm"]], "metrics": "[]",
    "pci_stats": [], "extra_resources": None, "stats": {"num_instances": "1"},
    "numa_topology": None, "cpu_allocation_ratio": 4.0, "ram_allocation_ratio": 0.0,
    "disk_allocation_ratio": None, "mapped": 0, "created_at": "x", "updated_at": None,
    "deleted": 0, "deleted_at": None,
}  # fmt: skip


def columns(**stats):
    return dict(HostStats.parse(stats).columns)


def test_every_column_of_novas_compute_nodes_is_taken():
    before = copy.deepcopy(NOVA)
    stats = HostStats.parse(NOVA)
    assert stats.uuid == NOVA["uuid"]
    assert stats.columns["disk_available_least"] == -3
    assert set(stats.columns) == set(NOVA) - {
        "id", "uuid", "host", "hypervisor_hostname", "created_at", "updated_at", "deleted",
        "deleted_at",
    }  # fmt: skip
    assert before == NOVA


@pytest.mark.parametrize("name", JSON_TEXTS)
def test_json_column_is_the_same_text_from_either_form(name):
    value = {"b": [1, {"c": None}], "a": "ä"}
    assert columns(**{name: value}) == columns(**{name: json.dumps(value, indent=2)})


def test_names_that_nova_uses_besides_are_columns_too():
    assert columns(pci_device_pools=[], supported_hv_specs=[]) == {
        "pci_stats": "[]",
        "supported_instances": "[]",
    }


@pytest.mark.parametrize("ratio", [0.0, 0, None])
def test_ratio_of_zero_is_not_set(ratio):
    """M07."""
    assert columns(cpu_allocation_ratio=ratio) == {"cpu_allocation_ratio": None}


@pytest.mark.parametrize(
    "moment",
    ["2027-01-15T08:00:00Z", "2027-01-15T09:00:00+01:00", "2027-01-15T08:00:00", 1_800_000_000,
     datetime(2027, 1, 15, 8, tzinfo=UTC), datetime(2027, 1, 15, 8)],
)  # fmt: skip
def test_moment_is_seconds_from_every_form(moment):
    assert columns(last_seen_up=moment) == {"last_seen_up": 1_800_000_000.0}


@pytest.mark.parametrize("moment", ["2027-01-15T08:00:00", datetime(2027, 1, 15, 8)])
def test_moment_without_a_zone_is_utc_wherever_the_machine_stands(moment, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert columns(last_seen_up=moment) == {"last_seen_up": 1_800_000_000.0}
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("value", [1.5, "1", True, -1, 2**31, [1], {}])
def test_count_is_a_whole_number(name, value):
    with pytest.raises(InvalidStats, match=name) as caught:
        HostStats.parse({name: value})
    assert caught.value.fields["field"] == name


@pytest.mark.parametrize(
    ("stats", "told"),
    [
        ({"vpcus": 1}, "Did you mean 'vcpus'"),
        ({"x" * 1_000_000: 1}, "no field"),
        ({7: 1}, "no field 7"),
        ({"last_seen_up": "yesterday"}, "last_seen_up"),
        ({"last_seen_up": float("nan")}, "last_seen_up"),
        ({"hypervisor_type": 7}, "hypervisor_type"),
        ({"hypervisor_type": "x" * 256}, "hypervisor_type"),
        ({"stats": "[" * 100_000}, "stats"),
        ({"stats": "x" * 1_000_001}, "stats"),
        ({"stats": json.dumps("x" * 1_000_000)}, "longer than"),
        ({"stats": {1, float("inf")}}, "stats"),
        ({"disabled": 1}, "disabled"),
        ({"availability_zone": ""}, "availability_zone"),
        ({"traits": ["custom"]}, "traits"),
        ({"traits": {"CUSTOM_A": 1}}, "traits"),
        ({"aggregates": [7]}, "aggregates"),
        ({"children": {"name": "a"}}, "children"),
        ({"children": [7]}, r"children\[0\]"),
        ({"children": [{"nam": "a"}]}, r"children\[0\]\.'nam'.*Did you mean 'name'"),
        ({"children": [{"name": "a", "uuid": 7}]}, r"children\[0\]\.uuid"),
    ],
)
def test_wrong_report_is_named(stats, told):
    with pytest.raises(InvalidStats, match=told) as caught:
        HostStats.parse(stats)
    assert len(caught.value.message) < 500


def test_children_are_read_whole():
    inner = {"name": "b", "traits": ["CUSTOM_B"], "inventories": {"VGPU": {"total": 2}}}
    (child,) = HostStats.parse({"children": [{"name": "a", "children": [inner]}]}).children
    assert isinstance(child, ChildReport)
    assert child.children[0].inventories["VGPU"].total == 2
    assert child.children[0].traits == {"CUSTOM_B"}


def test_children_without_an_end_are_refused():
    endless = {"name": "a", "children": []}
    endless["children"].append(endless)
    with pytest.raises(InvalidStats, match="deeper"):
        HostStats.parse({"children": [endless]})


def test_children_may_be_nested_as_deep_as_is_said():
    def nested(levels):
        child = {"name": f"c{levels}"}
        return child if levels == 1 else {**child, "children": [nested(levels - 1)]}

    assert HostStats.parse({"children": [nested(MAX_DEPTH)]}).children
    with pytest.raises(InvalidStats, match="deeper"):
        HostStats.parse({"children": [nested(MAX_DEPTH + 1)]})


def test_name_of_a_child_is_used_once_in_the_whole_report():
    twice = [{"name": "a", "children": [{"name": "b"}]}, {"name": "b"}]
    with pytest.raises(InvalidStats, match="twice"):
        HostStats.parse({"children": twice})


def test_what_is_not_named_is_not_touched():
    stats = HostStats.parse({"vcpus": 1, "traits": None})
    assert (stats.traits, stats.aggregates, stats.children, stats.inventories) == (None,) * 4
    assert dict(stats.columns) == {"vcpus": 1}


def test_known_names_are_told_apart_from_each_other():
    assert len({name.lower() for name in KNOWN}) == len(KNOWN)
