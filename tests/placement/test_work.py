"""How much is looked at for an answer: counted, so that no clock decides."""

from __future__ import annotations

import dataclasses
import itertools
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from scheduler_lib.fleet import Fleet
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import Provider, ProviderChanged, Stock
from scheduler_lib.model.request import ResourceGroup
from scheduler_lib.placement import Search, flat, walk
from scheduler_lib.placement.layout import Trees
from scheduler_lib.placement.likeness import Likeness
from scheduler_lib.placement.solver import Solver
from scheduler_lib.placement.tree import TreeSearch
from tests.fleet.builders import Forest, uid
from tests.placement.asking import group

STRATEGIES = ("breadth-first", "depth-first")


class Count:
    """How often something is called, and with how much."""

    def __init__(self, of: Callable[..., int]) -> None:
        self._of = of
        self.total = 0

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*args: Any, **rest: Any) -> Any:
            self.total += self._of(*args, **rest)
            return call(*args, **rest)

        return counting


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> Count:
    """The trees that were solved."""
    count = Count(lambda *args, **rest: 1)
    monkeypatch.setattr(walk, "TreeSearch", count.around(TreeSearch))
    return count


@pytest.fixture
def described(monkeypatch: pytest.MonkeyPatch) -> Count:
    """The trees whose numbers were read."""
    count = Count(lambda fleet, plan, matrix, *args, **rest: len(matrix))
    monkeypatch.setattr(walk, "Likeness", count.around(Likeness))
    return count


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Count:
    """The choices of a provider that were made or tried."""
    count = Count(lambda *args: 1)
    monkeypatch.setattr(Solver, "_choose", count.around(Solver._choose))
    return count


def hosts(number: int) -> Fleet:
    fleet = Fleet()
    fleet.apply(
        ProviderChanged(
            Provider(
                uid(f"h{place}"),
                f"h{place:06}",
                uid(f"h{place}"),
                stocks={"VCPU": Stock(Inventory(8), place % 3)},
            )
        )
        for place in range(number)
    )
    return fleet


def numa_hosts(number: int, used: Callable[[int], int] = lambda place: 0) -> Forest:
    forest = Forest()
    for place in range(number):
        name = f"h{place:04}"
        forest.add(name, {"DISK_GB": 100})
        for node in range(2):
            stock = Stock(Inventory(8), used(place))
            forest.add(f"{name}n{node}", {"VCPU": stock}, under=name, traits={"HW_NUMA_ROOT"})
            forest.add(f"{name}p{node}", {"SRIOV_NET_VF": 4}, under=f"{name}n{node}")
    return forest


TWO_GROUPS = {
    "": group(DISK_GB=1),
    "_C": group(VCPU=2, required={"HW_NUMA_ROOT"}),
    "_N": group(SRIOV_NET_VF=1),
}


class TestFlatHosts:
    @pytest.mark.parametrize("number", [1_000, 8_000])
    def test_a_limit_bounds_the_hosts_looked_at(
        self, monkeypatch: pytest.MonkeyPatch, number: int
    ) -> None:
        looked_at = Count(lambda fleet, name, amount, rows: len(rows))
        monkeypatch.setattr(flat, "_with_room", looked_at.around(flat._with_room))
        search = Search(hosts(number), {"": group(VCPU=7)})
        assert len(list(search.candidates(10))) == 10
        assert looked_at.total <= 64

    def test_hosts_that_are_full_cost_one_look_each(self, monkeypatch: pytest.MonkeyPatch) -> None:
        looked_at = Count(lambda fleet, name, amount, rows: len(rows))
        monkeypatch.setattr(flat, "_with_room", looked_at.around(flat._with_room))
        assert list(Search(hosts(8_000), {"": group(VCPU=9)}).candidates(10)) == []
        assert looked_at.total == 8_000


class TestTrees:
    @pytest.mark.parametrize("strategy", STRATEGIES)
    @pytest.mark.parametrize("limit", [1, 10])
    def test_a_limit_bounds_the_trees_looked_at(
        self, described: Count, solved: Count, strategy: str, limit: int
    ) -> None:
        fleet = numa_hosts(200).fleet()
        found = list(Search(fleet, TWO_GROUPS).candidates(limit, strategy=strategy))
        assert len(found) == limit
        assert described.total == 16
        assert solved.total == 1

    @pytest.mark.parametrize("suffix", ["", "_C"])
    def test_a_group_that_names_its_tree_has_no_other_looked_at(
        self, described: Count, suffix: str
    ) -> None:
        fleet = numa_hosts(200).fleet()
        groups = dict(TWO_GROUPS)
        groups[suffix] = dataclasses.replace(groups[suffix], in_tree=uid("h0137n1"))
        found = list(Search(fleet, groups).candidates())
        assert {fleet.name(item.root_row) for item in found} == {"h0137"}
        assert len(found) == 4
        assert described.total == 1

    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_equal_trees_are_solved_once(self, solved: Count, strategy: str) -> None:
        fleet = numa_hosts(300).fleet()
        assert len(list(Search(fleet, TWO_GROUPS).candidates(strategy=strategy))) == 1200
        assert solved.total == 1

    def test_what_is_used_makes_no_other_tree_unless_it_changes_who_can_serve(
        self, solved: Count
    ) -> None:
        fleet = numa_hosts(60, lambda place: place % 8).fleet()
        found = list(Search(fleet, TWO_GROUPS).candidates(order="name"))
        assert len(found) == 4 * sum(place % 8 <= 6 for place in range(60))
        # A node has room for two more, or not.
        assert solved.total <= 2

    def test_trees_without_room_are_not_solved(self, solved: Count) -> None:
        fleet = numa_hosts(60, lambda place: 7).fleet()
        assert list(Search(fleet, TWO_GROUPS).candidates()) == []
        assert solved.total == 0

    def test_after_some_hundred_a_pass_over_the_columns_drops_what_cannot_serve(
        self, described: Count
    ) -> None:
        fleet = numa_hosts(1000, lambda place: 0 if place == 999 else 7).fleet()
        found = list(Search(fleet, TWO_GROUPS).candidates(1))
        assert [fleet.name(item.root_row) for item in found] == ["h0999"]
        assert described.total < 300

    def test_a_new_host_leaves_the_other_trees_as_they_were_read(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        forest = numa_hosts(50)
        fleet = forest.fleet()
        search = Search(fleet, TWO_GROUPS)
        list(search.candidates())
        written = Count(lambda trees, roots, rows: len(roots))
        monkeypatch.setattr(Trees, "_write_nested", written.around(Trees._write_nested))
        forest.add("new", {"DISK_GB": 1}).add("node", {"VCPU": 1}, under="new")
        fleet.apply(ProviderChanged(forest.providers[name]) for name in ("new", "node"))
        assert len(list(search.candidates())) == 200
        assert written.total == 1


class TestN09WideTrees:
    @staticmethod
    def search(groups: int, free: int, policy: str) -> Search:
        forest = Forest().add("CN", {"VCPU": 8})
        for number in range(8):
            stock = Stock(Inventory(1), 0 if number < free else 1)
            forest.add(f"D{number}", {"CUSTOM_GPU": stock}, under="CN")
        asked = {"": group(VCPU=1), **{f"_{n}": group(CUSTOM_GPU=1) for n in range(groups)}}
        return Search(forest.fleet(), asked, policy)

    @pytest.mark.parametrize("policy", ["none", "isolate"])
    def test_the_first_takes_few_steps(self, steps: Count, policy: str) -> None:
        assert len(list(self.search(8, 8, policy).candidates(1))) == 1
        assert steps.total <= 9

    @pytest.mark.parametrize("policy", ["none", "isolate"])
    def test_one_device_too_few_takes_none(self, steps: Count, policy: str) -> None:
        assert list(self.search(8, 7, policy).candidates(1)) == []
        assert steps.total == 0

    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_a_limit_bounds_the_memory(self, strategy: str) -> None:
        search = self.search(8, 8, "none")
        list(search.candidates(1))
        tracemalloc.start()
        list(search.candidates(10, strategy=strategy))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 500_000

    def test_in_turns_no_more_is_kept_than_is_given(self) -> None:
        search = self.search(8, 8, "none")
        tracemalloc.start()
        assert sum(1 for _ in itertools.islice(search.patterns(), 5000)) == 5000
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 500_000


def test_pools_that_serve_many_trees_make_one_sort_of_trees(solved: Count) -> None:
    forest = Forest()
    for letter in "ABCDE":
        forest.add(f"SS{letter}", {"DISK_GB": 100}, aggregates=letter, shares=True)
        for number in range(10):
            forest.add(f"CN{letter}{number}", {"VCPU": 4}, aggregates=letter)
    asked: dict[str, ResourceGroup] = {"": group(VCPU=1, DISK_GB=1)}
    assert len(list(Search(forest.fleet(), asked).candidates())) == 50
    assert solved.total == 1
