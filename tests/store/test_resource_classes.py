"""Resource classes: which there are, and how one gets another name."""

from __future__ import annotations

from uuid import uuid4

import os_resource_classes
import pytest

from scheduler_lib.exceptions import (
    InvalidRequest,
    ResourceClassExists,
    ResourceClassInUse,
    ResourceClassNotFound,
)
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.store.resource_classes import ResourceClasses
from tests.store.conftest import Desk, OpenDesk

U = str(uuid4())
STANDARD = list(os_resource_classes.STANDARDS)


def classes(desk: Desk) -> ResourceClasses:
    return desk.store.resource_classes


def listed(desk: Desk) -> list[str]:
    return [record.name for record in classes(desk).list(desk.deadline())]


@pytest.fixture
def desk(desk: Desk) -> Desk:
    desk.store.providers.create(U, "a", None, desk.deadline())
    return desk


class TestCatalogue:
    def test_standard_ones_come_first_and_in_their_order(self, desk: Desk) -> None:
        assert listed(desk) == STANDARD
        for name in ("CUSTOM_B", "CUSTOM_A"):
            assert classes(desk).create(name, desk.deadline())[1]
        desk.store.inventories.add(U, "PCPU", Inventory(1), desk.deadline())
        assert listed(desk) == [*STANDARD, "CUSTOM_B", "CUSTOM_A"]

    def test_one_is_made_once(self, desk: Desk) -> None:
        made, new = classes(desk).create("CUSTOM_A", desk.deadline())
        assert new
        assert classes(desk).create("CUSTOM_A", desk.deadline()) == (made, False)
        assert classes(desk).get("CUSTOM_A", desk.deadline()) == made

    @pytest.mark.parametrize("name", ["VCPU", "OTHER", "CUSTOM_a", ""])
    def test_only_names_of_ones_own_are_made(self, desk: Desk, name: str) -> None:
        with pytest.raises(InvalidRequest):
            classes(desk).create(name, desk.deadline())

    def test_one_that_is_removed_is_gone_until_it_is_made_again(self, desk: Desk) -> None:
        for _ in range(2):
            assert classes(desk).create("CUSTOM_A", desk.deadline())[1]
            classes(desk).remove("CUSTOM_A", desk.deadline())
            assert listed(desk) == STANDARD
            assert classes(desk).missing(["CUSTOM_A"], desk.deadline()) == {"CUSTOM_A"}
            for call in (classes(desk).get, classes(desk).remove):
                with pytest.raises(ResourceClassNotFound):
                    call("CUSTOM_A", desk.deadline())

    def test_standard_ones_stay(self, desk: Desk) -> None:
        for _ in range(2):
            with pytest.raises(InvalidRequest):
                classes(desk).remove("VCPU", desk.deadline())
            desk.report("h1", vcpus=4)

    def test_one_that_a_provider_has_stays(self, desk: Desk) -> None:
        classes(desk).create("CUSTOM_A", desk.deadline())
        desk.store.inventories.add(U, "CUSTOM_A", Inventory(1), desk.deadline())
        with pytest.raises(ResourceClassInUse):
            classes(desk).remove("CUSTOM_A", desk.deadline())
        desk.store.inventories.remove_all(U, desk.deadline())
        classes(desk).remove("CUSTOM_A", desk.deadline())

    def test_a_report_makes_a_removed_one_again(self, desk: Desk) -> None:
        desk.report("h1", inventories={"CUSTOM_A": {"total": 3}})
        desk.report("h1", inventories={})
        classes(desk).remove("CUSTOM_A", desk.deadline())
        desk.report("h1", inventories={"CUSTOM_A": {"total": 4}})
        assert listed(desk) == [*STANDARD, "CUSTOM_A"]
        assert desk.providers()["h1"].stocks["CUSTOM_A"].inventory.total == 4


class TestRename:
    @pytest.fixture
    def desk(self, desk: Desk) -> Desk:
        classes(desk).create("CUSTOM_A", desk.deadline())
        desk.store.inventories.add(U, "CUSTOM_A", Inventory(5), desk.deadline())
        return desk

    def test_all_that_stands_under_it_follows(self, desk: Desk) -> None:
        consumer = desk.claim("a", CUSTOM_A=2)
        generation = desk.generation("a")
        assert classes(desk).rename("CUSTOM_A", "CUSTOM_B", desk.deadline()).name == "CUSTOM_B"
        assert listed(desk) == [*STANDARD, "CUSTOM_B"]
        stocks = desk.store.inventories.of(U, desk.deadline()).stocks
        assert {name: stock.used for name, stock in stocks.items()} == {"CUSTOM_B": 2}
        assert desk.held(consumer).allocations == {U: {"CUSTOM_B": 2}}
        assert desk.generation("a") == generation
        assert desk.discrepancies() == []

    def test_readers_of_the_feed_are_told(self, desk: Desk) -> None:
        with desk.store.feed.load() as (cursor, _):
            pass
        classes(desk).rename("CUSTOM_A", "CUSTOM_B", desk.deadline())
        [change] = desk.store.feed.changes(cursor, desk.deadline()).changes
        assert list(change.provider.stocks) == ["CUSTOM_B"]  # type: ignore[union-attr]

    def test_a_process_that_knew_both_names_is_right_still(
        self, desk: Desk, open_desk: OpenDesk
    ) -> None:
        other = open_desk(desk.url)
        for old, new in (("CUSTOM_A", "CUSTOM_B"), ("CUSTOM_B", "CUSTOM_A")) * 2:
            assert list(other.providers()["a"].stocks) == [old]
            classes(desk).rename(old, new, desk.deadline())
            assert list(other.providers()["a"].stocks) == [new]

    def test_a_taken_name_is_refused(self, desk: Desk) -> None:
        classes(desk).create("CUSTOM_B", desk.deadline())
        with pytest.raises(ResourceClassExists):
            classes(desk).rename("CUSTOM_A", "CUSTOM_B", desk.deadline())

    def test_its_own_name_is_no_other(self, desk: Desk) -> None:
        assert classes(desk).rename("CUSTOM_A", "CUSTOM_A", desk.deadline()).name == "CUSTOM_A"

    @pytest.mark.parametrize(("old", "new"), [("VCPU", "CUSTOM_B"), ("CUSTOM_A", "PCPU")])
    def test_standard_names_stay_what_they_are(self, desk: Desk, old: str, new: str) -> None:
        with pytest.raises(InvalidRequest):
            classes(desk).rename(old, new, desk.deadline())

    def test_one_that_is_not_there_is_told(self, desk: Desk) -> None:
        with pytest.raises(ResourceClassNotFound):
            classes(desk).rename("CUSTOM_X", "CUSTOM_B", desk.deadline())


def test_another_process_sees_what_was_done(desk: Desk, open_desk: OpenDesk) -> None:
    other = open_desk(desk.url)
    for _ in range(2):
        with pytest.raises(ResourceClassNotFound):
            desk.store.inventories.add(U, "CUSTOM_A", Inventory(1), desk.deadline())
        classes(other).create("CUSTOM_A", other.deadline())
        desk.store.inventories.add(U, "CUSTOM_A", Inventory(1), desk.deadline())
        desk.store.inventories.remove_all(U, desk.deadline())
        classes(other).remove("CUSTOM_A", other.deadline())
