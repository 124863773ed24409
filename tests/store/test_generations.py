"""Generations that claims count, as the released Placement counts them."""

from __future__ import annotations

from uuid import uuid4

import pytest

from scheduler_lib.exceptions import ClaimConflict, ConsumerNotFound
from scheduler_lib.model.allocation import ANY_GENERATION, Claim
from tests.store.conftest import Desk

A, B = (str(uuid4()) for _ in range(2))


class Pair:
    """Two hosts, and how far claims have counted their generations."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        for host in ("x", "y"):
            desk.report(host, vcpus=8, memory_mb=100, cpu_allocation_ratio=1.0)
        self.x, self.y = desk.uuid("x"), desk.uuid("y")
        self._start = (desk.generation("x"), desk.generation("y"))

    def counted(self) -> tuple[int, int]:
        """Return what was counted since the last look."""
        now = (self.desk.generation("x"), self.desk.generation("y"))
        start, self._start = self._start, now
        return now[0] - start[0], now[1] - start[1]

    def write(self, *claims: Claim) -> tuple[int, int]:
        self.desk.write(*claims)
        return self.counted()


@pytest.fixture
def pair(desk: Desk) -> Pair:
    return Pair(desk)


def test_a_new_claim_counts_one_for_its_provider(pair: Pair) -> None:
    assert pair.write(Claim(A, {pair.x: {"VCPU": 1, "MEMORY_MB": 1}})) == (1, 0)


def test_a_rewrite_counts_one_even_if_nothing_changes(pair: Pair) -> None:
    pair.write(Claim(A, {pair.x: {"VCPU": 1}}))
    assert pair.write(Claim(A, {pair.x: {"VCPU": 1}}, consumer_generation=1)) == (1, 0)
    assert pair.write(Claim(A, {pair.x: {"VCPU": 2}}, consumer_generation=2)) == (1, 0)


def test_a_move_counts_for_where_it_goes_and_not_for_what_it_leaves(pair: Pair) -> None:
    pair.write(Claim(A, {pair.x: {"VCPU": 1}}))
    assert pair.write(Claim(A, {pair.y: {"VCPU": 1}}, consumer_generation=1)) == (0, 1)
    assert pair.desk.used("x") == {}


def test_a_claim_of_nothing_counts_for_what_it_empties(pair: Pair) -> None:
    pair.write(Claim(A, {pair.x: {"VCPU": 1}, pair.y: {"VCPU": 1}}))
    assert pair.write(Claim(A, {}, consumer_generation=1)) == (1, 1)


def test_a_release_counts_nothing(pair: Pair) -> None:
    pair.write(Claim(A, {pair.x: {"VCPU": 1}, pair.y: {"VCPU": 1}}))
    pair.desk.release(A)
    assert pair.counted() == (0, 0)
    assert pair.desk.used("x") == pair.desk.used("y") == {}


def test_several_claims_count_one_for_a_provider(pair: Pair) -> None:
    claims = (Claim(A, {pair.x: {"VCPU": 1}}), Claim(B, {pair.x: {"VCPU": 1}}))
    assert pair.write(*claims) == (1, 0)
    swapped = (
        Claim(A, {}, consumer_generation=1),
        Claim(B, {pair.y: {"VCPU": 1}}, consumer_generation=1),
    )
    assert pair.write(*swapped) == (1, 1)


def test_a_refused_claim_counts_nothing(pair: Pair) -> None:
    pair.write(Claim(A, {pair.x: {"VCPU": 1}}))
    with pytest.raises(ClaimConflict):
        pair.write(Claim(A, {pair.y: {"VCPU": 9}}, consumer_generation=1))
    assert pair.counted() == (0, 0)
    assert pair.desk.held(A).consumer_generation == 1


def test_a_consumer_counts_each_write_and_starts_anew_once_it_was_emptied(pair: Pair) -> None:
    for generation in (None, 1, 2):
        pair.write(Claim(A, {pair.x: {"VCPU": 1}}, consumer_generation=generation))
    assert pair.desk.held(A).consumer_generation == 3
    pair.write(Claim(A, {}, consumer_generation=3))
    with pytest.raises(ConsumerNotFound):
        pair.desk.held(A)
    pair.write(Claim(A, {pair.x: {"VCPU": 1}}))
    assert pair.desk.held(A).consumer_generation == 1


def test_emptying_who_holds_nothing_leaves_no_consumer_behind(pair: Pair) -> None:
    for generation in (None, ANY_GENERATION):
        assert pair.write(Claim(A, {}, consumer_generation=generation)) == (0, 0)
    pair.write(Claim(A, {pair.x: {"VCPU": 1}}))
    assert pair.desk.discrepancies() == []
