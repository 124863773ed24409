"""Aggregates: which ones a provider is in, before and after they had generations."""

from __future__ import annotations

from uuid import uuid4

import pytest

from scheduler_lib.exceptions import GenerationConflict, InvalidRequest, ProviderNotFound
from scheduler_lib.store.aggregates import Aggregates
from tests.store.conftest import Desk

U, NOBODY = str(uuid4()), str(uuid4())
A, B = sorted(str(uuid4()) for _ in range(2))


def aggregates(desk: Desk) -> Aggregates:
    return desk.store.aggregates


@pytest.fixture
def desk(desk: Desk) -> Desk:
    desk.store.providers.create(U, "a", None, desk.deadline())
    return desk


def test_a_provider_is_where_it_was_put_last(desk: Desk) -> None:
    first = aggregates(desk).replace(U, [B, A], 0, desk.deadline())
    assert (first.generation, first.names) == (1, (A, B))
    assert aggregates(desk).of(U, desk.deadline()) == first
    assert aggregates(desk).replace(U, [B], 1, desk.deadline()).names == (B,)
    assert desk.providers()["a"].aggregates == {B}


def test_with_a_generation_it_always_counts(desk: Desk) -> None:
    aggregates(desk).replace(U, [A], 0, desk.deadline())
    before = desk.newest_change()
    assert aggregates(desk).replace(U, [A], 1, desk.deadline()).generation == 2
    assert desk.newest_change() == before
    with pytest.raises(GenerationConflict):
        aggregates(desk).replace(U, [], 1, desk.deadline())


def test_without_one_it_never_counts(desk: Desk) -> None:
    assert aggregates(desk).replace(U, [A], None, desk.deadline()).generation == 0
    assert desk.providers()["a"].aggregates == {A}


def test_a_uuid_is_kept_with_dashes(desk: Desk) -> None:
    assert aggregates(desk).replace(U, [A.replace("-", "")], 0, desk.deadline()).names == (A,)


def test_what_is_no_uuid_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidRequest):
        aggregates(desk).replace(U, ["x"], 0, desk.deadline())


def test_a_provider_must_be_there(desk: Desk) -> None:
    with pytest.raises(ProviderNotFound):
        aggregates(desk).of(NOBODY, desk.deadline())
    with pytest.raises(ProviderNotFound):
        aggregates(desk).replace(NOBODY, [], None, desk.deadline())
