"""Values of query strings, and which microversion takes which form."""

from __future__ import annotations

import pytest

from scheduler_lib.api import querystring
from scheduler_lib.api.errors import ApiError
from scheduler_lib.api.querystring import Aggregates, Traits

A = "11111111-1111-4111-8111-111111111111"
B = "22222222-2222-4222-8222-222222222222"


def test_resources_name_classes_and_amounts() -> None:
    assert querystring.resources("VCPU:2,MEMORY_MB:1024") == {"VCPU": 2, "MEMORY_MB": 1024}


def test_the_last_amount_of_a_class_counts() -> None:
    assert querystring.resources("VCPU:2,VCPU:3") == {"VCPU": 3}


def test_amounts_have_no_upper_bound() -> None:
    assert querystring.resources("VCPU:99999999999999999999") == {"VCPU": 99999999999999999999}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Got: empty string."),
        ("  ", "Got: empty string."),
        ("VCPU", "Got: VCPU."),
        ("VCPU:1,", "Got: ."),
        ("VCPU:1:2", "Got: VCPU:1:2."),
        ("VCPU:x", "VCPU expected positive integer amount. Got: x."),
        ("VCPU:1.5", "VCPU expected positive integer amount. Got: 1.5."),
        ("VCPU:" + "9" * 5000, "VCPU expected positive integer amount."),
        ("VCPU:0", "VCPU requires amount >= 1. Got: 0."),
        ("VCPU:-2", "VCPU requires amount >= 1. Got: -2."),
    ],
)
def test_badly_formed_resources_are_refused(text: str, told: str) -> None:
    with pytest.raises(ApiError) as caught:
        querystring.resources(text)
    assert caught.value.status == 400
    assert told in caught.value.message


def test_traits_are_required_forbidden_or_one_of_several() -> None:
    assert querystring.traits(["A, !B", "in:C,D", "E"], 39) == Traits(
        frozenset({"A", "E"}), (frozenset({"C", "D"}),), frozenset({"B"})
    )


def test_many_marks_forbid_as_one_does() -> None:
    assert querystring.traits(["!!!A"], 39) == Traits(forbidden=frozenset({"A"}))


def test_before_139_the_last_value_counts_alone() -> None:
    assert querystring.traits(["A", "B"], 38) == Traits(frozenset({"B"}))


def test_every_trait_that_is_named_is_told() -> None:
    assert querystring.traits(["A,!B", "in:C,D"], 39).names() == {"A", "B", "C", "D"}


@pytest.mark.parametrize(
    ("value", "minor", "told"),
    [
        ("", 39, "HW_CPU_X86_VMX,!CUSTOM_MAGIC. Got an empty trait in: "),
        ("A,", 21, "HW_CPU_X86_VMX,CUSTOM_MAGIC. Got an empty trait in: A,"),
        ("!", 39, "Got an empty trait in: !"),
        ("!A", 21, "HW_CPU_X86_VMX,CUSTOM_MAGIC. Got: !A"),
        ("in:A", 38, "only supported since microversion 1.39. Got: in:A"),
        ("in:", 39, "Got an empty trait in: in:"),
        ("in:A,!B", 39, "does not support forbidden traits. Got: in:A,!B"),
    ],
)
def test_badly_formed_traits_are_refused(value: str, minor: int, told: str) -> None:
    with pytest.raises(ApiError) as caught:
        querystring.traits([value], minor)
    assert caught.value.message.startswith("Invalid query string parameters: ")
    assert told in caught.value.message


def test_aggregates_are_required_or_forbidden() -> None:
    assert querystring.aggregates([A, f"in:{A},{B}", f"!{A}", f"!in:{B}"], 39) == Aggregates(
        (frozenset({A}), frozenset({A, B})), frozenset({A, B})
    )


def test_uuids_of_aggregates_are_written_one_way() -> None:
    assert querystring.aggregates([A.replace("-", "").upper()], 39) == Aggregates((frozenset({A}),))


@pytest.mark.parametrize(
    ("values", "minor", "told"),
    [
        ([A, B], 23, "Multiple member_of1 parameters are not supported"),
        ([f"!{A}"], 31, "Forbidden member_of1 parameters are not supported in the specified"),
        ([f"{A},{B}"], 39, "must be prefixed with the 'in:' or '!in:' keyword"),
        ([f"!{A},{B}"], 39, "must be prefixed with the 'in:' or '!in:' keyword"),
        ([f"in:{A},!{B}"], 39, f"to contain valid UUID(s). Got: !{B}"),
        (["in:"], 39, "to contain valid UUID(s). Got: "),
        (["x"], 39, "to contain valid UUID(s). Got: x"),
    ],
)
def test_badly_formed_aggregates_are_refused(values: list[str], minor: int, told: str) -> None:
    with pytest.raises(ApiError) as caught:
        querystring.aggregates(values, minor, "1")
    assert caught.value.status == 400
    assert told in caught.value.message


def test_a_tree_is_named_by_a_uuid() -> None:
    assert querystring.in_tree(f" {A.upper()} ") == A
    with pytest.raises(ApiError) as caught:
        querystring.in_tree("x")
    assert "Expected 'in_tree' parameter to be a format of uuid. Got: x" in caught.value.message
