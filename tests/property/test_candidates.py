"""Candidates of small random forests, against a twin that tries every combination."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from random import Random

from hypothesis import event, given, settings
from hypothesis import strategies as st

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.fleet import Fleet
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import Provider, Stock
from scheduler_lib.model.request import ResourceGroup
from scheduler_lib.placement import Candidate, Search
from tests.fleet.builders import Forest, uid
from tests.placement.twin import Answer, Twin

CLASSES = ("VCPU", "MEMORY_MB", "CUSTOM_GPU")
TRAITS = ("HW_A", "HW_B", "HW_C")
LETTERS = "AB"

NONE: frozenset[str] = frozenset()

# A number makes a whole case: drawn piece by piece, nearly all of them ask for what nobody has.
seeds = st.integers(0, 2**32)


def some(random: Random, names: Sequence[str], odds: float) -> frozenset[str]:
    return frozenset(name for name in names if random.random() < odds)


def forest_of(random: Random) -> Forest:
    forest = Forest()
    names: list[str] = []
    flat = random.random() < 0.25
    for number in range(random.randint(3, 7)):
        under = None if flat else random.choice([None, *names, *names])
        forest.add(
            f"p{number}",
            {name: stock_of(random) for name in some(random, CLASSES, 0.75)},
            under=under,
            traits=some(random, TRAITS, 0.6),
            aggregates="".join(some(random, LETTERS, 0.5)),
            shares=not flat and random.random() < 0.25,
        )
        names.append(f"p{number}")
    return forest


def stock_of(random: Random) -> Stock:
    inventory = Inventory(
        random.randint(1, 6),
        min_unit=random.choice([1, 1, 1, 2]),
        max_unit=random.choice([2, 3, 6, 6]),
        step_size=random.choice([1, 1, 1, 2]),
    )
    return Stock(inventory, random.choice([0, 0, 0, 1, 2]))


def group_of(random: Random, *, bare: bool = False) -> ResourceGroup:
    def rarely(value: object, otherwise: object, odds: float = 0.12) -> object:
        return value if random.random() < odds else otherwise

    classes = random.sample(CLASSES, random.randint(1, 2))
    one_of = frozenset(random.sample(TRAITS, random.randint(1, 2)))
    places = frozenset(uid(letter) for letter in random.sample(LETTERS, random.randint(1, 2)))
    fields = {
        "resources": {} if bare else {name: random.choice([1, 1, 2, 3]) for name in classes},
        "required": rarely(frozenset(random.sample(TRAITS, 1)), NONE),
        "any_of": rarely((one_of,), ()),
        "forbidden": rarely(frozenset(random.sample(TRAITS, 1)), NONE, 0.1),
        "member_of": rarely((places,), (), 0.06),
        "forbidden_aggregates": rarely(places, NONE, 0.06),
        "in_tree": rarely(uid(random.choice(["p0", "p1", "p2"])), None, 0.06),
    }
    try:
        return ResourceGroup(**fields)  # type: ignore[arg-type]
    except InvalidRequest:
        return group_of(random, bare=bare)


def request_of(random: Random) -> dict[str, object]:
    groups: dict[str, ResourceGroup] = {}
    if random.random() < 0.5:
        groups[""] = group_of(random)
    same = group_of(random)
    least = 0 if groups else 1
    suffixes = [f"_{number}" for number in range(random.choice([least, least, 1, 2, 3]))]
    for suffix in suffixes:
        groups[suffix] = same if random.random() < 0.5 else group_of(random)
    near: tuple[frozenset[str], ...] = ()
    if suffixes and random.random() < 0.4:
        if random.random() < 0.5:
            suffixes.append("_above")
            groups["_above"] = group_of(random, bare=True)
        near = (some(random, suffixes, 0.7) | {suffixes[-1]},)
    return {
        "groups": groups,
        "group_policy": random.choice(["none", "isolate"]),
        "root_required": random.choice([NONE, NONE, NONE, frozenset({"HW_A"})]),
        "root_forbidden": random.choice([NONE, NONE, NONE, frozenset({"HW_B"})]),
        "same_subtree": near,
    }


def case_of(seed: int) -> tuple[Forest, dict[str, object]]:
    random = Random(seed)
    return forest_of(random), request_of(random)


def search_of(fleet: Fleet, request: Mapping[str, object]) -> Search:
    return Search(fleet, **request)  # type: ignore[arg-type]


def answer(fleet: Fleet, item: Candidate) -> Answer:
    return (
        frozenset((fleet.uuid(row), name, amount) for row, name, amount in item.amounts),
        frozenset(
            (suffix, frozenset(fleet.uuid(row) for row in rows))
            for suffix, rows in item.mappings.items()
        ),
    )


def expected(request: Mapping[str, object], forest: Forest) -> dict[str, set[Answer]]:
    twin = Twin(forest.providers.values())
    return twin.answers(
        request["groups"],  # type: ignore[arg-type]
        request["group_policy"],  # type: ignore[arg-type]
        request["root_required"],  # type: ignore[arg-type]
        request["root_forbidden"],  # type: ignore[arg-type]
        request["same_subtree"],  # type: ignore[arg-type]
    )


@settings(max_examples=1500, deadline=None)
@given(seeds, st.sampled_from(["tightest", "name"]))
def test_every_tree_has_exactly_the_candidates_the_rules_give(seed: int, order: str) -> None:
    forest, request = case_of(seed)
    fleet = forest.fleet()
    search = search_of(fleet, request)
    wanted = expected(request, forest)
    mask = search.root_mask()
    event(f"candidates: {min(sum(map(len, wanted.values())), 3)}")
    for provider in forest.providers.values():
        row = fleet.row(provider.uuid)
        found = [answer(fleet, item) for item in search.on_root(row, order=order)]
        if provider.root_uuid == provider.uuid:
            assert len(found) == len(set(found))
            assert set(found) == wanted.get(provider.uuid, set())
            assert mask[row] or not found
            assert bool(search.reasons(row)) == (not found)
        else:
            assert not mask[row]


@settings(max_examples=500, deadline=None)
@given(seeds, st.integers(1, 4))
def test_all_trees_together_give_each_candidate_once_and_limit_gives_the_first(
    seed: int, limit: int
) -> None:
    forest, request = case_of(seed)
    fleet = forest.fleet()
    search = search_of(fleet, request)
    every = list(search.candidates())
    found = [answer(fleet, item) for item in every]
    assert len(found) == len(set(found))
    assert set(found) == set().union(*expected(request, forest).values())
    assert list(search.candidates(limit)) == every[:limit]


@settings(max_examples=500, deadline=None)
@given(seeds)
def test_what_a_candidate_asks_is_there(seed: int) -> None:
    forest, request = case_of(seed)
    fleet = forest.fleet()
    search = search_of(fleet, request)
    by_uuid: dict[str, Provider] = {item.uuid: item for item in forest.providers.values()}
    for item in search.candidates(20):
        for row, name, amount in item.amounts:
            stock = by_uuid[fleet.uuid(row)].stocks[name]
            assert stock.used + amount <= stock.inventory.capacity
            assert amount <= stock.inventory.max_unit
        with_it = fleet.view()
        with_it.consume((fleet.uuid(row), name, amount) for row, name, amount in item.amounts)
        for row, name, _ in item.amounts:
            stock = with_it.stock(name)
            assert stock is not None
            assert stock.cell("free", stock.slot(row)) >= 0


@settings(max_examples=500, deadline=None)
@given(seeds)
def test_flat_means_that_hosts_alone_decide(seed: int) -> None:
    forest, request = case_of(seed)
    fleet = forest.fleet()
    search = search_of(fleet, request)
    if not search.flat:
        return
    event("flat")
    for root, answers in expected(request, forest).items():
        for amounts, _ in answers:
            assert {provider for provider, _, _ in amounts} == {root}


SCRIPT = """
from scheduler_lib.placement import Search
from tests.fleet.builders import Forest, uid
from tests.placement.asking import group
forest = Forest().add("SS", {"DISK_GB": 9}, aggregates="AB", shares=True)
for host in ("CN1", "CN2", "CN3"):
    forest.add(host, {"DISK_GB": 9}, aggregates="ABC", traits={"HW_A", "HW_B"}, host=True)
    for name in "xyz":
        forest.add(host + name, {"GPU": 2, "VCPU": 2}, under=host, traits={"HW_A", "HW_C"})
asked = {"": group(DISK_GB=1, VCPU=1, any_of=(frozenset({"HW_A", "HW_B"}),))}
asked |= {name: group(GPU=1, VCPU=1, required={"HW_A", "HW_C"}) for name in ("_a", "_b")}
for item in Search(forest.fleet(), asked, "none").candidates(100):
    print(item.root_row, item.amounts, sorted(item.mappings.items()))
"""


def test_the_order_does_not_depend_on_the_hash_seed() -> None:
    outputs = set()
    for seed in ("0", "1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == 100
