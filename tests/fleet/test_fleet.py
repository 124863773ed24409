"""What a fleet says of its providers, and how changes reach it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scheduler_lib.exceptions import ProviderNotFound
from scheduler_lib.fleet import Fleet, StaticKey
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import (
    HostFacts,
    ProviderChanged,
    ProviderRemoved,
    Stock,
    UsageChanged,
)
from scheduler_lib.model.settings import Accounting
from tests.fleet.builders import Forest, facts, uid


def used(fleet: Fleet, name: str, resource_class: str = "VCPU") -> int:
    stock = fleet.stock(resource_class)
    assert stock is not None
    return stock.cell("used", stock.slot(fleet.row(uid(name))))


def test_a_tree_is_the_root_then_depth_first_by_name() -> None:
    forest = Forest().add("root")
    for name, under in (("b", "root"), ("a", "root"), ("b1", "b"), ("a2", "a"), ("a1", "a")):
        forest.add(name, under=under)
    fleet = forest.fleet()
    names = [fleet.name(row) for row in fleet.tree(fleet.row(uid("root")))]
    assert names == ["root", "a", "a1", "a2", "b", "b1"]


def test_an_unknown_provider_is_an_error_that_names_it() -> None:
    with pytest.raises(ProviderNotFound) as caught:
        Fleet().row("nobody")
    assert caught.value.fields["provider"] == "nobody"


def test_changes_about_providers_that_are_gone_do_nothing() -> None:
    fleet = Forest().add("h", {"VCPU": 4}, host=True).fleet()
    fleet.apply([UsageChanged("nobody", "VCPU", 3), UsageChanged(uid("h"), "CUSTOM_X", 3)])
    fleet.apply([ProviderRemoved("nobody"), ProviderRemoved(uid("h")), ProviderRemoved(uid("h"))])
    assert fleet.host_count == 0


class TestConsume:
    def test_it_adds_and_a_negative_amount_gives_back(self) -> None:
        fleet = Forest().add("h", {"VCPU": 4}, host=True).fleet()
        fleet.consume([(uid("h"), "VCPU", 3)])
        assert used(fleet, "h") == 3
        fleet.consume([(uid("h"), "VCPU", -2)])
        assert used(fleet, "h") == 1

    @pytest.mark.parametrize("wrong", [("nobody", "VCPU"), (uid("h"), "DISK_GB")])
    def test_nothing_is_consumed_when_one_inventory_is_missing(
        self, wrong: tuple[str, str]
    ) -> None:
        fleet = Forest().add("h", {"VCPU": 4}, host=True).add("i", {"DISK_GB": 1}).fleet()
        with pytest.raises(ProviderNotFound):
            fleet.consume([(uid("h"), "VCPU", 3), (*wrong, 1)])
        assert used(fleet, "h") == 0


class TestReportedAccounting:
    @staticmethod
    def fleet(**numbers: float) -> tuple[Fleet, ProviderChanged]:
        about = facts("h", numbers=numbers)
        stocks = {"VCPU": Stock(Inventory(8), 1), "CUSTOM_X": Stock(Inventory(8), 1)}
        forest = Forest().add("h", stocks, host=about)
        fleet = Fleet(accounting=Accounting.REPORTED)
        change = ProviderChanged(forest.providers["h"])
        fleet.apply([change])
        return fleet, change

    def test_the_report_says_how_much_is_used(self) -> None:
        fleet, _ = self.fleet(vcpus_used=5.0)
        assert (used(fleet, "h"), used(fleet, "h", "CUSTOM_X")) == (5, 1)

    def test_the_reserve_which_trackers_count_as_used_is_not_taken_off_twice(self) -> None:
        about = facts("h", numbers={"memory_mb_used": 512.0})
        stocks = {"MEMORY_MB": Stock(Inventory(4096, reserved=512))}
        fleet = Fleet(accounting=Accounting.REPORTED)
        forest = Forest().add("h", stocks, host=about)
        fleet.apply([ProviderChanged(forest.providers["h"])])
        assert fleet.hosts(StaticKey()).free("MEMORY_MB").tolist() == [4096 - 512]

    def test_a_report_of_less_than_the_reserve_uses_nothing(self) -> None:
        about = facts("h", numbers={"vcpus_used": 1.0})
        fleet = Fleet(accounting=Accounting.REPORTED)
        forest = Forest().add("h", {"VCPU": Stock(Inventory(8, reserved=2))}, host=about)
        fleet.apply([ProviderChanged(forest.providers["h"])])
        assert fleet.hosts(StaticKey()).free("VCPU").tolist() == [6]

    def test_what_was_never_reported_is_taken_from_the_books(self) -> None:
        fleet, _ = self.fleet()
        assert used(fleet, "h") == 1
        fleet.apply([UsageChanged(uid("h"), "VCPU", 2)])
        assert used(fleet, "h") == 2

    def test_claims_in_the_books_do_not_count_and_consumption_does_until_the_next_report(
        self,
    ) -> None:
        fleet, report = self.fleet(vcpus_used=5.0)
        fleet.apply([UsageChanged(uid("h"), "VCPU", 2), UsageChanged(uid("h"), "CUSTOM_X", 2)])
        assert (used(fleet, "h"), used(fleet, "h", "CUSTOM_X")) == (5, 2)
        fleet.consume([(uid("h"), "VCPU", 1)])
        assert used(fleet, "h") == 6
        fleet.apply([report])
        assert used(fleet, "h") == 5


class TestHostRows:
    @staticmethod
    def fleet() -> Fleet:
        forest = Forest()
        for host, node in (("Rack1", "n2"), ("rack1", "N2"), ("rack1", "n1"), ("other", "n1")):
            name = f"{host}/{node}"
            forest.add(name, host=HostFacts(host, node, {}, {}))
        return forest.fleet()

    @pytest.mark.parametrize(
        ("host", "node", "names"),
        [
            ("RACK1", None, ["Rack1/n2", "rack1/N2", "rack1/n1"]),
            ("rack1", "n2", ["Rack1/n2"]),
            (None, "n1", ["other/n1", "rack1/n1"]),
            (None, None, ["Rack1/n2", "other/n1", "rack1/N2", "rack1/n1"]),
            ("nobody", None, []),
        ],
    )
    def test_hosts_are_found_whatever_their_case_and_nodes_exactly(
        self, host: str | None, node: str | None, names: list[str]
    ) -> None:
        fleet = self.fleet()
        assert [fleet.name(row) for row in fleet.host_rows(host, node)] == names

    def test_a_new_host_is_found(self) -> None:
        fleet = self.fleet()
        assert not len(fleet.host_rows("new", None))
        fleet.apply([ProviderChanged(Forest().add("new", host=True).providers["new"])])
        assert len(fleet.host_rows("NEW", None)) == 1


def test_what_has_been_seen_is_known() -> None:
    fleet = Forest().add("h", {"VCPU": 4}, traits={"HW_A"}, host=True).fleet()
    assert fleet.knows_trait("HW_A")
    assert fleet.knows_class("VCPU")
    assert not fleet.knows_trait("HW_B")
    assert not fleet.knows_class("DISK_GB")


def test_more_traits_than_one_word_holds() -> None:
    many = {f"CUSTOM_T{number}" for number in range(150)}
    forest = Forest().add("h", host=True, traits=many).add("i", host=True, traits={"CUSTOM_T149"})
    fleet = forest.fleet()
    assert fleet.traits(fleet.row(uid("h"))) == many
    for name, count in (("CUSTOM_T149", 2), ("CUSTOM_T63", 1), ("CUSTOM_T64", 1)):
        assert len(fleet.hosts(StaticKey(required=frozenset({name})))) == count


def test_a_provider_whose_parent_has_not_arrived_keeps_its_place() -> None:
    forest = Forest().add("root", host=True).add("mid", under="root").add("leaf", under="mid")
    fleet = Fleet()
    for name in ("leaf", "root", "mid"):
        fleet.apply([ProviderChanged(forest.providers[name])])
    root = fleet.row(uid("root"))
    assert [fleet.name(row) for row in fleet.tree(root)] == ["root", "mid", "leaf"]


def test_a_root_that_left_too_early_leaves_its_place_to_nobody_else() -> None:
    forest = Forest().add("root", host=True).add("mid", under="root").add("leaf", under="mid")
    fleet = Fleet()
    fleet.apply(ProviderChanged(forest.providers[name]) for name in ("leaf", "root"))
    fleet.apply([ProviderRemoved(uid("root"))])
    fleet.apply([ProviderChanged(Forest().add("other", host=True).providers["other"])])
    other = fleet.row(uid("other"))
    assert fleet.root(fleet.row(uid("leaf"))) != other
    assert fleet.tree(other) == (other,)


def test_rows_are_used_again() -> None:
    fleet = Forest().add("h", {"VCPU": 4}, host=True).fleet()
    for number in range(300):
        name = f"g{number}"
        fleet.apply(
            [
                ProviderChanged(Forest().add(name, {"VCPU": 4}, host=True).providers[name]),
                ProviderRemoved(uid(name)),
            ]
        )
    assert len(fleet.state.rows) == 2
    stock = fleet.stock("VCPU")
    assert stock is not None
    assert len(stock.rows) == 2


def test_a_provider_that_moves_under_another_is_no_host_any_more() -> None:
    forest = Forest().add("a", {"VCPU": 4}, host=True).add("b", {"VCPU": 4}, host=True)
    fleet = forest.fleet()
    moved = replace(forest.providers["b"], root_uuid=uid("a"), parent_uuid=uid("a"))
    fleet.apply([ProviderChanged(moved)])
    stock = fleet.stock("VCPU")
    assert stock is not None
    assert (fleet.host_count, stock.nested) == (1, 1)
    assert [fleet.name(row) for row in fleet.tree(fleet.row(uid("a")))] == ["a", "b"]
