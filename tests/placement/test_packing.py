"""Groups that compete for the same providers: what fits is found, what does not is soon known."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

import pytest

from scheduler_lib.fleet import Fleet
from scheduler_lib.model.request import ResourceGroup
from scheduler_lib.placement import Candidate, Search
from scheduler_lib.placement.solver import Solver
from tests.fleet.builders import Forest, uid
from tests.placement.asking import group
from tests.placement.test_work import Count
from tests.placement.twin import Answer, Twin


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Count:
    """The choices of a provider that were made or tried."""
    count = Count(lambda *args: 1)
    monkeypatch.setattr(Solver, "_choose", count.around(Solver._choose))
    return count


class TooLong(Exception):
    """The tick has had enough."""


def ticking(most: int) -> Iterator[None]:
    """Give so many times, then raise."""
    yield from itertools.repeat(None, most)
    raise TooLong


def groups(amounts: list[int]) -> dict[str, ResourceGroup]:
    """Return a group for each amount of VCPU, each with a bit of a class there is plenty of."""
    return {f"_{n}": group(VCPU=amount, VGPU=n + 1) for n, amount in enumerate(amounts)}


def tree(*units: int) -> Forest:
    forest = Forest().add("root")
    for number, free in enumerate(units):
        forest.add(f"c{number}", {"VCPU": free, "VGPU": 1000 - number}, under="root")
    return forest


def answer(fleet: Fleet, item: Candidate) -> Answer:
    amounts = [(fleet.uuid(row), name, units) for row, name, units in item.amounts]
    mappings = [(name, frozenset(map(fleet.uuid, rows))) for name, rows in item.mappings.items()]
    return frozenset(amounts), frozenset(mappings)


@pytest.mark.parametrize("seed", range(60))
def test_all_ways_are_found_and_no_others(seed: int) -> None:
    random = Random(seed)
    free = [random.randint(4, 14) for _ in range(3)]
    forest = tree(*free)
    fleet = forest.fleet()
    twin = Twin(forest.providers.values())
    for _ in range(5):
        asked = groups([random.randint(2, 7) for _ in range(random.randint(2, 5))])
        search = Search(fleet, asked)
        found = [answer(fleet, item) for item in search.candidates()]
        assert len(set(found)) == len(found)
        assert set(found) == twin.answers(asked)[uid("root")]


@pytest.mark.parametrize(("children", "count"), [(5, 11), (6, 13), (9, 19)])
def test_one_group_more_than_two_a_provider_is_known_without_a_step(
    steps: Count, children: int, count: int
) -> None:
    fleet = tree(*range(1000, 1000 + children)).fleet()
    asked = groups([340 + 7 * number % 60 for number in range(count)])
    assert list(Search(fleet, asked).candidates(1)) == []
    assert steps.total == 0


@pytest.mark.parametrize("big", [12, 13])
def test_small_groups_do_not_hide_that_the_big_ones_do_not_fit(steps: Count, big: int) -> None:
    fleet = tree(*range(1000, 1006)).fleet()
    asked = groups([*[340 + number for number in range(big)], *range(10, 20)])
    ticks = ticking(3)
    found = list(Search(fleet, asked, tick=lambda: next(ticks)).candidates(1))
    assert len(found) == (big == 12)
    assert steps.total <= 23


def test_what_is_left_is_counted_again_on_the_way(steps: Count) -> None:
    # Any provider alone could take three of the small ones, but there are three only once.
    fleet = tree(*range(1000, 1004)).fleet()
    asked = groups([*range(325, 329), *range(380, 386)])
    assert list(Search(fleet, asked).candidates(1)) == []
    assert 0 < steps.total < 500


def test_providers_that_differ_in_what_there_is_plenty_of_are_equal(steps: Count) -> None:
    # Even amounts from odd room: there is no way, and no count of one class tells.
    fleet = tree(101, 101, 101, 101).fleet()
    asked = groups([60, 58, 50, 44, 40, 38, 32, 30, 20, 18, 14])
    assert list(Search(fleet, asked).candidates(1)) == []
    assert 0 < steps.total < 500


class TestTick:
    # As above, but more of them.
    UNITS = (101,) * 7
    AMOUNTS = (44, 42, 40, 38, 38, 36, 34, 34, 34, *range(32, 18, -2), *range(32, 18, -2))

    def test_it_ends_a_search_that_finds_nothing_for_long(self, steps: Count) -> None:
        ticks = ticking(3)
        search = Search(
            tree(*self.UNITS).fleet(), groups(list(self.AMOUNTS)), tick=lambda: next(ticks)
        )
        with pytest.raises(TooLong):
            list(search.candidates(1))
        assert 0 < steps.total <= 3 * 256

    def test_it_comes_for_each_tree_however_soon_that_is_done(self) -> None:
        forest = Forest()
        for host in range(20):
            forest.add(f"h{host}")
            for number, free in enumerate((23 + host, 24 + host)):
                forest.add(f"h{host}n{number}", {"VCPU": free}, under=f"h{host}")
        asked = {f"_{n}": group(VCPU=units) for n, units in enumerate((20, 19, 3))}
        ticks = Count(lambda: 1)
        search = Search(forest.fleet(), asked, tick=ticks.around(lambda: None))
        assert len({item.root_row for item in search.candidates()}) == 20
        assert ticks.total >= 20

    def test_it_comes_while_nothing_new_is_found(self) -> None:
        forest = Forest().add("SS", {"DISK_GB": 9}, aggregates="A", shares=True)
        for host in range(640):
            forest.add(f"h{host}", {"VCPU": 1}, aggregates="A")
        ticks = Count(lambda: 1)
        search = Search(forest.fleet(), {"": group(DISK_GB=1)}, tick=ticks.around(lambda: None))
        assert len(list(search.candidates())) == 1
        assert ticks.total >= 10
