"""Two processes at the same thing: one does it, the other finds it done, and nothing is torn."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

import pytest

from scheduler_lib.exceptions import (
    DuplicateHost,
    DuplicateProvider,
    GenerationConflict,
    InvalidRequest,
    InventoryInUse,
    ProviderHasChildren,
    ProviderNotFound,
    ResourceClassExists,
    ResourceClassInUse,
    ResourceClassNotFound,
    SchedulerLibError,
    TraitInUse,
    TraitNotFound,
)
from scheduler_lib.model.inventory import Inventory
from tests.store.conftest import Desk, OpenDesk

ROUNDS = 12

Act = Callable[[Desk, int], object]


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


@pytest.fixture
def desks(database_url: str, open_desk: OpenDesk) -> list[Desk]:
    """Four stores on one database: each is what a process has."""
    return [open_desk(database_url, max_retries=50) for _ in range(4)]


def race(desks: Sequence[Desk], *acts: Act, rounds: int = ROUNDS) -> Counter[str]:
    """Do different things at once, round after round; return how often each outcome came.

    :param acts: one for each store in turn; given the store and the round.
    """
    barrier = threading.Barrier(len(desks))
    outcomes: list[str] = []

    def run(desk: Desk, act: Act) -> None:
        for number in range(rounds):
            barrier.wait(60)
            try:
                outcomes.append(str(act(desk, number)))
            except Exception as error:  # noqa: BLE001
                outcomes.append(type(error).__name__)

    threads = [
        threading.Thread(target=run, args=(desk, acts[index % len(acts)]), daemon=True)
        for index, desk in enumerate(desks)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return Counter(outcomes)


def test_a_provider_is_made_once(desks: list[Desk]) -> None:
    def make(desk: Desk, number: int) -> str:
        desk.store.providers.create(uuid(number), f"p{number}", None, desk.deadline())
        return "made"

    assert race(desks, make) == {"made": ROUNDS, DuplicateProvider.__name__: 3 * ROUNDS}
    assert desks[0].discrepancies() == []


@pytest.mark.parametrize("noun", ["traits", "resource_classes"])
def test_a_name_is_made_once(desks: list[Desk], noun: str) -> None:
    def make(desk: Desk, number: int) -> bool:
        return getattr(desk.store, noun).create(f"CUSTOM_{number}", desk.deadline())[1]

    assert race(desks, make) == {"True": ROUNDS, "False": 3 * ROUNDS}


@pytest.mark.parametrize("noun", ["traits", "resource_classes"])
def test_a_removed_name_is_made_again_once(desks: list[Desk], noun: str) -> None:
    for number in range(ROUNDS):
        names = getattr(desks[0].store, noun)
        names.create(f"CUSTOM_{number}", desks[0].deadline())
        names.remove(f"CUSTOM_{number}", desks[0].deadline())

    def make(desk: Desk, number: int) -> bool:
        return getattr(desk.store, noun).create(f"CUSTOM_{number}", desk.deadline())[1]

    assert race(desks, make) == {"True": ROUNDS, "False": 3 * ROUNDS}


def test_new_aggregates_are_made_by_whoever_is_first(desks: list[Desk]) -> None:
    for index, desk in enumerate(desks):
        desk.store.providers.create(uuid(index), f"p{index}", None, desk.deadline())

    def put(desk: Desk, number: int) -> str:
        wanted = [uuid(1000 + 3 * number + step) for step in range(3)]
        Random(id(desk)).shuffle(wanted)
        desk.store.aggregates.replace(uuid(desks.index(desk)), wanted, None, desk.deadline())
        return "put"

    assert race(desks, put) == {"put": 4 * ROUNDS}
    assert len({p.aggregates for p in desks[0].providers().values()}) == 1


def test_one_of_those_who_read_the_same_generation_writes(desks: list[Desk]) -> None:
    desks[0].store.providers.create(uuid(0), "p", None, desks[0].deadline())

    def write(desk: Desk, number: int) -> str:
        wanted = {"VCPU": Inventory(1 + desks.index(desk))}
        desk.store.inventories.replace(uuid(0), number, wanted, desk.deadline())
        return "written"

    assert race(desks, write) == {"written": ROUNDS, GenerationConflict.__name__: 3 * ROUNDS}
    assert desks[0].generation("p") == ROUNDS


def test_no_provider_is_left_with_a_trait_that_is_gone(desks: list[Desk]) -> None:
    desk = desks[0]
    desk.store.providers.create(uuid(0), "p", None, desk.deadline())
    for number in range(ROUNDS):
        desk.store.traits.create(f"CUSTOM_{number}", desk.deadline())

    def give(desk: Desk, number: int) -> str:
        desk.store.traits.replace(uuid(0), None, [f"CUSTOM_{number}"], desk.deadline())
        return "given"

    def remove(desk: Desk, number: int) -> str:
        desk.store.traits.remove(f"CUSTOM_{number}", desk.deadline())
        return "removed"

    outcomes = race(desks, give, remove)
    assert set(outcomes) <= {"given", "removed", TraitNotFound.__name__, TraitInUse.__name__}
    for number in range(ROUNDS):
        name = f"CUSTOM_{number}"
        if desk.store.traits.missing([name], desk.deadline()):
            assert name not in desk.store.traits.of(uuid(0), desk.deadline()).names


def test_no_provider_is_left_with_a_class_that_is_gone(desks: list[Desk]) -> None:
    desk = desks[0]
    for number in range(ROUNDS):
        desk.store.providers.create(uuid(number), f"p{number}", None, desk.deadline())
        desk.store.resource_classes.create(f"CUSTOM_{number}", desk.deadline())

    def add(desk: Desk, number: int) -> str:
        item = Inventory(1)
        desk.store.inventories.add(uuid(number), f"CUSTOM_{number}", item, desk.deadline())
        return "added"

    def report(desk: Desk, number: int) -> str:
        desk.report(f"h{number}", inventories={f"CUSTOM_{number}": {"total": 1}})
        return "reported"

    def remove(desk: Desk, number: int) -> str:
        desk.store.resource_classes.remove(f"CUSTOM_{number}", desk.deadline())
        return "removed"

    outcomes = race(desks, add, remove, report, remove)
    refused = (ResourceClassNotFound, ResourceClassInUse)
    assert set(outcomes) <= {"added", "removed", "reported", *(kind.__name__ for kind in refused)}
    assert outcomes["reported"] == ROUNDS
    for name in {name for p in desk.providers().values() for name in p.stocks}:
        assert desk.store.resource_classes.missing([name], desk.deadline()) == frozenset()


def test_a_class_keeps_what_is_claimed_while_it_is_renamed(desks: list[Desk]) -> None:
    desk = desks[0]
    desk.store.resource_classes.create("CUSTOM_0", desk.deadline())
    for index in range(3):
        desk.store.providers.create(uuid(index), f"p{index}", None, desk.deadline())
        desk.store.inventories.add(uuid(index), "CUSTOM_0", Inventory(1000), desk.deadline())

    def rename(desk: Desk, number: int) -> str:
        old, new = f"CUSTOM_{number}", f"CUSTOM_{number + 1}"
        desk.store.resource_classes.rename(old, new, desk.deadline())
        return "renamed"

    def claim(desk: Desk, number: int) -> str:
        desk.claim(f"p{number % 3}", **{f"CUSTOM_{number}": 1})
        return "claimed"

    outcomes = race(desks, rename, claim)
    assert outcomes["renamed"] == ROUNDS
    assert set(outcomes) <= {
        "renamed", "claimed", ResourceClassExists.__name__, ResourceClassNotFound.__name__,
        "ClaimConflict",
    }  # fmt: skip
    assert desk.discrepancies() == []
    used = [desk.used(f"p{index}").get(f"CUSTOM_{ROUNDS}", 0) for index in range(3)]
    assert sum(used) == outcomes["claimed"]


@pytest.mark.parametrize("released", [False, True])
def test_a_class_is_renamed_while_others_claim_without_a_pause(
    desks: list[Desk], released: bool
) -> None:
    desk, stop = desks[0], threading.Event()
    desk.store.resource_classes.create("CUSTOM_A", desk.deadline())
    desk.store.providers.create(uuid(0), "p", None, desk.deadline())
    desk.store.inventories.add(uuid(0), "CUSTOM_A", Inventory(10**6), desk.deadline())
    outcomes: list[str] = []
    kept: list[str] = []

    def claim() -> None:
        name = "CUSTOM_A"
        while not stop.is_set():
            try:
                consumer = desk.claim("p", **{name: 1})
            except SchedulerLibError as error:
                outcomes.append(type(error).__name__)
                name = "CUSTOM_B"
            else:
                kept.append(consumer)
                if released:
                    desk.release(kept.pop())

    threads = [threading.Thread(target=claim, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    while len(kept) < 20 and not released:
        stop.wait(0.01)
    desks[1].store.resource_classes.rename("CUSTOM_A", "CUSTOM_B", desks[1].deadline(30))
    stop.wait(0.1)
    stop.set()
    for thread in threads:
        thread.join(30)
    assert set(outcomes) <= {ResourceClassNotFound.__name__}
    assert list(desk.providers()["p"].stocks) == ["CUSTOM_B"]
    assert desk.used("p").get("CUSTOM_B", 0) == len(kept)
    assert desk.discrepancies() == []


def test_no_child_is_left_without_its_parent(desks: list[Desk]) -> None:
    desk = desks[0]
    for number in range(ROUNDS):
        desk.store.providers.create(uuid(number), f"p{number}", None, desk.deadline())
        desk.report(f"h{number}", uuid=uuid(100 + number), vcpus=4)

    def delete(desk: Desk, number: int) -> str:
        desk.store.providers.delete(uuid(number), desk.deadline())
        return "deleted"

    def hang(desk: Desk, number: int) -> str:
        made = desk.store.providers.create(
            uuid(1000 + number), f"c{number}", uuid(number), desk.deadline()
        )
        return f"child at {made.generation}"

    def delete_host(desk: Desk, number: int) -> str:
        desk.delete(f"h{number}")
        return "host deleted"

    def hang_on_host(desk: Desk, number: int) -> str:
        desk.store.providers.create(
            uuid(2000 + number), f"d{number}", uuid(100 + number), desk.deadline()
        )
        return "child of a host"

    outcomes = race(desks, delete, hang, delete_host, hang_on_host)
    assert outcomes["host deleted"] == ROUNDS
    assert set(outcomes) <= {
        "deleted", "child at 0", "host deleted", "child of a host",
        ProviderNotFound.__name__, ProviderHasChildren.__name__,
    }  # fmt: skip
    assert desk.discrepancies() == []


def test_moves_at_once_make_no_loop(desks: list[Desk]) -> None:
    desk = desks[0]
    for tree in range(4):
        desk.store.providers.create(uuid(tree), f"r{tree}", None, desk.deadline())
        desk.store.providers.create(uuid(10 + tree), f"c{tree}", uuid(tree), desk.deadline())
    randoms = [Random(number) for number in range(4)]

    def move(desk: Desk, number: int) -> str:
        random = randoms[desks.index(desk)]
        moved = random.choice([*range(4), *range(10, 14)])
        parent = random.choice([None, *range(4), *range(10, 14)])
        name = desk.store.providers.record(uuid(moved), desk.deadline()).name
        desk.store.providers.update(
            uuid(moved), name, desk.deadline(),
            parent_uuid=None if parent is None else uuid(parent), reparent=True,
        )  # fmt: skip
        return "moved"

    outcomes = race(desks, move, rounds=25)
    assert set(outcomes) <= {"moved", InvalidRequest.__name__}
    assert outcomes["moved"] > 10
    assert desk.discrepancies() == []
    parents = {r.uuid: r.parent_uuid for r in desk.store.providers.records(desk.deadline())}
    for start in parents:
        steps, above = 0, parents[start]
        while above is not None:
            steps, above = steps + 1, parents[above]
            assert steps < len(parents)


def test_a_host_and_the_api_may_make_its_provider_at_once(desks: list[Desk]) -> None:
    def create(desk: Desk, number: int) -> str:
        desk.store.providers.create(uuid(number), f"h{number}", None, desk.deadline())
        return "created"

    def report(desk: Desk, number: int) -> str:
        desk.report(f"h{number}", uuid=uuid(number), vcpus=1 + number)
        return "reported"

    outcomes = race(desks, create, report)
    assert outcomes["reported"] == 2 * ROUNDS
    assert set(outcomes) <= {"created", "reported", DuplicateProvider.__name__}
    assert DuplicateHost.__name__ not in outcomes
    assert desks[0].discrepancies() == []


def test_the_books_balance_while_inventories_come_and_go(desks: list[Desk]) -> None:
    desk = desks[0]
    for index in range(2):
        desk.store.providers.create(uuid(index), f"p{index}", None, desk.deadline())
        desk.store.inventories.add(uuid(index), "VCPU", Inventory(50), desk.deadline())

    def change(desk: Desk, number: int) -> str:
        inventories = desk.store.inventories
        if number % 3 == 0:
            inventories.remove_all(uuid(number % 2), desk.deadline())
        else:
            generation = inventories.of(uuid(number % 2), desk.deadline()).generation
            wanted = {"VCPU": Inventory(50), "DISK_GB": Inventory(number)}
            inventories.replace(uuid(number % 2), generation, wanted, desk.deadline())
        return "changed"

    def hold(desk: Desk, number: int) -> str:
        consumer = desk.claim(f"p{number % 2}", VCPU=1)
        desk.release(consumer)
        return "held"

    outcomes = race(desks, change, hold)
    kinds = {kind.__name__ for kind in (GenerationConflict, InventoryInUse)}
    assert set(outcomes) <= {"changed", "held", "ClaimConflict", *kinds}
    assert issubclass(InventoryInUse, SchedulerLibError)
    assert desk.discrepancies() == []
