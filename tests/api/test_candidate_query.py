"""What a query for candidates asks for, and how it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from urllib.parse import parse_qsl

import pytest

from scheduler_lib.api import candidate_query
from scheduler_lib.api.call import Call
from scheduler_lib.api.candidate_query import CandidateQuery
from scheduler_lib.api.service import Service
from scheduler_lib.model.clock import SystemClock
from scheduler_lib.model.inventory import MAX_UNITS
from scheduler_lib.model.request import ResourceGroup
from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings, PlacementSettings
from scheduler_lib.store.store import Store
from tests.api.conftest import Api

A = "11111111-1111-4111-8111-111111111111"
SSE, AVX = "HW_CPU_X86_SSE", "HW_CPU_X86_AVX"


@pytest.fixture
def service() -> Iterator[Service]:
    clock = SystemClock()
    store = Store(DatabaseSettings("sqlite://"), CapacitySettings(), clock)
    service = Service(store, PlacementSettings(), clock, Random(0))
    service.open()
    yield service
    service.close()


def read(service: Service, query: str, minor: int = 39) -> CandidateQuery:
    pairs = tuple(parse_qsl(query, keep_blank_values=True))
    return candidate_query.read(Call(service, minor, service.deadline(), query=pairs))


def test_groups_are_told_by_their_suffixes(service: Service) -> None:
    query = read(
        service,
        f"resources=VCPU:1&required={SSE},!{AVX}&in_tree={A}"
        f"&resources_N=SRIOV_NET_VF:2&member_of_N=!{A}&required_N=in:{SSE},{AVX}",
    )
    assert query.groups == {
        "": ResourceGroup(
            {"VCPU": 1}, required=frozenset({SSE}), forbidden=frozenset({AVX}), in_tree=A
        ),
        "_N": ResourceGroup(
            {"SRIOV_NET_VF": 2},
            any_of=(frozenset({SSE, AVX}),),
            forbidden_aggregates=frozenset({A}),
        ),
    }
    assert query.classes == {"VCPU", "SRIOV_NET_VF"}
    assert query.limit is None
    assert query.group_policy == "none"


def test_what_holds_for_all_groups_stands_beside_them(service: Service) -> None:
    query = read(
        service,
        "resources_A=VCPU:1&resources_B=VCPU:1&group_policy=isolate&limit=7"
        f"&root_required={SSE},!{AVX}&same_subtree=_A,_B&same_subtree=_B",
    )
    assert query.limit == 7
    assert query.group_policy == "isolate"
    assert (query.root_required, query.root_forbidden) == ({SSE}, {AVX})
    assert query.same_subtree == ({"_A", "_B"}, {"_B"})


def test_the_first_limit_and_the_last_resources_count(service: Service) -> None:
    query = read(service, "resources=VCPU:1&limit=3&limit=5&resources=VCPU:2")
    assert query.limit == 3
    assert query.groups[""].resources == {"VCPU": 2}


def test_more_than_any_inventory_gives_is_told(service: Service) -> None:
    assert not read(service, f"resources=VCPU:{MAX_UNITS}").beyond
    query = read(service, f"resources=VCPU:{MAX_UNITS + 1}")
    assert query.beyond
    assert query.groups[""].resources == {"VCPU": MAX_UNITS}


@pytest.mark.parametrize(
    ("query", "minor", "told", "code"),
    [
        ("required=HW_CPU_X86_SSE", 35, "orphaned traits keys: required", "undefined_code"),
        ("required1=in:HW_CPU_X86_SSE", 39, "at least one resources", "query.missing_value"),
        (f"member_of={A}&resources1=VCPU:1", 35, "orphaned member_of keys: member_of", ""),
        (f"in_tree={A}&resources1=VCPU:1", 35, "All request groups must specify resources", ""),
        ("group_policy=none", 35, "At least one request group", "undefined_code"),
        ("group_policy=none", 39, "There must be at least one resources or", "query.missing_value"),
        ("resources=MCPU:1", 39, "No such resource class MCPU.", "undefined_code"),
        ("resources=vcpu:1", 39, "No such resource class vcpu.", "undefined_code"),
        ("resources=CUSTOM_X:1", 39, "No such resource class CUSTOM_X.", "undefined_code"),
        ("resources=VCPU:1&required=X,!Y", 39, "No such trait(s): X, Y.", "undefined_code"),
        ("resources=VCPU:1&required=!CUSTOM_X", 39, "No such trait(s): CUSTOM_X.", ""),
        (
            "resources=VCPU:1&required=HW_CPU_X86_SSE,!HW_CPU_X86_SSE",
            39,
            "traits keys: required: (HW_CPU_X86_SSE)",
            "undefined_code",
        ),
        (
            "resources=VCPU:1&required=in:HW_CPU_X86_SSE,HW_CPU_X86_AVX"
            "&required=!HW_CPU_X86_SSE,!HW_CPU_X86_AVX",
            39,
            "traits keys: required: (HW_CPU_X86_AVX, HW_CPU_X86_SSE)",
            "undefined_code",
        ),
        (
            "resources1=VCPU:1&resources2=VCPU:1",
            39,
            '"group_policy" parameter is required',
            "undefined_code",
        ),
        (
            "resources1=VCPU:1&root_required=COMPUTE_NODE,!COMPUTE_NODE",
            39,
            "traits found in root_required: COMPUTE_NODE",
            "query.bad_value",
        ),
        (
            "resources1=VCPU:1&root_required=COMPUTE_NODE&root_required=COMPUTE_NODE",
            39,
            "'root_required' may be specified only once",
            "query.duplicate_key",
        ),
        ("resources=VCPU:1&root_required=in:COMPUTE_NODE", 39, "root_required does not take", ""),
        (
            "resources1=VCPU:1&required2=COMPUTE_NODE&group_policy=none",
            39,
            "should be specified in `same_subtree` query param: bad group(s) - ['2']",
            "query.bad_value",
        ),
        (
            "resources1=VCPU:1&same_subtree=1,2",
            39,
            "Real suffixes should be specified in `same_subtree`: ['2'] not found in ['1']",
            "query.bad_value",
        ),
        (
            "resources=VCPU:1&same_subtree=",
            39,
            "Empty string (unsuffixed group) can not be specified in `same_subtree`",
            "query.bad_value",
        ),
        ("resources=VCPU:1&limit=0", 39, "does not match '^[1-9][0-9]*$'", "undefined_code"),
        ("resources=VCPU:1&limit=x&limit=1", 39, "limit must be a positive integer", ""),
        ("resources=VCPU:1&limit=" + "9" * 5000, 39, "limit must be a positive integer", ""),
        ("resources=VCPU:1&group_policy=x", 39, "'x' is not one of ['none', 'isolate']", ""),
        ("resources=VCPU:1&group_policy=x&group_policy=none", 39, "'x' is not one of", ""),
        ("resources=VCPU:1&limit=1", 15, "'limit' was unexpected", None),
        ("resources=VCPU:1&required=COMPUTE_NODE", 16, "'required' was unexpected", None),
        (f"resources=VCPU:1&member_of={A}", 20, "'member_of' was unexpected", None),
        ("resources1=VCPU:1", 24, "'resources1' was unexpected", ""),
        ("resources01=VCPU:1", 25, "'resources01' does not match any of the regexes", ""),
        (f"resources=VCPU:1&in_tree={A}", 30, "'in_tree' does not match any of the regexes", ""),
        ("resources_A=VCPU:1", 32, "'resources_A' does not match any of the regexes", ""),
        (f"resources{'a' * 65}=VCPU:1", 39, "does not match any of the regexes", ""),
        ("resources=VCPU:1&root_required=X", 34, "'root_required' does not match", ""),
        ("resources_A=VCPU:1&same_subtree=_A", 35, "'same_subtree' does not match", ""),
        ("", 24, "'resources' is a required property", ""),
    ],
)
def test_a_query_that_means_nothing_is_refused(
    api: Api, query: str, minor: int, told: str, code: str | None
) -> None:
    answer = api.get(f"/allocation_candidates?{query}", version=minor)
    assert answer.status == 400
    assert told in answer.detail
    if code:
        assert answer.code == f"placement.{code}"


def test_many_thousand_keys_are_answered(api: Api) -> None:
    keys = "&".join(f"k{number}=1" for number in range(10_000))
    assert api.get(f"/allocation_candidates?{keys}").status == 400
    groups = "&".join(f"resources{number}=VCPU:1" for number in range(2_000))
    answer = api.get(f"/allocation_candidates?{groups}&group_policy=none")
    assert answer.json == {"allocation_requests": [], "provider_summaries": {}}


def test_there_are_no_candidates_before_110(api: Api) -> None:
    assert api.get("/allocation_candidates?resources=VCPU:1", version=9).status == 404
