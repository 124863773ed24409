"""Reshapes: inventories and claims move together, or not at all."""

from __future__ import annotations

from uuid import uuid4

import pytest

from scheduler_lib.exceptions import (
    ClaimConflict,
    ConsumerNotFound,
    GenerationConflict,
    InvalidRequest,
    InventoryInUse,
    ProviderNotFound,
    ResourceClassNotFound,
    SchedulerLibError,
)
from scheduler_lib.model.allocation import Claim, Receipt
from scheduler_lib.model.inventory import Inventory
from tests.store.conftest import Desk

A = str(uuid4())


class Shop:
    """A host with a child, and a consumer that holds cores and a card of the host."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        own = {"VCPU": {"total": 8}, "VGPU": {"total": 4}}
        desk.report("host", inventories=own, children=[{"name": "card"}])
        self.host, self.card = desk.uuid("host"), desk.uuid("card")
        desk.claim("host", A, VCPU=2, VGPU=1)
        self.before = self.generations()

    def generations(self) -> tuple[int, int]:
        return self.desk.generation("host"), self.desk.generation("card")

    def counted(self) -> tuple[int, int]:
        host, card = self.generations()
        return host - self.before[0], card - self.before[1]

    def reshape(
        self,
        host: dict[str, int] | None,
        card: dict[str, int] | None,
        *claims: Claim,
        generation: int | None = None,
    ) -> Receipt:
        inventories = {}
        for uuid, totals, found in zip(
            (self.host, self.card), (host, card), self.generations(), strict=True
        ):
            if totals is not None:
                wanted = {name: Inventory(total) for name, total in totals.items()}
                inventories[uuid] = (found if generation is None else generation, wanted)
        return self.desk.store.reshapes.write(inventories, claims, self.desk.deadline())

    def held(self) -> dict[str, dict[str, int]]:
        return {uuid: dict(held) for uuid, held in self.desk.held(A).allocations.items()}

    def state(self) -> object:
        providers = {
            name: {key: (stock.inventory, stock.used) for key, stock in provider.stocks.items()}
            for name, provider in self.desk.providers().items()
        }
        return providers, self.generations(), self.held(), self.desk.newest_change()


@pytest.fixture
def shop(desk: Desk) -> Shop:
    return Shop(desk)


def test_a_class_in_use_moves_to_another_provider(shop: Shop) -> None:
    moved = Claim(A, {shop.host: {"VCPU": 2}, shop.card: {"VGPU": 1}}, consumer_generation=1)
    receipt = shop.reshape({"VCPU": 8}, {"VGPU": 4}, moved)
    assert shop.held() == {shop.host: {"VCPU": 2}, shop.card: {"VGPU": 1}}
    assert shop.desk.used("host") == {"VCPU": 2}
    assert shop.desk.used("card") == {"VGPU": 1}
    assert set(shop.desk.providers()["host"].stocks) == {"VCPU"}
    assert len(receipt.change_ids) >= 2
    assert shop.desk.discrepancies() == []


def test_generations_are_counted_as_placement_counts_them(shop: Shop) -> None:
    moved = Claim(A, {shop.host: {"VCPU": 2}, shop.card: {"VGPU": 1}}, consumer_generation=1)
    shop.reshape({"VCPU": 8}, {"VGPU": 4}, moved)
    assert shop.counted() == (3, 3)
    shop.before = shop.generations()
    shop.reshape({"VCPU": 8}, {"VGPU": 4})
    assert shop.counted() == (2, 2)
    shop.before = shop.generations()
    all_away = Claim(A, {shop.card: {"VCPU": 2, "VGPU": 1}}, consumer_generation=2)
    shop.reshape({}, {"VCPU": 8, "VGPU": 4}, all_away)
    assert shop.counted() == (1, 3)
    shop.before = shop.generations()
    receipt = shop.reshape({"VCPU": 3}, None, Claim(A, {}, consumer_generation=3))
    assert shop.counted() == (2, 1)
    assert receipt.released == (A,)
    with pytest.raises(ConsumerNotFound):
        shop.held()


def test_the_feed_tells_of_both_providers(shop: Shop) -> None:
    with shop.desk.store.feed.load() as (cursor, _):
        pass
    moved = Claim(A, {shop.host: {"VCPU": 2}, shop.card: {"VGPU": 1}}, consumer_generation=1)
    receipt = shop.reshape({"VCPU": 8}, {"VGPU": 4}, moved)
    batch = shop.desk.store.feed.changes(cursor, shop.desk.deadline())
    told = {change.provider.uuid: change.provider for change in batch.changes}  # type: ignore[union-attr]
    assert told.keys() == {shop.host, shop.card}
    assert told[shop.card].stocks["VGPU"].used == 1
    assert max(receipt.change_ids) == shop.desk.newest_change()


def test_what_was_held_all_along_may_stay_in_a_shrunk_inventory(shop: Shop) -> None:
    same = Claim(A, {shop.host: {"VCPU": 2, "VGPU": 1}}, consumer_generation=1)
    shop.reshape({"VCPU": 1, "VGPU": 4}, None, same)
    assert shop.desk.used("host") == {"VCPU": 2, "VGPU": 1}


def _claim(shop: Shop, **amounts: int) -> Claim:
    return Claim(A, {shop.host: amounts}, consumer_generation=1)


class TestRefusals:
    """A reshape that fails leaves no trace."""

    @pytest.fixture(autouse=True)
    def _nothing_changes(self, shop: Shop) -> object:
        before = shop.state()
        yield
        assert shop.state() == before
        assert shop.desk.discrepancies() == []

    def _fails(self, error: type[SchedulerLibError], shop: Shop, *args: object, **given: object):  # type: ignore[no-untyped-def]
        with pytest.raises(error) as caught:
            shop.reshape(*args, **given)  # type: ignore[arg-type]
        return caught.value.fields

    def test_of_a_stale_provider(self, shop: Shop) -> None:
        fields = self._fails(GenerationConflict, shop, {"VCPU": 8}, None, generation=99)
        assert (fields["kind"], fields["uuid"], fields["expected"]) == ("provider", shop.host, 99)

    def test_of_a_stale_consumer(self, shop: Shop) -> None:
        claim = Claim(A, {shop.host: {"VCPU": 2}}, consumer_generation=7)
        assert self._fails(GenerationConflict, shop, {"VCPU": 8}, None, claim)["kind"] == "consumer"

    def test_that_drops_a_class_that_is_still_held(self, shop: Shop) -> None:
        fields = self._fails(InventoryInUse, shop, {"VCPU": 8}, {"VGPU": 4})
        assert fields == {"provider": shop.host, "resource_classes": ["VGPU"]}
        fields = self._fails(InventoryInUse, shop, {}, None)
        assert fields["resource_classes"] == ["VCPU", "VGPU"]

    def test_whose_claims_do_not_fit(self, shop: Shop) -> None:
        for totals, amounts, why in (
            ({"VCPU": 8}, {"VCPU": 9}, "capacity"),
            ({"VCPU": 1}, {"VCPU": 3}, "capacity"),
            ({"VCPU": 8}, {"DISK_GB": 1}, "inventory"),
        ):
            fields = self._fails(ClaimConflict, shop, totals, {}, _claim(shop, **amounts))
            assert fields["why"] == why

    def test_of_a_provider_that_is_not_there(self, shop: Shop) -> None:
        unknown = str(uuid4())
        claim = Claim(A, {unknown: {"VCPU": 1}}, consumer_generation=1)
        assert self._fails(ProviderNotFound, shop, {"VCPU": 8}, None, claim)["provider"] == unknown
        with pytest.raises(ProviderNotFound):
            shop.desk.store.reshapes.write({unknown: (0, {})}, [], shop.desk.deadline())

    def test_of_a_class_that_nobody_made(self, shop: Shop) -> None:
        fields = self._fails(ResourceClassNotFound, shop, {"CUSTOM_NO": 8}, None)
        assert fields["resource_class"] == "CUSTOM_NO"
        self._fails(ResourceClassNotFound, shop, {"VCPU": 8}, None, _claim(shop, CUSTOM_NO=1))

    def test_that_means_nothing(self, shop: Shop) -> None:
        self._fails(InvalidRequest, shop, {"vcpu": 8}, None)
        twice = {shop.host: (1, {}), shop.host.upper(): (1, {})}
        with pytest.raises(InvalidRequest):
            shop.desk.store.reshapes.write(twice, [], shop.desk.deadline())


def test_an_empty_reshape_changes_nothing(shop: Shop) -> None:
    before = shop.state()
    assert shop.desk.store.reshapes.write({}, [], shop.desk.deadline()) == Receipt()
    assert shop.state() == before
