"""Values that have no text, no size, or another kind: told by field name, in our tree."""

import pickle
from datetime import UTC, datetime
from ipaddress import ip_address

import pytest

from scheduler_lib.exceptions import InvalidRequest, InvalidStats, NoValidHost
from scheduler_lib.model.decision import Decision
from scheduler_lib.model.nova.requestspec import request_from_spec
from scheduler_lib.model.request import Request, ResourceGroup
from scheduler_lib.model.stats import ChildReport, HostStats

U1 = "11111111-1111-4111-8111-111111111111"


class NoText:
    """Has neither a repr nor a str."""

    def __repr__(self):
        raise RuntimeError("no text")


def nested(depth):
    value = inner = {}
    for _ in range(depth):
        inner["a"] = inner = {}
    return value


ODD = {"digits": 10**5000, "wide": 10**400, "no text": NoText(), "deep": nested(5000)}
odd = pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())


@odd
@pytest.mark.parametrize(
    "field",
    [
        "vcpus", "free_ram_mb", "cpu_allocation_ratio", "hypervisor_type", "host_ip", "disabled",
        "last_seen_up", "availability_zone", "uuid", "inventories", "traits", "aggregates",
        "children",
    ],
)  # fmt: skip
def test_a_report_names_the_field(field, value):
    with pytest.raises(InvalidStats, match=field) as caught:
        HostStats.parse({field: value})
    assert caught.value.fields["field"].startswith(field)
    assert len(caught.value.message) < 300


@odd
def test_a_key_without_a_text_is_an_unknown_field(value):
    if isinstance(value, dict):
        pytest.skip("no mapping has such a key")
    with pytest.raises(InvalidStats, match="no field"):
        HostStats.parse({value: 1})
    with pytest.raises(InvalidStats, match="no field"):
        HostStats.parse({"inventories": {"VCPU": {"total": 1, value: 1}}})


_OF_A_REQUEST = (
    "consumers", "group_policy", "project_id", "consumer_type", "availability_zone", "aggregates",
    "forbidden_aggregates", "force_hosts", "retry_hosts", "root_required", "same_subtree", "limit",
    "alternates", "hints",
)  # fmt: skip
_OF_A_GROUP = ("resources", "required", "any_of", "forbidden", "member_of", "in_tree")
_LISTS = (
    "aggregates", "forbidden_aggregates", "force_hosts", "retry_hosts", "root_required",
    "same_subtree", "any_of", "member_of", "required",
)  # fmt: skip


def made(field, value):
    group = {"resources": {"VCPU": 1}}
    whole = {"consumers": (U1,)}
    (group if field in _OF_A_GROUP else whole)[field] = value
    return Request(groups={"": ResourceGroup(**group)}, **whole)


@odd
@pytest.mark.parametrize("field", [*_OF_A_REQUEST, *_OF_A_GROUP])
def test_a_request_names_the_field(field, value):
    if field == "hints" and isinstance(value, dict):
        pytest.skip("hints are whatever filters know")
    with pytest.raises(InvalidRequest) as caught:
        made(field, value)
    assert caught.value.fields["field"].startswith(field)


@pytest.mark.parametrize("value", [None, 7, True, "text", {"a": 1}, [7], [None]])
@pytest.mark.parametrize("field", _LISTS)
def test_what_is_no_list_is_named(field, value):
    with pytest.raises(InvalidRequest) as caught:
        made(field, value)
    assert caught.value.fields["field"] in (field, "name")


def test_no_hints_are_none_and_hints_are_kept_as_they_were_given():
    """B05."""
    assert made("hints", None).hints == {}
    given = {"group": ("g",)}
    request = made("hints", given)
    given["group"] = ()
    assert request.hints == {"group": ("g",)}


@pytest.mark.parametrize(
    "value", [True, 7, 1.5, float("nan"), b"\x7f\0\0\1", {1}, object(), "a\0b"]
)
def test_an_address_is_a_text_or_an_address(value):
    with pytest.raises(InvalidStats, match="host_ip"):
        HostStats.parse({"host_ip": value})


def test_an_address_of_another_library_becomes_a_text():
    parsed = HostStats.parse({"host_ip": ip_address("2001:db8::1")})
    assert parsed.columns["host_ip"] == "2001:db8::1"


@pytest.mark.parametrize("field", ["inventories", "traits", "aggregates", "children"])
@pytest.mark.parametrize("value", [0, False, ""])
def test_a_childs_part_of_the_wrong_kind_is_no_empty_one(field, value):
    with pytest.raises(InvalidStats, match=field):
        HostStats.parse({"children": [{"name": "c", field: value}]})


@pytest.mark.parametrize(
    "child",
    [
        ChildReport(""),
        ChildReport("c", uuid="x"),
        ChildReport("c", inventories={"VGPU": 1}),
        ChildReport("c", traits=frozenset({"lower"})),
        ChildReport("c", aggregates=frozenset({"x"})),
        ChildReport("c", children=("x",)),
    ],
)
def test_a_child_that_is_a_value_is_checked_as_well(child):
    with pytest.raises(InvalidStats, match="children"):
        HostStats.parse({"children": [child]})


def levels(count):
    report = {"name": f"level {count}"}
    for number in range(count - 1, 0, -1):
        report = {"name": f"level {number}", "children": [report]}
    return report


def test_children_may_be_sixteen_levels_deep_and_no_deeper():
    assert HostStats.parse({"children": [levels(16)]}).children
    for count in (17, 900):
        with pytest.raises(InvalidStats, match="deeper than 16"):
            HostStats.parse({"children": [levels(count)]})


def test_two_children_of_one_uuid_are_told():
    inner = {"name": "b", "uuid": U1}
    with pytest.raises(InvalidStats, match=r"uuid .* twice"):
        HostStats.parse({"children": [{"name": "a", "uuid": U1, "children": [inner]}]})


def test_times_at_the_ends_of_the_calendar_are_times():
    last = datetime.max.replace(tzinfo=UTC)
    assert HostStats.parse({"last_seen_up": last}).columns["last_seen_up"] == last.timestamp()


def test_an_object_that_cannot_be_read_is_told_by_field():
    class Orphaned:
        @property
        def flavor(self):
            raise RuntimeError("no context to load it with")

    with pytest.raises(InvalidRequest, match=r"spec_obj\.flavor") as caught:
        request_from_spec(Orphaned(), None, lambda: U1)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_refusal_keeps_its_decision_through_a_pickle():
    error = NoValidHost("full", reason="full")
    error.decision = Decision(reason="full", _reasons=lambda: ())
    back = pickle.loads(pickle.dumps(error))
    assert back.as_dict() == error.as_dict()
    assert back.decision == error.decision
    assert back.decision.reasons() == ()
