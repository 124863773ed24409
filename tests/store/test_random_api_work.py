"""Random work over the API, among reports and claims: the books balance, and fleets follow."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any
from uuid import UUID

import pytest

from scheduler_lib.exceptions import Conflict, InvalidRequest, NotFound
from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.allocation import ANY_GENERATION, Claim
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.settings import Accounting
from scheduler_lib.query.mirror import Mirror
from tests.store.conftest import Desk
from tests.store.test_random_work import Replica

STEPS = 250
CLASSES = ["VCPU", "MEMORY_MB", "CUSTOM_A", "CUSTOM_B", "CUSTOM_C"]
TRAITS = ["HW_CPU_X86_AVX", "CUSTOM_A", "CUSTOM_B"]
NAMES = [f"p{number}" for number in range(14)]
REFUSALS = (Conflict, InvalidRequest, NotFound)


class ApiWork:
    """Does one random thing after the other; many are refused."""

    def __init__(self, desk: Desk, seed: int) -> None:
        self.desk = desk
        self.store = desk.store
        self.random = Random(seed)
        self.uuids = [self._uuid() for _ in range(12)]
        self.aggregates = [self._uuid() for _ in range(3)]
        self.consumers = [self._uuid() for _ in range(8)]
        self.done = 0

    def step(self) -> None:
        kinds = {
            "create": 4, "rename": 2, "move": 5, "delete": 1, "replace": 5, "add": 2, "update": 2,
            "remove": 2, "remove_all": 1, "traits": 4, "aggregates": 3, "make_name": 3,
            "remove_name": 2, "rename_class": 1, "claim": 5, "release": 2, "report": 3,
        }  # fmt: skip
        [kind] = self.random.choices(list(kinds), list(kinds.values()))
        with suppress(*REFUSALS):
            getattr(self, f"_{kind}")()
            self.done += 1

    def _uuid(self) -> str:
        return str(UUID(int=self.random.getrandbits(128), version=4))

    def _any(self) -> str:
        return self.random.choice(self.uuids)

    def _some(self, things: list[str]) -> list[str]:
        return self.random.sample(things, self.random.randint(0, len(things)))

    def _inventory(self) -> Inventory:
        total = self.random.randint(1, 20)
        return Inventory(total, self.random.randint(0, total), allocation_ratio=1.5)

    def _generation(self, uuid: str) -> int:
        return self.store.providers.record(uuid, self.desk.deadline()).generation

    def _create(self) -> None:
        parent = self.random.choice([None, self._any()])
        name = self.random.choice(NAMES)
        self.store.providers.create(self._any(), name, parent, self.desk.deadline())

    def _rename(self) -> None:
        name = self.random.choice(NAMES)
        self.store.providers.update(self._any(), name, self.desk.deadline(), reparent=False)

    def _move(self) -> None:
        uuid = self._any()
        parent = self.random.choice([None, self._any(), self._any(), self._any()])
        name = self.store.providers.record(uuid, self.desk.deadline()).name
        self.store.providers.update(
            uuid, name, self.desk.deadline(), parent_uuid=parent, reparent=True
        )

    def _delete(self) -> None:
        self.store.providers.delete(self._any(), self.desk.deadline())

    def _replace(self) -> None:
        uuid = self._any()
        wanted = {name: self._inventory() for name in self._some(CLASSES)}
        generation = self._generation(uuid)
        self.store.inventories.replace(uuid, generation, wanted, self.desk.deadline())

    def _add(self) -> None:
        name = self.random.choice(CLASSES)
        self.store.inventories.add(self._any(), name, self._inventory(), self.desk.deadline())

    def _update(self) -> None:
        uuid, name = self._any(), self.random.choice(CLASSES)
        generation = self._generation(uuid)
        item = self._inventory()
        self.store.inventories.update(uuid, generation, name, item, self.desk.deadline())

    def _remove(self) -> None:
        name = self.random.choice(CLASSES)
        self.store.inventories.remove(self._any(), name, self.desk.deadline())

    def _remove_all(self) -> None:
        self.store.inventories.remove_all(self._any(), self.desk.deadline())

    def _traits(self) -> None:
        self.store.traits.replace(self._any(), None, self._some(TRAITS), self.desk.deadline())

    def _aggregates(self) -> None:
        wanted = self._some(self.aggregates)
        self.store.aggregates.replace(self._any(), wanted, None, self.desk.deadline())

    def _make_name(self) -> None:
        name = self.random.choice(["CUSTOM_A", "CUSTOM_B", "CUSTOM_C"])
        self._catalogue().create(name, self.desk.deadline())

    def _remove_name(self) -> None:
        name = self.random.choice(["CUSTOM_A", "CUSTOM_B", "CUSTOM_C"])
        self._catalogue().remove(name, self.desk.deadline())

    def _catalogue(self) -> Any:
        return self.random.choice([self.store.traits, self.store.resource_classes])

    def _rename_class(self) -> None:
        old, new = self.random.sample(["CUSTOM_A", "CUSTOM_B", "CUSTOM_C"], 2)
        self.store.resource_classes.rename(old, new, self.desk.deadline())

    def _claim(self) -> None:
        allocations = {}
        for uuid in {self._any(), self._any()}:
            stocks = self.store.inventories.of(uuid, self.desk.deadline()).stocks
            allocations[uuid] = {name: self.random.randint(0, 2) for name in stocks}
        consumer = self.random.choice(self.consumers)
        self.desk.write(Claim(consumer, allocations, consumer_generation=ANY_GENERATION))

    def _release(self) -> None:
        self.desk.release(*self.random.sample(self.consumers, 2))

    def _report(self) -> None:
        number = self.random.randrange(3)
        stats: dict[str, object] = {"vcpus": self.random.randint(1, 9), "memory_mb": 20}
        if self.random.random() < 0.3:
            stats["traits"] = self._some(TRAITS)
        if self.random.random() < 0.3:
            stats["children"] = [{"name": f"p{number}-c", "traits": self._some(TRAITS)}]
        self.desk.report(f"p{number}", uuid=self.uuids[number], **stats)


def image(fleet: Fleet) -> dict[str, object]:
    """Return all that a fleet shows of providers, by uuid."""
    shown: dict[str, object] = {}
    rows = fleet.state.rows
    for uuid, row in rows.row_of.items():
        if not rows.alive[row]:
            continue
        parent, root = fleet.parent(row), fleet.root(row)
        stocks = {}
        for name, columns in fleet.state.stocks.items():
            slot = columns.slot(row)
            if slot >= 0:
                cells = ("total", "reserved", "min_unit", "max_unit", "step_size", "capacity")
                stocks[name] = [columns.cell(cell, slot) for cell in (*cells, "used")]
        facts = fleet.facts(row)
        shown[uuid] = (
            fleet.name(row), None if parent < 0 else fleet.uuid(parent), fleet.uuid(root),
            sorted(fleet.uuid(member) for member in fleet.tree(root)), fleet.traits(row),
            fleet.aggregates(row), stocks, None if facts is None else facts.host,
        )  # fmt: skip
    return shown


def nested_counts(fleet: Fleet) -> dict[str, int]:
    """Return how many inventories of each class stand on providers with a parent."""
    return {name: columns.nested for name, columns in fleet.state.stocks.items() if columns.nested}


@pytest.mark.parametrize("seed", [1, 2])
def test_a_fleet_that_follows_is_like_one_loaded_anew(desk: Desk, seed: int) -> None:
    work = ApiWork(desk, seed)
    follower = Mirror(desk.store, Accounting.ALLOCATIONS, "nova")
    follower.refreshed(follower.ticket(), desk.deadline())
    with desk.store.feed.load() as (cursor, providers):
        replica = Replica(providers)
    for step in range(STEPS):
        work.step()
        if step % 5:
            continue
        fresh = Mirror(desk.store, Accounting.ALLOCATIONS, "nova")
        loaded = fresh.refreshed(fresh.ticket(), desk.deadline())
        followed = follower.refreshed(follower.ticket(), desk.deadline())
        assert image(followed) == image(loaded)
        assert nested_counts(followed) == nested_counts(loaded)
        batch = desk.store.feed.changes(cursor, desk.deadline())
        replica.apply(batch.changes)
        cursor = batch.cursor
        assert replica.known() == Replica(desk.providers().values()).known()
    assert work.done > STEPS / 4
    assert {kind for kind, _ in desk.discrepancies()} <= {"over_capacity"}
