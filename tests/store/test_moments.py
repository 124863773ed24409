"""Moments: what drivers give, in whole seconds, one by one or for many rows."""

from __future__ import annotations

from datetime import datetime

from scheduler_lib.store.moments import reader, seconds

VALUES = [
    None,
    "2024-02-29 23:59:59.999999",
    "2024-02-29 23:59:59.000001",
    "2024-02-29 23:59:59",
    "1970-01-01 00:00:00",
    "2024-03-01 00:00:00.5",
    datetime(2024, 2, 29, 23, 59, 59, 999999),
    datetime(2024, 2, 29, 23, 59, 59),
    datetime(1970, 1, 1),
]


def test_a_reader_of_many_says_what_each_value_says_alone() -> None:
    read = reader()
    for value in [*VALUES, *reversed(VALUES)]:
        assert read(value) == seconds(value)
    assert seconds("1970-01-01 00:00:00") == 0.0
    assert seconds("2024-02-29 23:59:59.999999") == 1709251199.0
