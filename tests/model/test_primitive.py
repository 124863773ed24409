"""Requests and decisions as JSON: there and back, and told apart."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.decision import (
    Decision,
    Destination,
    Reason,
    ReasonKind,
    Selection,
    StageCount,
)
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.primitive import (
    decision_from_primitive,
    decision_to_primitive,
    fingerprint,
    request_from_primitive,
    request_to_primitive,
    stats_digest,
)
from scheduler_lib.model.request import Request, ResourceGroup
from scheduler_lib.model.stats import HostStats
from scheduler_lib.testing import a_host

TRAITS = st.sampled_from(["CUSTOM_A", "CUSTOM_B", "CUSTOM_C"])
CLASSES = st.sampled_from(["VCPU", "MEMORY_MB", "CUSTOM_X"])
UUIDS = st.uuids().map(str)
NAMES = st.sampled_from(["h1", "h2", "Ä"])


@st.composite
def groups(draw):
    required = draw(st.frozensets(TRAITS, max_size=2))
    return ResourceGroup(
        resources=draw(st.dictionaries(CLASSES, st.integers(1, 99), min_size=1)),
        required=required,
        forbidden=draw(st.frozensets(TRAITS, max_size=2)) - required,
        any_of=tuple(draw(st.lists(st.just(frozenset({"CUSTOM_Z"})), max_size=1))),
        member_of=tuple(draw(st.lists(st.frozensets(UUIDS, min_size=1), max_size=2))),
        forbidden_aggregates=draw(st.frozensets(UUIDS, max_size=1)),
        in_tree=draw(st.none() | UUIDS),
    )


requests = st.builds(
    Request,
    groups=st.dictionaries(st.sampled_from(["", "1", "_gpu"]), groups(), min_size=1),
    consumers=st.lists(UUIDS, min_size=1, max_size=3, unique=True).map(tuple),
    group_policy=st.sampled_from(["none", "isolate"]),
    project_id=st.none() | NAMES,
    availability_zone=st.none() | NAMES,
    aggregates=st.lists(st.frozensets(UUIDS, min_size=1), max_size=1).map(tuple),
    force_hosts=st.lists(NAMES, max_size=2).map(tuple),
    requested_hosts=st.lists(NAMES, max_size=1).map(tuple),
    retry_hosts=st.lists(st.builds(ResourceName, NAMES, NAMES), max_size=2).map(tuple),
    root_required=st.frozensets(TRAITS, max_size=1),
    limit=st.none() | st.integers(1, 9),
    alternates=st.none() | st.integers(0, 9),
    hints=st.dictionaries(NAMES, st.lists(NAMES).map(tuple)),
)


@given(requests)
def test_request_survives_the_way_through_json(request):
    back = request_from_primitive(json.loads(json.dumps(request_to_primitive(request))))
    assert fingerprint(back) == fingerprint(request)
    assert replace(back, hints={}, aggregates=(), groups=request.groups) == replace(
        request, hints={}, aggregates=()
    )
    assert {key: tuple(value) for key, value in back.hints.items()} == request.hints


def test_fingerprint_does_not_depend_on_the_order_of_sets_and_mappings():
    u1, u2 = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
    one = Request.build({"VCPU": 1, "CUSTOM_A": 2}, consumers=[u1], aggregates=({u1, u2}, {u2}))
    two = Request.build({"CUSTOM_A": 2, "VCPU": 1}, consumers=[u1], aggregates=({u2}, {u2, u1}))
    assert fingerprint(one) == fingerprint(two)


@pytest.mark.parametrize(
    "change",
    [{"project_id": "p"}, {"alternates": 0}, {"force_hosts": ("h1",)}, {"hints": {"a": ("b",)}},
     {"requested_nodes": ("n",)}, {"consumers": ("22222222-2222-4222-8222-222222222222",)}],
)  # fmt: skip
def test_fingerprint_tells_requests_apart(change):
    request = Request.build({"VCPU": 1}, consumers=["11111111-1111-4111-8111-111111111111"])
    assert fingerprint(replace(request, **change)) != fingerprint(request)


@pytest.mark.parametrize(
    ("primitive", "told"),
    [
        (None, "request"),
        ({"gruops": {}}, "gruops"),
        ({"groups": []}, "groups"),
        ({"groups": {"": {"resorces": {}}}}, "resorces"),
        ({"groups": {"": 7}}, "groups."),
        ({"groups": {"": {"resources": {"VCPU": 1}, "any_of": ["T"]}}}, "any_of"),
        ({"groups": {"": {"resources": {"VCPU": 1.5}}}}, "VCPU"),
        ({"groups": {"": {"resources": {"VCPU": 1}}}}, "instances"),
    ],
)
def test_wrong_primitive_is_named(primitive, told):
    with pytest.raises(InvalidRequest, match=told):
        request_from_primitive(primitive)


def test_decision_survives_the_way_through_json():
    place = Destination(
        "h", "n", "uuid", {"uuid": {"VCPU": 1}}, {"": ("uuid",)}, {"vcpu": 4}, "az", 0.25, True
    )
    reason = Reason("h2", "n2", "VCPU", ReasonKind.NOT_NOW, "VCPU free 1 < 2", 2, 1, 4)
    decision = Decision(
        (Selection("c", place, (place,)),), (StageCount("VCPU", 2, 1),), 1, False, "",
        lambda: (reason,),
    )  # fmt: skip
    back = decision_from_primitive(json.loads(json.dumps(decision_to_primitive(decision))))
    assert back == decision
    assert back.reasons() == (reason,)


def digest(host):
    return stats_digest(HostStats.parse(host.stats()))


def test_reports_that_say_the_same_have_one_digest():
    one = a_host("h1").field(stats={"a": 1, "b": 2}).trait("CUSTOM_A", "CUSTOM_B")
    two = a_host("h1").field(stats='{"b": 2, "a": 1}').trait("CUSTOM_B", "CUSTOM_A")
    assert digest(one) == digest(two.field(updated_at="2026-01-01T00:00:00Z"))


@pytest.mark.parametrize(
    "change",
    [{"vcpus": 9}, {"vcpus": None}, {"traits": []}, {"children": []}, {"inventories": {}},
     {"aggregates": []}, {"last_seen_up": 1.0}, {"uuid": "11111111-1111-4111-8111-111111111111"},
     {"inventories": {"VGPU": {"total": 1}}}, {"children": [{"name": "c"}]}],
)  # fmt: skip
def test_reports_that_differ_have_different_digests(change):
    assert digest(a_host("h1")) != digest(a_host("h1").field(**change))


@pytest.mark.parametrize(
    "change",
    [{"uuid": "11111111-1111-4111-8111-111111111111"}, {"traits": ["CUSTOM_A"]},
     {"aggregates": ["11111111-1111-4111-8111-111111111111"]},
     {"inventories": {"VGPU": {"total": 1}}}, {"children": [{"name": "d"}]}, {"name": "e"}],
)  # fmt: skip
def test_children_that_differ_have_different_digests(change):
    child = {"name": "c"}
    same, other = ([child], [{**child, **change}])
    assert digest(a_host("h1").field(children=same)) != digest(a_host("h1").field(children=other))


def test_children_that_differ_deep_down_have_different_digests():
    def host(total):
        inner = {"name": "b", "inventories": {"VGPU": {"total": total}}}
        return a_host("h1").child("a", {}, children=(inner,))

    assert digest(host(1)) != digest(host(2))
