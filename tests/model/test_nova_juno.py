"""The Juno form of a request: what it says, and what is wrong with it."""

import copy

import pytest

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.nova.juno import request_from_legacy
from scheduler_lib.testing import a_legacy_request

U1 = "11111111-1111-4111-8111-111111111111"
U2 = "22222222-2222-4222-8222-222222222222"
U3 = "33333333-3333-4333-8333-333333333333"


def read(spec, properties=None, uuids=None):
    made = iter((U1, U2, U3))
    return request_from_legacy(spec, properties, uuids, lambda: next(made))


def spec_of(**changes):
    spec, properties = a_legacy_request(instances=[U1])
    spec.update(changes)
    return spec, properties


def flavored(**flavor):
    return a_legacy_request(instances=[U1], **flavor)


def resources_of(request, suffix=""):
    return dict(request.groups[suffix].resources)


def test_flavor_becomes_vcpu_memory_and_disk():
    request = read(*flavored(vcpus=2, memory_mb=2048, root_gb=20, ephemeral_gb=5, swap=1))
    assert resources_of(request) == {"VCPU": 2, "MEMORY_MB": 2048, "DISK_GB": 26}


@pytest.mark.parametrize(("swap_mb", "disk_gb"), [(0, 10), (1, 11), (1024, 11), (1025, 12)])
def test_swap_is_rounded_up_to_whole_gb(swap_mb, disk_gb):
    assert resources_of(read(*flavored(root_gb=10, swap=swap_mb)))["DISK_GB"] == disk_gb


def test_swap_that_is_an_empty_text_is_none():
    assert resources_of(read(*flavored(root_gb=10, swap="")))["DISK_GB"] == 10


def test_zero_amounts_are_left_out():
    request = read(*flavored(vcpus=1, memory_mb=512, root_gb=0))
    assert resources_of(request) == {"VCPU": 1, "MEMORY_MB": 512}


def test_volume_backed_instance_asks_no_root_disk():
    spec, properties = flavored(root_gb=20, ephemeral_gb=3)
    spec["is_bfv"] = True
    assert resources_of(read(spec, properties))["DISK_GB"] == 3


def test_root_disk_that_is_not_asked_must_still_be_an_amount():
    spec, properties = flavored(root_gb="20")
    spec["is_bfv"] = True
    with pytest.raises(InvalidRequest, match="root_gb"):
        read(spec, properties)


def test_flavor_may_stand_in_the_filter_properties_alone():
    spec, properties = flavored(vcpus=3)
    properties["instance_type"] = spec.pop("instance_type")
    assert resources_of(read(spec, properties))["VCPU"] == 3


def test_hosts_given_as_a_set_are_taken_in_order_of_their_names():
    spec, properties = flavored()
    properties["ignore_hosts"] = {f"h{number}" for number in range(10)}
    assert read(spec, properties).ignore_hosts == tuple(f"h{number}" for number in range(10))


def test_extra_spec_replaces_the_flavors_own_amount():
    request = read(*flavored(extra_specs={"resources:VCPU": "0", "resources:CUSTOM_BM": "1"}))
    asked = resources_of(request)
    assert "VCPU" not in asked
    assert asked["CUSTOM_BM"] == 1


def test_extra_spec_of_a_group_replaces_the_flavors_own_amount_too():
    request = read(*flavored(extra_specs={"resources1:VCPU": "2", "group_policy": "isolate"}))
    assert "VCPU" not in resources_of(request)
    assert resources_of(request, "1") == {"VCPU": 2}
    assert request.group_policy == "isolate"


def test_traits_of_extra_specs_and_of_the_image_are_gathered():
    spec, properties = flavored(
        extra_specs={
            "trait:CUSTOM_A": "required",
            "trait:CUSTOM_B": "forbidden",
            "trait_gpu:CUSTOM_C": "required",
            "resources_gpu:VGPU": "1",
            "hw:cpu_policy": "shared",
        }
    )
    spec["image"] = {"properties": {"traits_required": ["CUSTOM_D"]}}
    request = read(spec, properties)
    assert request.groups[""].required == {"CUSTOM_A", "CUSTOM_D"}
    assert request.groups[""].forbidden == {"CUSTOM_B"}
    assert request.groups["_gpu"].required == {"CUSTOM_C"}


def test_trait_that_the_flavor_requires_and_forbids_is_named():
    """T02: a contradiction is an error, not an empty search."""
    spec, properties = flavored(extra_specs={"trait:CUSTOM_SSD": "forbidden"})
    spec["image"] = {"properties": {"traits_required": ["CUSTOM_SSD"]}}
    with pytest.raises(InvalidRequest, match="CUSTOM_SSD is both required and forbidden"):
        read(spec, properties)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("resources:VCPU", "1.5", "resources:VCPU"),
        ("resources:VCPU", "-1", "resources:VCPU"),
        ("resources:VCPU", True, "resources:VCPU"),
        ("resources:vcpu", "1", "vcpu"),
        ("trait:CUSTOM_A", "preferred", "trait:CUSTOM_A"),
        ("group_policy", "both", "group_policy"),
    ],
)
def test_extra_spec_that_means_nothing_is_named(key, value, told):
    with pytest.raises(InvalidRequest, match=told):
        read(*flavored(extra_specs={key: value}))


@pytest.mark.parametrize("field", ["vcpus", "memory_mb", "root_gb", "ephemeral_gb", "swap"])
@pytest.mark.parametrize("value", [1.5, "1", True, -1, [1]])
def test_amount_that_is_no_whole_number_is_named(field, value):
    with pytest.raises(InvalidRequest, match=field):
        read(*flavored(**{field: value}))


def test_wishes_are_carried_over():
    spec, properties = spec_of()
    spec["instance_properties"]["availability_zone"] = "az1"
    properties.update(
        force_hosts=["h1"], force_nodes=["n1"], ignore_hosts=["h2"],
        retry={"num_attempts": 2, "hosts": [["h3", "n3"], ["h4", "n4"]]},
        scheduler_hints={"same_host": U3, "different_host": [U1, U2], "none": None},
        group_hosts={"h9"}, group_policies={"anti-affinity"},
    )  # fmt: skip
    request = read(spec, properties)
    assert (request.force_hosts, request.force_nodes) == (("h1",), ("n1",))
    assert request.ignore_hosts == ("h2",)
    assert request.retry_hosts == (("h3", "n3"), ("h4", "n4"))
    assert request.availability_zone == "az1"
    assert (request.project_id, request.user_id) == ("a-project", "a-user")
    assert request.hints == {
        "same_host": (U3,),
        "different_host": (U1, U2),
        "group_hosts": ("h9",),
        "group_policies": ("anti-affinity",),
        "os_type": ("linux",),
    }


@pytest.mark.parametrize("zone", [None, ""])
def test_no_zone_is_any_zone(zone):
    spec, properties = spec_of()
    spec["instance_properties"]["availability_zone"] = zone
    assert read(spec, properties).availability_zone is None


@pytest.mark.parametrize("missing", [{}, None])
def test_missing_filter_properties_say_nothing(missing):
    assert read(spec_of()[0], missing).force_hosts == ()


def test_retry_without_a_number_of_attempts_is_taken():
    """Nova's own reader raises ValueError for it."""
    spec, _ = spec_of()
    assert read(spec, {"retry": {"hosts": ["h1"]}}).retry_hosts == (("h1", "h1"),)


@pytest.mark.parametrize("number", [0, -1, "2", 1.0, True])
def test_number_of_instances_is_a_whole_number_from_one(number):
    """B05: n = 0, -1, "2"."""
    spec, properties = spec_of(num_instances=number, instance_uuids=None)
    with pytest.raises(InvalidRequest, match="num_instances"):
        read(spec, properties)


@pytest.mark.parametrize("uuids", [[U1], [U1, U2, U3], []])
def test_number_of_instances_and_their_uuids_agree(uuids):
    """B05: instance_uuids shorter or longer than n."""
    spec, properties = spec_of(num_instances=2, instance_uuids=uuids)
    with pytest.raises(InvalidRequest, match="instance_uuids"):
        read(spec, properties)


def test_instance_that_is_named_twice_is_refused():
    spec, properties = spec_of(num_instances=2, instance_uuids=[U1, U1])
    with pytest.raises(InvalidRequest, match="twice"):
        read(spec, properties)


def test_uuids_are_made_when_nobody_names_them():
    spec, properties = spec_of(num_instances=2)
    del spec["instance_uuids"]
    assert read(spec, properties).consumers == (U1, U2)


def test_one_instance_is_the_one_of_the_properties():
    spec, properties = spec_of()
    del spec["instance_uuids"]
    spec["instance_properties"]["uuid"] = U3
    assert read(spec, properties).consumers == (U3,)


def test_uuids_given_beside_the_dictionaries_win():
    assert read(*spec_of(), uuids=[U2]).consumers == (U2,)


@pytest.mark.parametrize(
    ("hints", "told"),
    [
        ("same_host", "scheduler_hints"),
        ([["a", "b"]], "scheduler_hints"),
        ({"same_host": {"a": 1}}, "same_host"),
        ({"same_host": [None]}, "same_host"),
        ({1: "a"}, "scheduler_hints"),
        ({"query": "x" * 1_000_000}, "query"),
    ],
)
def test_hint_that_means_nothing_is_named(hints, told):
    """B05: no TypeError anywhere."""
    with pytest.raises(InvalidRequest, match=told):
        read(spec_of()[0], {"scheduler_hints": hints})


@pytest.mark.parametrize("value", [None, 7, "text", ["list"]])
def test_spec_that_is_no_mapping_is_refused(value):
    with pytest.raises(InvalidRequest, match="request_spec"):
        read(value)


def test_spec_without_a_flavor_is_refused():
    with pytest.raises(InvalidRequest, match="instance_type"):
        read({"num_instances": 1}, {})


def test_flavor_of_zeros_asks_for_nothing():
    with pytest.raises(InvalidRequest, match="no resources"):
        read(*flavored(vcpus=0, memory_mb=0, root_gb=0))


def test_dictionaries_stay_as_they_were():
    spec, properties = flavored(extra_specs={"resources:VCPU": "2"}, swap=3)
    properties["scheduler_hints"] = {"a": ["b"]}
    before = copy.deepcopy((spec, properties))
    read(spec, properties)
    assert (spec, properties) == before


def test_flavor_as_a_primitive_is_read_alike():
    """The form that releases after Juno send under version 4.0."""
    spec, properties = spec_of()
    flavor = spec["instance_type"]
    primitive = {"nova_object.name": "Flavor", "nova_object.data": dict(flavor)}
    assert read({**spec, "instance_type": primitive}, properties) == read(spec, properties)
