"""RequestSpec: primitives, objects, and specs that older code wrote."""

import copy
from types import SimpleNamespace

import pytest

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.nova.requestspec import request_from_spec

U1 = "11111111-1111-4111-8111-111111111111"
U2 = "22222222-2222-4222-8222-222222222222"
A1 = "aaaaaaaa-1111-4111-8111-111111111111"
A2 = "bbbbbbbb-1111-4111-8111-111111111111"
TREE = "cccccccc-1111-4111-8111-111111111111"


def primitive(name, **data):
    return {
        "nova_object.name": name,
        "nova_object.namespace": "nova",
        "nova_object.version": "1.0",
        "nova_object.data": data,
        "nova_object.changes": sorted(data),
    }


def a_flavor(**changes):
    data = {"vcpus": 2, "memory_mb": 512, "root_gb": 5, "ephemeral_gb": 0, "swap": 0}
    return primitive("Flavor", **{**data, "extra_specs": {}, **changes})


def a_spec(**changes):
    data = {
        "flavor": a_flavor(),
        "num_instances": 1,
        "instance_uuid": U1,
        "project_id": "p",
        "user_id": "u",
        "availability_zone": None,
        "image": primitive("ImageMeta", id=U2, properties=primitive("ImageMetaProps")),
        "is_bfv": False,
        "force_hosts": None,
        "force_nodes": None,
        "ignore_hosts": None,
        "retry": None,
        "limits": None,
        "scheduler_hints": {"same_host": [U2]},
        "requested_destination": None,
        "requested_resources": [],
    }
    return primitive("RequestSpec", **{**data, **changes})


def read(spec, uuids=None):
    return request_from_spec(spec, uuids, lambda: U2)


def test_spec_is_read_whole():
    request = read(a_spec())
    assert dict(request.groups[""].resources) == {"VCPU": 2, "MEMORY_MB": 512, "DISK_GB": 5}
    assert request.consumers == (U1,)
    assert (request.project_id, request.user_id) == ("p", "u")
    assert request.hints == {"same_host": (U2,)}


def test_object_with_the_same_attributes_is_read_alike():
    def objects(value):
        if isinstance(value, dict) and "nova_object.data" in value:
            fields = {name: objects(item) for name, item in value["nova_object.data"].items()}
            return SimpleNamespace(**fields)
        return [objects(item) for item in value] if isinstance(value, list) else value

    spec = a_spec(
        retry=primitive("SchedulerRetries", num_attempts=1, hosts=a_node_list(("h1", "n1"))),
        requested_destination=primitive("Destination", host="h", node="n", aggregates=[A1]),
    )
    assert read(objects(spec)) == read(spec)


def a_node_list(*names):
    nodes = [primitive("ComputeNode", host=host, hypervisor_hostname=node) for host, node in names]
    return primitive("ComputeNodeList", objects=nodes)


def test_retry_hosts_come_as_compute_nodes():
    retry = primitive("SchedulerRetries", num_attempts=2, hosts=a_node_list(("h1", "n1")))
    assert read(a_spec(retry=retry)).retry_hosts == (("h1", "n1"),)


def test_destination_narrows_but_does_not_force():
    destination = primitive(
        "Destination", host="h1", node="n1", cell=None,
        aggregates=[f"{A1},{A2}", A2], forbidden_aggregates=[TREE],
    )  # fmt: skip
    request = read(a_spec(requested_destination=destination))
    assert (request.requested_hosts, request.requested_nodes) == (("h1",), ("n1",))
    assert (request.force_hosts, request.force_nodes) == ((), ())
    assert request.aggregates == (frozenset({A1, A2}), frozenset({A2}))
    assert request.forbidden_aggregates == {TREE}


def test_request_groups_are_added_under_their_requester():
    group = primitive(
        "RequestGroup", use_same_provider=True, resources={"NET_BW_EGR_KILOBIT_PER_SEC": 1000},
        required_traits=["CUSTOM_PHYSNET1"], forbidden_traits=["CUSTOM_SLOW"],
        aggregates=[[A1, A2]], forbidden_aggregates=[TREE], requester_id=U2, in_tree=TREE,
    )  # fmt: skip
    asked = read(a_spec(requested_resources=[group])).groups[U2]
    assert dict(asked.resources) == {"NET_BW_EGR_KILOBIT_PER_SEC": 1000}
    assert (asked.required, asked.forbidden) == ({"CUSTOM_PHYSNET1"}, {"CUSTOM_SLOW"})
    assert asked.member_of == (frozenset({A1, A2}),)
    assert asked.forbidden_aggregates == {TREE}
    assert asked.in_tree == TREE


def test_request_groups_without_a_requester_get_numbers():
    groups = [primitive("RequestGroup", resources={"VGPU": 1}) for _ in range(2)]
    assert set(read(a_spec(requested_resources=groups)).groups) == {"", "1", "2"}


def test_request_group_for_any_provider_joins_the_unsuffixed_one():
    group = primitive("RequestGroup", use_same_provider=False, resources={"VCPU": 1})
    assert read(a_spec(requested_resources=[group])).groups[""].resources["VCPU"] == 3


def test_two_request_groups_of_one_requester_are_refused():
    groups = [primitive("RequestGroup", resources={"VGPU": 1}, requester_id="a")] * 2
    with pytest.raises(InvalidRequest, match="'a' is taken"):
        read(a_spec(requested_resources=groups))


def test_request_level_params_are_carried_over():
    groups = [
        primitive("RequestGroup", resources={"VGPU": 1}, requester_id=name) for name in ("a", "b")
    ]
    params = primitive(
        "RequestLevelParams", root_required=["CUSTOM_A"], root_forbidden=["CUSTOM_B"],
        same_subtree=[["a", "b"]],
    )  # fmt: skip
    request = read(a_spec(requested_resources=groups, request_level_params=params))
    assert (request.root_required, request.root_forbidden) == ({"CUSTOM_A"}, {"CUSTOM_B"})
    assert request.same_subtree == (frozenset({"a", "b"}),)


def test_uuids_win_over_the_number_that_is_stored():
    """A stored spec keeps the number of its first boot, also when one instance moves later."""
    assert read(a_spec(num_instances=3), [U2]).consumers == (U2,)


@pytest.mark.parametrize("number", [0, -1, "2"])
def test_number_of_instances_is_a_whole_number_from_one(number):
    with pytest.raises(InvalidRequest, match="num_instances"):
        read(a_spec(num_instances=number))


@pytest.mark.parametrize(
    "field",
    ["project_id", "user_id", "is_bfv", "image", "instance_uuid", "num_instances", "retry",
     "scheduler_hints", "requested_resources", "requested_destination", "availability_zone"],
)  # fmt: skip
def test_spec_that_lacks_a_field_has_its_default(field):
    """U02: stored by last year's code."""
    spec = a_spec()
    del spec["nova_object.data"][field]
    assert read(spec).consumers


def test_group_without_uuid_and_image_without_id_are_taken():
    """U02."""
    spec = a_spec(
        image=primitive("ImageMeta"),
        instance_group=primitive("InstanceGroup", policies=["affinity"], members=None, hosts=["h"]),
    )
    assert read(spec).hints["group_policies"] == ("affinity",)
    assert "group_uuid" not in read(spec).hints


def test_field_that_an_object_cannot_load_counts_as_unset():
    """U02: versioned objects raise NotImplementedError for fields that were never set."""

    class Lazy:
        flavor = SimpleNamespace(vcpus=1, memory_mb=1, root_gb=0, ephemeral_gb=0, swap=0)

        def __getattr__(self, name):
            raise NotImplementedError(f"Cannot load {name!r} in the base class")

    assert dict(read(Lazy()).groups[""].resources) == {"VCPU": 1, "MEMORY_MB": 1}


def test_field_that_an_object_calls_unset_is_not_loaded():
    class Tracking:
        flavor = SimpleNamespace(vcpus=1)

        def obj_attr_is_set(self, name):
            return name == "flavor"

        @property
        def retry(self):
            raise RuntimeError("loads from a database")

    assert read(Tracking()).retry_hosts == ()


@pytest.mark.parametrize("value", [None, 7, "text", ["list"], {"nova_object.data": None}])
def test_spec_that_is_none_is_refused(value):
    with pytest.raises(InvalidRequest, match="spec_obj"):
        read(value)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"flavor": None}, "flavor"),
        ({"flavor": "m1.small"}, "flavor"),
        ({"flavor": a_flavor(extra_specs="x")}, "extra_specs"),
        ({"is_bfv": "yes"}, "is_bfv"),
        ({"force_hosts": 7}, "force_hosts"),
        ({"requested_resources": {"a": 1}}, "requested_resources"),
        ({"requested_resources": [primitive("RequestGroup", resources=["VCPU"])]}, "resources"),
        ({"requested_destination": primitive("Destination", aggregates=["x"])}, "aggregates"),
        ({"availability_zone": 7}, "availability_zone"),
    ],
)
def test_wrong_field_is_named(changes, told):
    with pytest.raises(InvalidRequest, match=told):
        read(a_spec(**changes))


def test_spec_stays_as_it_was():
    spec = a_spec(requested_resources=[primitive("RequestGroup", resources={"VGPU": 1})])
    before = copy.deepcopy(spec)
    read(spec)
    assert spec == before
