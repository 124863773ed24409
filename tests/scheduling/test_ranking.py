"""Normalisation and order."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.ranking import Scale, best_first, first_of, within
from scheduler_lib.scheduling.weighers.packing import PackingWeigher
from scheduler_lib.scheduling.weighers.ram import RamWeigher

FREE = PackingWeigher(SchedulingSettings())
FROM_ZERO = RamWeigher(SchedulingSettings())


@pytest.mark.parametrize(
    ("weigher", "raw", "expected"),
    [
        (FREE, [1, 2, 3], [0, 0.5, 1]),
        (FREE, [5, 5], [0, 0]),
        (FROM_ZERO, [1, 2, 4], [0.25, 0.5, 1]),
        (FROM_ZERO, [5, 5], [1, 1]),
        (FROM_ZERO, [-3, 4], [0, 1]),
        (FROM_ZERO, [-3, -4], [0, 0]),
        (FROM_ZERO, [0, 0], [0, 0]),
    ],
)
def test_raw_values_are_put_on_the_scale_from_0_to_1(
    weigher: RamWeigher, raw: list[int], expected: list[float]
) -> None:
    values = within(np.array(raw), weigher)
    assert Scale.of(weigher, values).normalised(values).tolist() == pytest.approx(expected)


def test_values_that_are_no_numbers_count_as_the_least() -> None:
    assert within(np.array([3.0, np.nan, 5.0, np.inf]), FREE).tolist() == [3.0, 3.0, 5.0, 3.0]
    assert within(np.array([np.nan, np.nan]), FREE).tolist() == [0.0, 0.0]


def test_values_beyond_fixed_bounds_are_put_on_the_bounds() -> None:
    assert within(np.array([-3, 4]), FROM_ZERO).tolist() == [0, 4]
    assert within(np.array([1, 4]), FROM_ZERO).tolist() == [1, 4]

    class AtMostTwo(RamWeigher):
        minval, maxval = None, 2.0

    bounded = AtMostTwo(SchedulingSettings())
    assert within(np.array([-3, 4]), bounded).tolist() == [-3, 2]
    assert within(np.array([-3, 1]), bounded).tolist() == [-3, 1]


@given(st.lists(st.integers(-5, 5), max_size=40))
def test_the_order_is_the_stable_descending_one(values: list[int]) -> None:
    totals = np.array(values, dtype=np.float64)
    ranked = list(best_first(totals, SchedulingSettings(), random.Random(1)))
    assert [total for _, total in ranked] == sorted(values, reverse=True)
    order = [index for index, _ in ranked]
    assert order == sorted(range(len(values)), key=lambda index: -values[index])


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=30),
    st.integers(1, 6),
    st.booleans(),
    st.integers(0, 5),
)
def test_whatever_is_drawn_every_host_comes_once_and_the_tail_keeps_its_order(
    values: list[int], subset: int, shuffle: bool, seed: int
) -> None:
    totals = np.array(values, dtype=np.float64)
    settings = SchedulingSettings(host_subset_size=subset, shuffle_best_same_weighed_hosts=shuffle)
    order = [index for index, _ in best_first(totals, settings, random.Random(seed))]
    assert sorted(order) == list(range(len(values)))
    best = sorted(values, reverse=True)[:subset]
    assert values[order[0]] in best
    tail = [values[index] for index in order[1:]]
    assert tail == sorted(tail, reverse=True)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=30),
    st.integers(1, 6),
    st.booleans(),
    st.integers(0, 5),
)
def test_looking_at_the_first_alone_gives_the_same_and_leaves_the_sums(
    values: list[int], subset: int, shuffle: bool, seed: int
) -> None:
    settings = SchedulingSettings(host_subset_size=subset, shuffle_best_same_weighed_hosts=shuffle)
    sums = np.array(values, dtype=np.float64)
    first = first_of(sums, settings, random.Random(seed))
    assert sums.tolist() == values
    assert first == next(best_first(sums, settings, random.Random(seed)))[0]
