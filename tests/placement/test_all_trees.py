"""All trees at once: strategies, random orders, clients that know of no trees, flat requests."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from scheduler_lib.fleet import Fleet
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import ProviderChanged, Stock, UsageChanged
from scheduler_lib.placement import Candidate, Search
from tests.fleet.builders import Forest, uid
from tests.placement.asking import group, named
from tests.placement.drawing import CLASSES, copied, forest_of, request_of

WAYS: list[dict[str, Any]] = [
    {"strategy": strategy, "order": order}
    for strategy in ("breadth-first", "depth-first")
    for order in ("tightest", "name")
]


def drawn(seed: int) -> tuple[Fleet, list[dict[str, Any]]]:
    """Return a fleet in which many trees are alike and some are not quite, and some requests."""
    random = Random(seed)
    size = random.randint(2, 5)
    forest = copied(forest_of(random, size), 4)
    fleet = forest.fleet()
    changes = []
    for provider in forest.providers.values():
        if provider.stocks and random.random() < 0.2:
            name = random.choice(sorted(provider.stocks))
            changes.append(UsageChanged(provider.uuid, name, random.randint(0, 3)))
    fleet.apply(changes)
    return fleet, [request_of(random, size) for _ in range(30)]


def tree_by_tree(fleet: Fleet, search: Search) -> set[object]:
    """Return the candidates found in one tree after another, each searched alone."""
    roots = [row for row in range(len(fleet.state.rows)) if fleet.root(row) == row]
    return {item.identity() for row in roots for item in search.on_root(row)}


@pytest.mark.parametrize("seed", range(24))
def test_alike_trees_get_what_each_would_get_alone(seed: int) -> None:
    fleet, requests = drawn(seed)
    for request in requests:
        search = Search(fleet, **request)
        wanted = tree_by_tree(fleet, search)
        for way in WAYS:
            found = [item.identity() for item in search.candidates(**way)]
            assert len(found) == len(wanted)
            assert set(found) == wanted
        for nested in (True, False):
            plain = Counter(item.identity() for item in search.candidates(nested=nested))
            mixed = search.candidates(nested=nested, source=Random(seed))
            assert Counter(item.identity() for item in mixed) == plain


@pytest.mark.parametrize("seed", range(40, 50))
def test_without_nesting_no_two_providers_are_of_one_tree(seed: int) -> None:
    fleet, requests = drawn(seed)
    for request in requests:
        search = Search(fleet, **request)

        def is_plain(item: Candidate) -> bool:
            givers = {row for row, _, _ in item.amounts}
            return len({fleet.root(row) for row in givers}) == len(givers)

        wanted = [item for item in search.candidates() if is_plain(item)]
        found = list(search.candidates(nested=False))
        assert {item.identity() for item in found} == {item.identity() for item in wanted}
        assert list(search.candidates(2, nested=False)) == found[:2]


@pytest.mark.parametrize("seed", range(60, 66))
@pytest.mark.parametrize("way", WAYS)
def test_limit_gives_the_first_and_patterns_tell_the_same(seed: int, way: dict[str, Any]) -> None:
    fleet, requests = drawn(seed)
    for request in requests:
        search = Search(fleet, **request)
        every = list(search.candidates(**way))
        for limit in (0, 1, 3, 7):
            assert list(search.candidates(limit, **way)) == every[:limit]
        told = [
            pattern.candidate(rows)
            for rows, patterns in search.patterns(**way)
            for pattern in patterns
        ]
        assert told == every


def two_groups(**resources: int) -> dict[str, Any]:
    return {f"_{n}": group(**resources) for n in range(2)}


class TestNotQuiteAlike:
    """Two trees that differ in one thing only are not served by the same patterns."""

    @pytest.mark.parametrize("units", [(4, 2), (2, 4)])
    @pytest.mark.parametrize("bound", ["total", "max_unit"])
    def test_in_room_for_two_groups(self, units: tuple[int, int], bound: str) -> None:
        forest = Forest()
        for host, most in zip("ab", units, strict=True):
            inventory = Inventory(most) if bound == "total" else Inventory(8, max_unit=most)
            forest.add(host).add(f"{host}n", {"VCPU": inventory}, under=host)
        fleet = forest.fleet()
        served = "a" if units[0] == 4 else "b"
        found = Search(fleet, two_groups(VCPU=2)).candidates()
        assert named(fleet, found) == [f"{served}n:VCPU=4"]

    @pytest.mark.parametrize("kept_out", ["a", "b"])
    def test_in_an_aggregate_that_keeps_a_root_from_what_is_shared(self, kept_out: str) -> None:
        forest = Forest().add("SS", {"DISK_GB": 10}, aggregates="S", shares=True)
        for host in "ab":
            forest.add(host, {"VCPU": 4}, aggregates="SX" if host == kept_out else "S")
        fleet = forest.fleet()
        asked = {
            "": group(DISK_GB=1, forbidden_aggregates=frozenset({uid("X")})),
            "_1": group(VCPU=1),
        }
        other = "b" if kept_out == "a" else "a"
        found = Search(fleet, asked).candidates()
        assert named(fleet, found) == [f"SS:DISK_GB=1, {other}:VCPU=1"]

    @pytest.mark.parametrize("together", ["a", "b"])
    def test_in_whether_those_that_share_are_of_one_tree(self, together: str) -> None:
        forest = Forest().add("pools")
        for host in "ab":
            under = "pools" if host == together else None
            forest.add(host, {"VCPU": 4}, aggregates=host)
            for name in ("DISK_GB", "GPU"):
                pool = f"{host}-{name}"
                forest.add(pool, {name: 10}, under=under, aggregates=host, shares=True)
        fleet = forest.fleet()
        asked = {"_1": group(VCPU=1), "_2": group(DISK_GB=1), "_3": group(GPU=1)}
        other = "b" if together == "a" else "a"
        found = Search(fleet, asked).candidates(nested=False)
        served = f"{other}-DISK_GB:DISK_GB=1, {other}-GPU:GPU=1, {other}:VCPU=1"
        assert named(fleet, found) == [served]


class TestStrategies:
    @staticmethod
    def search() -> tuple[Fleet, Search]:
        forest = Forest()
        for host in "ab":
            forest.add(host)
            for number in range(2):
                forest.add(f"{host}{number}", {"GPU": 1}, under=host)
        fleet = forest.fleet()
        return fleet, Search(fleet, {"": group(GPU=1)})

    @pytest.mark.parametrize(
        ("strategy", "order"),
        [("breadth-first", "a0 b0 a1 b1"), ("depth-first", "a0 a1 b0 b1")],
    )
    def test_trees_take_turns_or_come_one_by_one(self, strategy: str, order: str) -> None:
        fleet, search = self.search()
        found = search.candidates(strategy=strategy)
        assert " ".join(fleet.name(item.amounts[0][0]) for item in found) == order

    @pytest.mark.parametrize("strategy", ["breadth-first", "depth-first"])
    def test_alike_trees_all_give_all_patterns_though_few_are_kept(self, strategy: str) -> None:
        forest = Forest()
        for host in "ab":
            forest.add(host)
            for number in range(6):
                forest.add(f"{host}{number}", {"GPU": 4}, under=host)
        fleet = forest.fleet()
        asked = {f"_{n}": group(GPU=1) for n in range(4)}
        found = list(Search(fleet, asked).candidates(strategy=strategy))
        assert len({item.identity() for item in found}) == len(found)
        roots = Counter(fleet.name(item.root_row) for item in found)
        assert roots == {"a": 6**4, "b": 6**4}


class TestQ05RandomOrder:
    def test_the_same_query_has_the_same_answer_without_it(self) -> None:
        forest = Forest()
        for number in range(5):
            forest.add(f"h{number}", {"VCPU": 1})
        search = Search(forest.fleet(), {"": group(VCPU=1)})
        assert list(search.candidates(2)) == list(search.candidates(2))

    @pytest.mark.parametrize("under", [False, True])
    def test_every_host_is_chosen_as_often(self, under: bool) -> None:
        forest = Forest()
        for number in range(5):
            forest.add(f"h{number}", {} if under else {"VCPU": 1})
            if under:
                forest.add(f"n{number}", {"VCPU": 1}, under=f"h{number}")
        fleet = forest.fleet()
        search = Search(fleet, {"": group(VCPU=1)})
        source = Random(7)
        chosen = Counter(
            fleet.name(item.root_row)
            for _ in range(1000)
            for item in search.candidates(2, source=source)
        )
        # 1000 x 2/5, three standard deviations of a binomial.
        assert all(400 - 47 <= chosen[f"h{number}"] <= 400 + 47 for number in range(5))

    @pytest.mark.parametrize("devices", [4, 8])
    def test_every_device_comes_first_as_often(self, devices: int) -> None:
        forest = Forest().add("CN")
        for number in range(devices):
            forest.add(f"d{number}", {"GPU": 1}, under="CN")
        fleet = forest.fleet()
        search = Search(fleet, {f"_{n}": group(GPU=1) for n in range(3)}, "isolate")
        source = Random(7)
        first = Counter(
            fleet.name(item.mappings["_0"][0])
            for _ in range(400)
            for item in search.candidates(1, source=source)
        )
        share = 1 / devices
        spread = 3.5 * (400 * share * (1 - share)) ** 0.5
        assert len(first) == devices
        assert all(abs(count - 400 * share) < spread for count in first.values())


class TestFlatRequests:
    @staticmethod
    def fleet() -> Fleet:
        forest = Forest()
        for number in range(100):
            traits = {"HW_A"} if number % 2 else set()
            places = "AB"[number % 3 : number % 3 + 1]
            sizes = {"VCPU": Stock(Inventory(8, max_unit=4 + number % 4), number % 7)}
            forest.add(f"h{number:02}", sizes, traits=traits, aggregates=places)
        return forest.fleet()

    @pytest.mark.parametrize("limit", [0, 1, 5, 30, None])
    @pytest.mark.parametrize(
        "asked",
        [
            group(VCPU=2),
            group(VCPU=5),
            group(VCPU=2, required={"HW_A"}),
            group(VCPU=2, forbidden={"HW_A"}, member_of=(frozenset({uid("A"), uid("C")}),)),
            group(VCPU=2, forbidden_aggregates=frozenset({uid("B")})),
            group(VCPU=1, DISK_GB=1),
        ],
    )
    def test_they_get_what_each_host_would_get_alone(self, asked: Any, limit: int | None) -> None:
        fleet = self.fleet()
        search = Search(fleet, {"": asked}, root_forbidden=frozenset({"HW_B"}))
        assert search.flat
        wanted = host_by_host(fleet, search)
        assert list(search.candidates(limit)) == wanted[: len(wanted) if limit is None else limit]

    def test_what_changes_between_two_calls_is_seen(self) -> None:
        forest = Forest().add("a", {"VCPU": 1}).add("c", {"VCPU": 1})
        fleet = forest.fleet()
        search = Search(fleet, {"": group(VCPU=1)})
        assert named(fleet, search.candidates()) == ["a:VCPU=1", "c:VCPU=1"]
        forest.add("b", {"VCPU": 1})
        fleet.apply([ProviderChanged(forest.providers["b"])])
        fleet.apply([UsageChanged(uid("a"), "VCPU", 1)])
        assert named(fleet, search.candidates()) == ["b:VCPU=1", "c:VCPU=1"]


def host_by_host(fleet: Fleet, search: Search) -> list[Candidate]:
    """Return the candidates of each root alone, the roots by name."""
    roots = sorted(range(len(fleet.state.rows)), key=fleet.name)
    return [item for row in roots for item in search.on_root(row)]


def test_the_classes_of_the_draw_are_all_asked_for() -> None:
    _, requests = drawn(0)
    asked = {name for one in requests for item in one["groups"].values() for name in item.resources}
    assert asked == set(CLASSES)
