"""Bad input is an error of our tree that names the field; nothing is written."""

import copy
import sqlite3

import pytest

from scheduler_lib.exceptions import (
    BackendUnavailable,
    DuplicateHost,
    GenerationConflict,
    InvalidInput,
    InvalidRequest,
    InvalidStats,
    NoValidHost,
    SchedulerLibError,
    SchemaMismatch,
)
from scheduler_lib.testing import a_host, a_legacy_request, a_request

UUID = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
NAN = float("nan")
BIG = "x" * 1_000_000


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"vcpu": 8}, "vcpu.*Did you mean 'vcpus'"),
        ({"memroy_mb": 8}, "memroy_mb.*Did you mean 'memory_mb'"),
        ({"vcpus": 1.5}, "vcpus"),
        ({"vcpus": "1"}, "vcpus"),
        ({"vcpus": True}, "vcpus"),
        ({"vcpus": -1}, "vcpus"),
        ({"vcpus": 2**40}, "vcpus"),
        ({"cpu_allocation_ratio": NAN}, "cpu_allocation_ratio"),
        ({"cpu_allocation_ratio": float("inf")}, "cpu_allocation_ratio"),
        ({"cpu_allocation_ratio": -1.0}, "cpu_allocation_ratio"),
        ({"hypervisor_type": BIG}, "hypervisor_type"),
        ({"cpu_info": f'"{BIG}"'}, "cpu_info"),
        ({"stats": "{not json"}, "stats"),
        ({"stats": {"a": NAN}}, "stats"),
        ({"stats": object()}, "stats"),
        ({"disabled": "yes"}, "disabled"),
        ({"uuid": "x"}, "uuid"),
        ({"availability_zone": "a:b"}, "availability_zone"),
        ({"inventories": {"VGPU": {"total": 0}}}, "VGPU.*|total"),
        ({"inventories": {"VGPU": {"total": 1, "allocation_ratio": NAN}}}, "allocation_ratio"),
        ({"inventories": {"vgpu": {"total": 1}}}, "vgpu"),
        ({"inventories": {"VGPUS": {"total": 1}}}, "VGPUS"),
        ({"traits": "CUSTOM_A"}, "traits"),
        ({"traits": ["HW_CPU_X86_AVX3"]}, "HW_CPU_X86_AVX3"),
        ({"aggregates": ["x"]}, "aggregates"),
        ({"children": [{"name": ""}]}, "name"),
        ({"children": [{"name": "a"}, {"name": "a"}]}, "twice"),
    ],
)
def test_wrong_report_is_refused_and_nothing_is_written(client, change, told):
    stats = {**a_host("h1").stats(), **change}
    before = copy.deepcopy(stats) if change.keys() != {"stats"} else dict(stats)
    with pytest.raises(InvalidStats, match=told) as caught:
        client.update_resource_stats(None, "h1", stats)
    assert caught.value.fields["field"]
    assert len(caught.value.message) < 500
    assert repr(stats) == repr(before)
    assert client.list_resource_stats(None) == []


@pytest.mark.parametrize("stats", [None, [], "text", 7])
def test_report_that_is_no_mapping_is_refused(client, stats):
    with pytest.raises(InvalidStats, match="stats"):
        client.update_resource_stats(None, "h1", stats)


@pytest.mark.parametrize("name", ["", " ", ("h1", ""), BIG, "a\tb", None, 7, ("a", "b", "c")])
def test_wrong_name_is_refused_everywhere(client, name):
    with pytest.raises(InvalidStats):
        client.update_resource_stats(None, name, {"vcpus": 1})
    for call in (client.get_resource_stats, client.delete_resource):
        with pytest.raises(SchedulerLibError) as caught:
            call(None, name)
        assert caught.value.code == "scheduler_lib.invalid_input"


def test_name_that_changes_its_uuid_is_refused(client):
    a_host("h1").vcpus(4).field(uuid=UUID).report(client)
    with pytest.raises(DuplicateHost) as caught:
        a_host("h1").vcpus(8).field(uuid=OTHER).report(client)
    assert (caught.value.fields["stored"], caught.value.fields["reported"]) == (UUID, OTHER)
    assert client.get_resource_stats(None, "h1")["vcpus"] == 4


def test_uuid_that_changes_its_name_is_refused(client):
    a_host("h1").field(uuid=UUID).report(client)
    with pytest.raises(DuplicateHost):
        a_host("h2").field(uuid=UUID).report(client)
    assert len(client.list_resource_stats(None)) == 1


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (lambda: a_request().build(), "no resources"),
        (lambda: a_request(VCPU=0).build(), "no resources"),
        (lambda: a_request(VCPU=1.5).build(), "VCPU"),
        (lambda: a_request(VCPU="1").build(), "VCPU"),
        (lambda: a_request(VCPU=-1).build(), "VCPU"),
        (lambda: a_request(VCPU=True).build(), "VCPU"),
        (lambda: a_request(vcpu=1).build(), "vcpu"),
        (lambda: a_request(VCPU=1).consumers("x").build(), "UUID"),
        (lambda: a_request(VCPU=1).consumers(UUID, UUID).build(), "twice"),
        (lambda: a_request(VCPU=1).requires("CUSTOM_A").forbids("CUSTOM_A").build(), "CUSTOM_A"),
        (lambda: a_request(VCPU=1).zone(BIG).build(), "availability_zone"),
    ],
)
def test_wrong_request_cannot_be_made(build, told):
    with pytest.raises(InvalidRequest, match=told):
        build()


@pytest.mark.parametrize(
    ("request_", "nearest"),
    [
        (a_request(VCPUS=1), "VCPU"),
        (a_request(VCPU=1).requires("HW_CPU_X86_AVX3"), "HW_CPU_X86_AVX"),
        (a_request(VCPU=1).forbids("HW_CPU_X86_AVX3"), "HW_CPU_X86_AVX"),
        (a_request(VCPU=1).field(root_required=["COMPUTE_STATUS_DISABLE"]), "COMPUTE_STATUS"),
    ],
)
def test_unknown_trait_or_class_is_named_with_the_nearest(client, request_, nearest):
    a_host("h1").report(client)
    for call in (client.select, client.explain):
        with pytest.raises(InvalidRequest) as caught:
            call(None, request_.build())
        assert str(caught.value.fields["nearest"]).startswith(nearest)


def test_custom_name_that_nobody_has_is_no_error_but_a_reason(client):
    a_host("h1").report(client)
    with pytest.raises(NoValidHost, match="CUSTOM_NOBODY"):
        client.select(None, a_request(VCPU=1).requires("CUSTOM_NOBODY").build())
    with pytest.raises(NoValidHost, match="CUSTOM_NOTHING"):
        client.select(None, a_request(CUSTOM_NOTHING=1).build())


def test_consumer_that_holds_something_is_not_placed_again(client, used):
    a_host("h1").report(client)
    request = a_request(VCPU=1).build()
    client.select(None, request)
    with pytest.raises(GenerationConflict):
        client.select(None, request)
    assert used(client, "h1") == 1


@pytest.mark.parametrize(
    "change",
    [
        {"num_instances": 0},
        {"num_instances": -1},
        {"num_instances": "2"},
        {"num_instances": 3},
        {"instance_uuids": []},
        {"instance_uuids": ["x", "y"]},
        {"instance_type": None},
        {"instance_properties": "x"},
        {"image": 7},
    ],
)
def test_b05_wrong_dictionaries_are_refused(client, change, used):
    a_host("h1").report(client)
    spec, properties = a_legacy_request(instances=2)
    properties.pop("instance_type")
    with pytest.raises(InvalidRequest):
        client.select_destinations(None, {**spec, **change}, properties)
    assert used(client, "h1") == 0


@pytest.mark.parametrize("hints", [None, {}, {"a": None}, {"a": "b"}, {"a": ["b", "c"]}])
def test_b05_hints_are_taken_in_every_documented_form(client, hints):
    a_host("h1").report(client)
    spec, _ = a_legacy_request()
    given = client.select_destinations(None, spec, {"scheduler_hints": hints})
    assert given[0]["host"] == "h1"


def test_database_of_a_newer_version_is_not_touched(make_client, tmp_path):
    path = tmp_path / "newer.sqlite"
    client = make_client(f"sqlite:///{path}")
    a_host("h1").report(client)
    client.close()
    with sqlite3.connect(path) as books:
        books.execute("UPDATE alembic_version SET version_num = 'from_the_future'")
    books.close()
    later = make_client(f"sqlite:///{path}")
    with pytest.raises(SchemaMismatch) as caught:
        later.list_resource_stats(None)
    assert caught.value.hint
    with pytest.raises(SchemaMismatch):
        later.select(None, a_request(VCPU=1).build())


def test_file_that_is_no_database_is_told(make_client, tmp_path):
    path = tmp_path / "text.sqlite"
    path.write_text("no database at all, " * 100)
    with pytest.raises(SchedulerLibError, match="no database of ours"):
        make_client(f"sqlite:///{path}").list_resource_stats(None)


def test_directory_that_cannot_be_made_is_told(make_client, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SchedulerLibError):
        make_client(f"sqlite:///{tmp_path}/file/x.sqlite").list_resource_stats(None)


def test_locked_database_is_told_within_the_deadline(make_client, tmp_path):
    path = tmp_path / "locked.sqlite"
    client = make_client(f"sqlite:///{path}")
    a_host("h1").report(client)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(SchedulerLibError) as caught:
            client.update_resource_stats(None, "h2", {"vcpus": 1}, deadline_s=0.5)
        assert isinstance(caught.value, BackendUnavailable) or "ran out" in caught.value.message
    finally:
        other.close()
    client.update_resource_stats(None, "h2", {"vcpus": 1})
    assert len(client.list_resource_stats(None)) == 2


@pytest.mark.parametrize("deadline_s", [0, -1, NAN, float("inf"), 1e300, 10**400, "1", True])
def test_wrong_deadline_is_refused_before_anything_is_waited_for(client, deadline_s):
    with pytest.raises(InvalidInput, match="deadline_s") as caught:
        client.list_resource_stats(None, deadline_s=deadline_s)
    assert caught.value.fields["field"] == "deadline_s"


@pytest.mark.parametrize("key", ["", " ", "a\0b", "a\ud800", "a\nb", "x" * 256, 7, b"k"])
def test_wrong_request_key_is_refused_by_name(client, key):
    a_host("h1").vcpus(4).report(client)
    with pytest.raises(InvalidRequest, match="request_key") as caught:
        client.select(None, a_request(VCPU=1).build(), request_key=key)
    assert caught.value.fields["field"] == "request_key"


def test_longest_deadline_works_everywhere(client):
    a_host("h1").vcpus(4).report(client)
    year_s = 31_536_000
    decision = client.select(None, a_request(VCPU=1).build(), deadline_s=year_s)
    assert client.release(None, [decision.selections[0].consumer_uuid], deadline_s=year_s)


@pytest.mark.parametrize("child", [{"name": "n1"}, {"name": "c", "uuid": UUID}])
def test_a_child_with_the_name_or_the_uuid_of_its_own_host_is_told(client, child):
    stats = {"vcpus": 4, "uuid": UUID, "children": [{"name": "a", "children": [child]}]}
    with pytest.raises(InvalidStats, match="twice in one tree") as caught:
        client.update_resource_stats(None, ("h1", "n1"), stats)
    assert caught.value.fields["field"] == "children"
    assert client.list_resource_stats(None) == []
