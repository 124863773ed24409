"""A request that cannot mean anything cannot be made."""

import pytest

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.request import Request, ResourceGroup

U1 = "11111111-1111-4111-8111-111111111111"
U2 = "22222222-2222-4222-8222-222222222222"


def request(**fields):
    return Request.build({"VCPU": 1}, **{"consumers": [U1], **fields})


def test_zeros_are_left_out():
    """M13."""
    assert dict(ResourceGroup({"VCPU": 1, "DISK_GB": 0}).resources) == {"VCPU": 1}


def test_uuids_are_written_alike():
    made = request(consumers=[U1.upper(), U2.replace("-", "")])
    assert made.consumers == (U1, U2)


def test_names_of_hosts_are_read_in_every_form():
    made = request(retry_hosts=["h1", ("h2", "n2"), ["h3", "n3"]])
    assert made.retry_hosts == (
        ResourceName("h1", "h1"), ResourceName("h2", "n2"), ResourceName("h3", "n3"),
    )  # fmt: skip


def test_mappings_that_were_passed_in_are_not_kept():
    resources = {"VCPU": 1}
    group = ResourceGroup(resources)
    resources["VCPU"] = 2
    assert group.resources["VCPU"] == 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"consumers": []}, "instances"),
        ({"consumers": U1}, "consumers"),
        ({"consumers": [7]}, "consumers"),
        ({"consumers": [U1, U1.upper()]}, "twice"),
        ({"consumers": (str(i) for i in range(100_001))}, "100000"),
        ({"group_policy": "both"}, "group_policy"),
        ({"project_id": ""}, "project_id"),
        ({"user_id": 7}, "user_id"),
        ({"consumer_type": "instance"}, "consumer_type"),
        ({"availability_zone": " "}, "availability_zone"),
        ({"aggregates": [["x"]]}, "aggregates"),
        ({"forbidden_aggregates": ["x"]}, "forbidden_aggregates"),
        ({"force_hosts": "h1"}, "force_hosts"),
        ({"force_nodes": [""]}, "force_nodes"),
        ({"ignore_hosts": [7]}, "ignore_hosts"),
        ({"requested_hosts": "h1"}, "requested_hosts"),
        ({"retry_hosts": [7]}, "name"),
        ({"root_required": ["custom"]}, "root_required"),
        ({"root_forbidden": "CUSTOM_A"}, "root_forbidden"),
        ({"same_subtree": [frozenset({"1"})]}, "same_subtree"),
        ({"same_subtree": [frozenset({""})]}, "same_subtree"),
        ({"limit": 0}, "limit"),
        ({"alternates": -1}, "alternates"),
        ({"required": ["CUSTOM_A"], "forbidden": ["CUSTOM_A"]}, "CUSTOM_A"),
    ],
)
def test_wrong_field_is_named(fields, told):
    with pytest.raises(InvalidRequest, match=told):
        request(**fields)


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        ([], "groups"),
        ({}, "no resources"),
        ({"": ResourceGroup()}, "no resources"),
        ({"": {"VCPU": 1}}, "ResourceGroup"),
        ({"a b": ResourceGroup({"VCPU": 1})}, "suffix"),
        ({"x" * 65: ResourceGroup({"VCPU": 1})}, "suffix"),
        ({7: ResourceGroup({"VCPU": 1})}, "suffix"),
    ],
)
def test_wrong_groups_are_named(groups, told):
    with pytest.raises(InvalidRequest, match=told):
        Request(groups=groups, consumers=(U1,))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"resources": [("VCPU", 1)]}, "resources"),
        ({"resources": {"vcpu": 1}}, "vcpu"),
        ({"resources": {"VCPU": 1.5}}, "VCPU"),
        ({"required": "CUSTOM_A"}, "required"),
        ({"any_of": [["CUSTOM_A"]], "forbidden": ["CUSTOM_A"]}, "CUSTOM_A"),
        ({"member_of": [["x"]]}, "member_of"),
        ({"in_tree": "x"}, "in_tree"),
    ],
)
def test_wrong_group_is_named(fields, told):
    with pytest.raises(InvalidRequest, match=told):
        ResourceGroup(**{"resources": {"VCPU": 1}, **fields})
