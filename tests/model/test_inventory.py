"""Capacity is decimal arithmetic; units are whole numbers."""

from decimal import Decimal
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_lib.exceptions import InvalidRequest, InvalidStats
from scheduler_lib.model.inventory import (
    MAX_CAPACITY,
    MAX_UNITS,
    Inventory,
    capacity,
    checked_ratio,
    checked_units,
    parse_inventories,
)


@pytest.mark.parametrize(
    ("total", "reserved", "ratio", "units"),
    [(10, 0, 1.1, 11), (3, 0, 0.1, 0), (16, 2, 2.0, 28), (100, 0, 1.15, 115), (7, 7, 16.0, 0),
     (10, 0, 0.3, 3), (1000, 0, 1.001, 1001), (8, 0, 1.0, 8)],
)  # fmt: skip
def test_capacity_is_that_of_the_decimals_that_were_written(total, reserved, ratio, units):
    assert capacity(total, reserved, ratio) == units


@given(
    st.integers(1, MAX_UNITS),
    st.decimals(0, 1000, places=3).map(lambda ratio: (str(ratio.normalize()), float(ratio))),
)
def test_capacity_is_exact_for_every_decimal(total, ratio):
    text, number = ratio
    assert capacity(total, 0, number) == floor(total * Fraction(Decimal(text)))


def test_capacity_is_never_negative_and_never_without_bound():
    assert capacity(1, 5, 1.0) == 0
    assert capacity(MAX_UNITS, 0, 1e300) == MAX_CAPACITY


@pytest.mark.parametrize(
    ("field", "value"),
    [("total", 0), ("total", 1.5), ("total", "1"), ("total", True), ("total", 2**31),
     ("reserved", -1), ("reserved", 9), ("min_unit", 0), ("max_unit", 0), ("step_size", 0),
     ("allocation_ratio", float("nan")), ("allocation_ratio", float("inf")),
     ("allocation_ratio", -0.1), ("allocation_ratio", "2"), ("allocation_ratio", True)],
)  # fmt: skip
def test_field_out_of_bounds_is_named(field, value):
    with pytest.raises(InvalidStats, match=field) as caught:
        Inventory(**{"total": 8, field: value})
    assert caught.value.fields["field"] == field


def test_all_of_it_may_be_reserved():
    assert Inventory(8, reserved=8).capacity == 0


@pytest.mark.parametrize(
    ("amount", "allowed"), [(1, False), (2, True), (3, False), (6, True), (8, False)]
)
def test_one_consumer_may_ask_within_min_max_and_step(amount, allowed):
    assert Inventory(10, min_unit=2, max_unit=6, step_size=2).allows(amount) is allowed


@pytest.mark.parametrize(
    ("value", "told"),
    [(7, "inventories must be"), ({"VCPU": 7}, "VCPU must be"), ({"VCPU": {"totl": 1}}, "totl"),
     ({"vcpu": {"total": 1}}, "vcpu"), ({"VCPU": {}}, "VCPU")],
)  # fmt: skip
def test_inventories_that_cannot_be_read_are_named(value, told):
    with pytest.raises(InvalidStats, match=told):
        parse_inventories(value, "inventories")


def test_inventory_that_is_one_already_is_taken():
    made = Inventory(4)
    assert parse_inventories({"VCPU": made}, "inventories")["VCPU"] is made


@pytest.mark.parametrize("value", [1.0, "1", True, None, -1, 2**31, [1]])
def test_units_are_whole_numbers_within_bounds(value):
    with pytest.raises(InvalidRequest, match="amount"):
        checked_units(value, "amount", InvalidRequest)


def test_ratio_may_be_a_whole_number():
    assert checked_ratio(2, "ratio", InvalidStats) == 2.0
