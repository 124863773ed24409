"""Static classes: who is in, and when their numbers are read anew."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from scheduler_lib.fleet import Fleet, HostClass, StaticKey
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import ProviderChanged, Stock, UsageChanged
from tests.fleet.builders import Forest, facts, uid


def forest() -> Forest:
    found = Forest()
    for name, trait, zone in (("c", "HW_A", "east"), ("a", "HW_A", None), ("b", "HW_B", "east")):
        about = facts(name, availability_zone=zone)
        found.add(name, {"VCPU": 8}, traits={trait}, aggregates="A", host=about)
    return found.add("pool", {"DISK_GB": 9}, shares=True)


def names(members: HostClass) -> list[str]:
    return [members.host(place).host for place in range(len(members))]


def put(fleet: Fleet, source: Forest, name: str, **changed: object) -> None:
    source.providers[name] = replace(source.providers[name], **changed)  # type: ignore[arg-type]
    fleet.apply([ProviderChanged(source.providers[name])])


def test_hosts_come_by_name_and_other_roots_stay_out() -> None:
    assert names(forest().fleet().hosts(StaticKey())) == ["a", "b", "c"]


def test_counts_say_how_many_each_check_left() -> None:
    key = StaticKey(
        required=frozenset({"HW_A"}),
        forbidden=frozenset({"HW_C"}),
        member_of=(frozenset({uid("A")}),),
        zone="east",
        enabled_only=True,
    )
    members = forest().fleet().hosts(key)
    assert names(members) == ["c"]
    assert [(count.check, count.before, count.after) for count in members.counts] == [
        ("disabled", 3, 3),
        ("forced_down", 3, 3),
        ("availability_zone", 3, 2),
        ("aggregates", 2, 2),
        ("trait:HW_A", 2, 1),
        ("trait:!HW_C", 1, 1),
    ]


def test_hosts_without_a_zone_are_in_the_default_one() -> None:
    assert names(forest().fleet().hosts(StaticKey(zone="nova"))) == ["a"]
    assert names(forest().fleet().hosts(StaticKey(zone="nowhere"))) == []


class TestWhenAClassIsBuiltAnew:
    KEY = StaticKey(required=frozenset({"HW_A"}))

    def test_not_for_usage_inventories_numbers_or_traits_it_does_not_look_at(self) -> None:
        source = forest()
        fleet = source.fleet()
        members = fleet.hosts(self.KEY)
        fleet.apply([UsageChanged(uid("a"), "VCPU", 3)])
        put(fleet, source, "b", traits=frozenset({"HW_C"}))
        put(fleet, source, "a", stocks={"VCPU": Stock(Inventory(4))})
        put(fleet, source, "a", facts=facts("a", numbers={"vcpus": 3.0}, last_seen_up=9.0))
        assert fleet.hosts(self.KEY) is members

    def test_for_a_trait_it_looks_at(self) -> None:
        source = forest()
        fleet = source.fleet()
        members = fleet.hosts(self.KEY)
        put(fleet, source, "b", traits=frozenset({"HW_A"}))
        assert fleet.hosts(self.KEY) is not members
        assert names(fleet.hosts(self.KEY)) == ["a", "b", "c"]

    def test_for_a_host_that_comes_or_is_renamed(self) -> None:
        source = forest()
        fleet = source.fleet()
        assert names(fleet.hosts(self.KEY)) == ["a", "c"]
        put(fleet, source, "a", facts=facts("z"))
        assert names(fleet.hosts(self.KEY)) == ["c", "z"]

    def test_only_so_many_are_kept(self) -> None:
        fleet = forest().fleet()
        members = fleet.hosts(StaticKey())
        for number in range(63):
            fleet.hosts(StaticKey(zone=f"z{number}"))
        assert fleet.hosts(StaticKey()) is members
        for number in range(64):
            fleet.hosts(StaticKey(zone=f"z{number}"))
        assert fleet.hosts(StaticKey()) is not members


class TestColumns:
    def test_nothing_is_copied_while_nothing_changes(self) -> None:
        fleet = forest().fleet()
        members = fleet.hosts(StaticKey())
        assert members.free("VCPU") is members.free("VCPU")
        assert members.number("vcpus") is members.number("vcpus")

    def test_changes_are_written_into_the_same_array(self) -> None:
        fleet = forest().fleet()
        members = fleet.hosts(StaticKey())
        free = members.free("VCPU")
        fleet.consume([(uid("b"), "VCPU", 5)])
        assert members.free("VCPU") is free
        assert free.tolist() == [8, 3, 8]

    def test_callers_cannot_write(self) -> None:
        members = forest().fleet().hosts(StaticKey())
        for array in (members.free("VCPU"), members.number("vcpus"), members.rows):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1

    def test_a_class_the_root_lacks_reads_minus_one(self) -> None:
        source = forest().add("a0", {"PCI": 4}, under="a")
        members = source.fleet().hosts(StaticKey())
        for name in ("PCI", "UNHEARD_OF"):
            assert members.free(name).tolist() == [-1, -1, -1]
            assert members.capacity(name).tolist() == [-1, -1, -1]
            assert members.spare(name).tolist() == [-1, -1, -1]

    def test_spare_counts_no_ratio(self) -> None:
        source = forest()
        stock = Stock(Inventory(8, reserved=2, allocation_ratio=4.0), 10)
        source.add("a", {"VCPU": stock}, host=True)
        members = source.fleet().hosts(StaticKey())
        assert (members.free("VCPU")[0], members.capacity("VCPU")[0]) == (14, 24)
        assert members.spare("VCPU")[0] == -4

    def test_allows_is_none_when_every_host_allows_the_amount(self) -> None:
        source = forest()
        fleet = source.fleet()
        members = fleet.hosts(StaticKey())
        assert members.allows("VCPU", 8) is None
        put(fleet, source, "b", stocks={"VCPU": Stock(Inventory(8, max_unit=4))})
        assert members.allows("VCPU", 4) is None
        allows = members.allows("VCPU", 8)
        assert allows is not None
        assert allows.tolist() == [True, False, True]

    def test_allows_takes_the_bounds_themselves(self) -> None:
        source = forest()
        fleet = source.fleet()
        put(fleet, source, "a", stocks={"VCPU": Stock(Inventory(8, min_unit=4))})
        put(fleet, source, "b", stocks={"VCPU": Stock(Inventory(8, max_unit=4))})
        put(fleet, source, "c", stocks={"VCPU": Stock(Inventory(8, min_unit=2, max_unit=3))})
        masks = {n: fleet.hosts(StaticKey()).allows("VCPU", n) for n in (2, 3, 4, 5)}
        assert {n: None if mask is None else mask.tolist() for n, mask in masks.items()} == {
            2: [False, True, True],
            3: [False, True, True],
            4: [True, True, False],
            5: [True, False, False],
        }

    def test_an_amount_must_suit_the_steps_of_all_to_be_allowed_by_all(self) -> None:
        source = forest()
        fleet = source.fleet()
        for name, step in (("a", 2), ("b", 3), ("c", 1)):
            put(fleet, source, name, stocks={"VCPU": Stock(Inventory(8, step_size=step))})
        members = fleet.hosts(StaticKey())
        assert members.allows("VCPU", 6) is None
        allows = [members.allows("VCPU", amount) for amount in (3, 4)]
        assert [None if mask is None else mask.tolist() for mask in allows] == [
            [False, True, True],
            [True, False, True],
        ]

    def test_capacities_beyond_32_bits_do_not_wrap(self) -> None:
        source = forest()
        fleet = source.fleet()
        members = fleet.hosts(StaticKey())
        assert members.free("VCPU").tolist() == [8, 8, 8]
        large = Inventory(2**31 - 1, allocation_ratio=16.0)
        put(fleet, source, "b", stocks={"VCPU": Stock(large)})
        assert fleet.hosts(StaticKey()).free("VCPU").tolist() == [8, large.capacity, 8]
        assert fleet.hosts(StaticKey()).capacity("VCPU").tolist() == [8, large.capacity, 8]

    def test_allows_is_judged_by_the_members_only(self) -> None:
        source = forest().add("tiny", {"VCPU": Inventory(1, max_unit=1)}, host=True)
        fleet = source.fleet()
        assert fleet.hosts(StaticKey()).allows("VCPU", 8) is not None
        assert fleet.hosts(StaticKey(zone="east")).allows("VCPU", 8) is None

    def test_positions_leave_out_who_is_not_in(self) -> None:
        fleet = forest().fleet()
        members = fleet.hosts(StaticKey(zone="east"))
        rows = np.array([fleet.row(uid(name)) for name in ("c", "a", "pool", "b")], dtype=np.int32)
        assert members.positions(rows).tolist() == [1, 0]


def test_equal_keys_are_one_key_also_after_pickling() -> None:
    key = StaticKey(required=frozenset({"HW_A"}), zone="east")
    twin = pickle.loads(pickle.dumps(key))
    assert (twin, hash(twin)) == (key, hash(key))


class TestViews:
    def test_a_view_shares_members_and_numbers_until_it_consumes(self) -> None:
        fleet = forest().fleet()
        members = fleet.hosts(StaticKey())
        before = members.free("VCPU")
        view = fleet.view()
        view.consume([(uid("a"), "VCPU", 8)])
        assert view.hosts(StaticKey()).rows is members.rows
        assert view.hosts(StaticKey()).free("VCPU").tolist() == [0, 8, 8]
        assert members.free("VCPU") is before
        assert before.tolist() == [8, 8, 8]

    def test_a_dropped_view_costs_its_base_no_copy(self) -> None:
        fleet = forest().fleet()
        stock = fleet.stock("VCPU")
        view = fleet.view()
        view.consume([(uid("a"), "VCPU", 8)])
        del view
        fleet.consume([(uid("a"), "VCPU", 1)])
        assert fleet.stock("VCPU") is stock

    def test_a_view_may_change_more_than_usage(self) -> None:
        source = forest()
        fleet = source.fleet()
        view = fleet.view()
        put(view, source, "b", traits=frozenset({"HW_A"}))
        key = StaticKey(required=frozenset({"HW_A"}))
        assert names(view.hosts(key)) == ["a", "b", "c"]
        assert names(fleet.hosts(key)) == ["a", "c"]

    def test_what_a_view_takes_away_keeps_its_place_in_the_base(self) -> None:
        source = forest()
        fleet = source.fleet()
        view = fleet.view()
        put(view, source, "b", stocks={})
        newcomer = forest().add("d", {"VCPU": 4}, host=True)
        fleet.apply([ProviderChanged(newcomer.providers["d"])])
        assert fleet.hosts(StaticKey()).free("VCPU").tolist() == [8, 8, 8, 4]
        assert view.hosts(StaticKey()).free("VCPU").tolist() == [8, -1, 8]
