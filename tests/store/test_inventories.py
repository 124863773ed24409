"""What a provider has, written over the API: generations, refusals, and what is used meanwhile."""

from __future__ import annotations

from uuid import uuid4

import pytest

from scheduler_lib.exceptions import (
    ClaimConflict,
    GenerationConflict,
    InventoryExists,
    InventoryInUse,
    InventoryNotFound,
    ProviderNotFound,
    ResourceClassNotFound,
)
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.record import StockRecord
from scheduler_lib.store.inventories import Inventories
from tests.store.conftest import Desk

U, NOBODY = str(uuid4()), str(uuid4())
CPUS, MEMORY = Inventory(8), Inventory(1000, reserved=10, allocation_ratio=1.5)


@pytest.fixture
def desk(desk: Desk) -> Desk:
    desk.store.providers.create(U, "a", None, desk.deadline())
    desk.store.inventories.replace(U, 0, {"VCPU": CPUS, "MEMORY_MB": MEMORY}, desk.deadline())
    return desk


def inventories(desk: Desk) -> Inventories:
    return desk.store.inventories


def shown(record: StockRecord) -> tuple[int, dict[str, Inventory]]:
    return record.generation, {name: stock.inventory for name, stock in record.stocks.items()}


class TestReplace:
    def test_all_of_it_is_there_afterwards(self, desk: Desk) -> None:
        wanted = {"DISK_GB": Inventory(10), "VCPU": Inventory(4)}
        written = inventories(desk).replace(U, 1, wanted, desk.deadline())
        assert shown(written) == (2, wanted)
        assert inventories(desk).of(U, desk.deadline()) == written

    def test_it_counts_even_if_nothing_changes(self, desk: Desk) -> None:
        before = desk.newest_change()
        same = {"VCPU": CPUS, "MEMORY_MB": MEMORY}
        assert inventories(desk).replace(U, 1, same, desk.deadline()).generation == 2
        assert desk.newest_change() == before

    @pytest.mark.parametrize("generation", [0, 2])
    def test_another_generation_is_refused(self, desk: Desk, generation: int) -> None:
        with pytest.raises(GenerationConflict) as caught:
            inventories(desk).replace(U, generation, {}, desk.deadline())
        assert caught.value.fields == {
            "kind": "provider", "uuid": U, "expected": generation, "found": 1,
        }  # fmt: skip

    def test_a_class_must_exist(self, desk: Desk) -> None:
        wanted = {"VCPU": CPUS, "CUSTOM_X": CPUS}
        for _ in range(2):
            with pytest.raises(ResourceClassNotFound) as caught:
                inventories(desk).replace(U, 1, wanted, desk.deadline())
            assert caught.value.fields["resource_class"] == "CUSTOM_X"
            desk.store.resource_classes.create("CUSTOM_X", desk.deadline())
            desk.store.resource_classes.remove("CUSTOM_X", desk.deadline())
        desk.store.resource_classes.create("CUSTOM_X", desk.deadline())
        assert shown(inventories(desk).replace(U, 1, wanted, desk.deadline())) == (2, wanted)

    def test_what_is_used_stays_used(self, desk: Desk) -> None:
        desk.claim("a", VCPU=3)
        record = inventories(desk).replace(U, 2, {"VCPU": Inventory(5)}, desk.deadline())
        assert record.stocks["VCPU"].used == 3
        assert desk.discrepancies() == []

    def test_it_may_become_less_than_is_used(self, desk: Desk) -> None:
        desk.claim("a", VCPU=3)
        inventories(desk).replace(U, 2, {"VCPU": Inventory(2)}, desk.deadline())
        with pytest.raises(ClaimConflict):
            desk.claim("a", VCPU=1)
        assert [kind for kind, _ in desk.discrepancies()] == ["over_capacity"]

    def test_a_class_in_use_cannot_go(self, desk: Desk) -> None:
        desk.claim("a", VCPU=3, MEMORY_MB=1)
        with pytest.raises(InventoryInUse) as caught:
            inventories(desk).replace(U, 2, {"VCPU": CPUS}, desk.deadline())
        assert caught.value.fields == {"provider": U, "resource_classes": ("MEMORY_MB",)}
        assert desk.generation("a") == 2

    def test_a_provider_must_be_there(self, desk: Desk) -> None:
        with pytest.raises(ProviderNotFound):
            inventories(desk).replace(NOBODY, 0, {}, desk.deadline())


class TestAdd:
    def test_one_more_is_there_afterwards(self, desk: Desk) -> None:
        record = inventories(desk).add(U, "DISK_GB", Inventory(5), desk.deadline())
        assert shown(record) == (
            2, {"VCPU": CPUS, "MEMORY_MB": MEMORY, "DISK_GB": Inventory(5)},
        )  # fmt: skip

    def test_one_that_is_there_is_not_changed(self, desk: Desk) -> None:
        with pytest.raises(InventoryExists):
            inventories(desk).add(U, "VCPU", Inventory(5), desk.deadline())
        assert desk.generation("a") == 1

    def test_a_class_must_exist(self, desk: Desk) -> None:
        with pytest.raises(ResourceClassNotFound):
            inventories(desk).add(U, "CUSTOM_X", Inventory(5), desk.deadline())


class TestUpdate:
    def test_one_is_changed(self, desk: Desk) -> None:
        record = inventories(desk).update(U, 1, "VCPU", Inventory(5), desk.deadline())
        assert shown(record) == (2, {"VCPU": Inventory(5), "MEMORY_MB": MEMORY})

    def test_its_time_is_that_of_the_change(self, desk: Desk) -> None:
        desk.clock.advance(30)
        record = inventories(desk).update(U, 1, "VCPU", Inventory(5), desk.deadline())
        assert record.modified_at == float(int(desk.clock.now()))

    def test_it_counts_even_if_nothing_changes(self, desk: Desk) -> None:
        assert inventories(desk).update(U, 1, "VCPU", CPUS, desk.deadline()).generation == 2

    def test_another_generation_is_refused(self, desk: Desk) -> None:
        with pytest.raises(GenerationConflict):
            inventories(desk).update(U, 0, "VCPU", CPUS, desk.deadline())

    @pytest.mark.parametrize("name", ["DISK_GB", "CUSTOM_X"])
    def test_one_that_is_not_there_is_told(self, desk: Desk, name: str) -> None:
        with pytest.raises(InventoryNotFound):
            inventories(desk).update(U, 1, name, CPUS, desk.deadline())


class TestRemove:
    def test_one_goes(self, desk: Desk) -> None:
        record = inventories(desk).remove(U, "VCPU", desk.deadline())
        assert shown(record) == (2, {"MEMORY_MB": MEMORY})

    def test_one_in_use_stays(self, desk: Desk) -> None:
        desk.claim("a", VCPU=1)
        with pytest.raises(InventoryInUse):
            inventories(desk).remove(U, "VCPU", desk.deadline())

    def test_one_that_is_not_there_is_told(self, desk: Desk) -> None:
        with pytest.raises(InventoryNotFound):
            inventories(desk).remove(U, "DISK_GB", desk.deadline())

    def test_all_go(self, desk: Desk) -> None:
        assert shown(inventories(desk).remove_all(U, desk.deadline())) == (2, {})
        assert shown(inventories(desk).remove_all(U, desk.deadline())) == (3, {})
        assert desk.discrepancies() == []

    def test_none_go_when_one_is_in_use(self, desk: Desk) -> None:
        consumer = desk.claim("a", VCPU=1)
        with pytest.raises(InventoryInUse) as caught:
            inventories(desk).remove_all(U, desk.deadline())
        assert caught.value.fields["resource_classes"] == ("VCPU",)
        assert desk.held(consumer).allocations == {U: {"VCPU": 1}}


def test_a_provider_with_nothing_has_no_time(desk: Desk) -> None:
    record = inventories(desk).remove_all(U, desk.deadline())
    assert record == StockRecord(2, {}, None)
