"""What is written over the API is seen by a process that follows the feed, even if it only adds."""

from __future__ import annotations

from uuid import uuid4

import pytest

from scheduler_lib.fleet import Fleet
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.settings import Accounting
from scheduler_lib.placement import Search
from scheduler_lib.query.mirror import Mirror
from tests.placement.asking import group, named
from tests.store.conftest import Desk, OpenDesk

U, A, B = (str(uuid4()) for _ in range(3))
AVX, SSE = "HW_CPU_X86_AVX", "HW_CPU_X86_SSE"


@pytest.fixture
def desk(desk: Desk) -> Desk:
    desk.store.providers.create(U, "a", None, desk.deadline())
    desk.store.inventories.add(U, "VCPU", Inventory(4), desk.deadline())
    return desk


class Follower:
    """A fleet in another process, loaded before anything is written."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._mirror = Mirror(desk.store, Accounting.ALLOCATIONS, "nova")
        self.fleet()

    def fleet(self) -> Fleet:
        return self._mirror.refreshed(self._mirror.ticket(), self._desk.deadline())

    def candidates(self, **asked: object) -> list[str]:
        fleet = self.fleet()
        return named(fleet, Search(fleet, {"": group(**asked)}).candidates())


@pytest.fixture
def follower(desk: Desk, open_desk: OpenDesk) -> Follower:
    return Follower(open_desk(desk.url))


def test_traits_that_were_only_added_are_found(desk: Desk, follower: Follower) -> None:
    for names in ([AVX], [AVX, SSE]):
        asked = frozenset(names)
        assert follower.candidates(VCPU=1, required=asked) == []
        before = desk.newest_change()
        desk.store.traits.replace(U, None, names, desk.deadline())
        assert desk.newest_change() > before
        assert follower.candidates(VCPU=1, required=asked) == ["a:VCPU=1"]


def test_traits_that_were_taken_away_are_not_found(desk: Desk, follower: Follower) -> None:
    desk.store.traits.replace(U, None, [AVX, SSE], desk.deadline())
    assert follower.candidates(VCPU=1, required=frozenset([SSE])) == ["a:VCPU=1"]
    desk.store.traits.replace(U, None, [AVX], desk.deadline())
    assert follower.candidates(VCPU=1, required=frozenset([SSE])) == []


def test_aggregates_that_were_only_added_are_found(desk: Desk, follower: Follower) -> None:
    for uuids in ([A], [A, B]):
        asked = (frozenset(uuids[-1:]),)
        assert follower.candidates(VCPU=1, member_of=asked) == []
        before = desk.newest_change()
        desk.store.aggregates.replace(U, uuids, None, desk.deadline())
        assert desk.newest_change() > before
        assert follower.candidates(VCPU=1, member_of=asked) == ["a:VCPU=1"]


def test_a_total_that_was_only_changed_counts(desk: Desk, follower: Follower) -> None:
    assert follower.candidates(VCPU=5) == []
    before = desk.newest_change()
    desk.store.inventories.replace(U, 1, {"VCPU": Inventory(8)}, desk.deadline())
    assert desk.newest_change() > before
    assert follower.candidates(VCPU=5) == ["a:VCPU=5"]
    desk.store.inventories.update(U, 2, "VCPU", Inventory(4), desk.deadline())
    assert follower.candidates(VCPU=5) == []
