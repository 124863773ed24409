"""Which candidates there are: the documented pictures, rule by rule."""

from __future__ import annotations

import itertools
import time

import pytest

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import ProviderChanged, ProviderRemoved, Stock
from scheduler_lib.model.request import ResourceGroup
from scheduler_lib.placement import Search
from tests.fleet.builders import Forest, uid
from tests.placement.asking import ask, group, named

NOTHING = ResourceGroup()


def numa() -> Forest:
    forest = Forest().add("SS1", {"DISK_GB": 1000}, aggregates="A", shares=True)
    forest.add("CN1", {"MEMORY_MB": 1024, "DISK_GB": 1000}, aggregates="AB", host=True)
    forest.add("CN2", {"MEMORY_MB": 1024, "DISK_GB": 1000}, aggregates="A", host=True)
    forest.add("NUMA1_1", {"VCPU": 8}, under="CN1").add("NUMA1_2", {"VCPU": 8}, under="CN1")
    forest.add("NUMA2_1", {"VCPU": 8}, under="CN2", aggregates="B")
    return forest.add("NUMA2_2", {"VCPU": 8}, under="CN2")


def storage() -> Forest:
    forest = Forest().add("SS1", {"DISK_GB": 1000}, aggregates="A", shares=True)
    forest.add("SS2", {"DISK_GB": 1000}, shares=True)
    all_three = {"VCPU": 8, "MEMORY_MB": 1024, "DISK_GB": 1000}
    return forest.add("CN1", all_three, aggregates="A", host=True).add("CN2", all_three, host=True)


def aggregate(*letters: str) -> tuple[frozenset[str], ...]:
    return (frozenset(map(uid, letters)),)


class TestN01TheDocumentedNumaPicture:
    WHOLE = {"VCPU": 1, "MEMORY_MB": 512, "DISK_GB": 500}

    def test_each_class_may_come_from_another_provider_of_the_tree_or_a_sharing_one(self) -> None:
        fleet = numa().fleet()
        assert len(ask(fleet, group(**self.WHOLE))) == 8

    def test_an_aggregate_on_the_root_spans_the_tree(self) -> None:
        fleet = numa().fleet()
        assert len(ask(fleet, group(**self.WHOLE, member_of=aggregate("A")))) == 8

    def test_an_aggregate_on_a_child_does_not(self) -> None:
        fleet = numa().fleet()
        assert named(fleet, ask(fleet, group(**self.WHOLE, member_of=aggregate("B")))) == [
            "CN1:DISK_GB=500, CN1:MEMORY_MB=512, NUMA1_1:VCPU=1",
            "CN1:DISK_GB=500, CN1:MEMORY_MB=512, NUMA1_2:VCPU=1",
        ]

    def test_in_tree_leaves_sharing_providers_out(self) -> None:
        fleet = numa().fleet()
        assert len(ask(fleet, group(**self.WHOLE, in_tree=uid("NUMA1_1")))) == 2

    def test_in_tree_binds_its_own_group_only(self) -> None:
        fleet = numa().fleet()
        found = ask(fleet, group(VCPU=1, in_tree=uid("CN1")), group(DISK_GB=10))
        assert named(fleet, found) == [
            "CN1:DISK_GB=10, NUMA1_1:VCPU=1",
            "CN1:DISK_GB=10, NUMA1_2:VCPU=1",
            "NUMA1_1:VCPU=1, SS1:DISK_GB=10",
            "NUMA1_2:VCPU=1, SS1:DISK_GB=10",
        ]

    def test_an_unknown_tree_gives_nothing(self) -> None:
        assert ask(numa().fleet(), group(VCPU=1, in_tree=uid("nobody"))) == []


class TestN03WhichGroupGotWhichProvider:
    @staticmethod
    def cards() -> Forest:
        forest = Forest().add("CN", host=True)
        for name in ("N1", "N2"):
            forest.add(name, {"SRIOV_NET_VF": 8}, under="CN")
        return forest

    def test_isolate_gives_each_group_a_provider_of_its_own(self) -> None:
        fleet = self.cards().fleet()
        one = group(SRIOV_NET_VF=1)
        found = ask(fleet, NOTHING, one, one, group_policy="isolate")
        mapped = {tuple(fleet.name(item.mappings[s][0]) for s in ("_1", "_2")) for item in found}
        assert mapped == {("N1", "N2"), ("N2", "N1")}
        assert len(found) == 2

    def test_none_lets_groups_coincide_and_sums_their_amounts(self) -> None:
        fleet = self.cards().fleet()
        one = group(SRIOV_NET_VF=1)
        found = ask(fleet, NOTHING, one, one, group_policy="none")
        apart = "N1:SRIOV_NET_VF=1, N2:SRIOV_NET_VF=1"
        assert named(fleet, found) == [apart, apart, "N1:SRIOV_NET_VF=2", "N2:SRIOV_NET_VF=2"]


class TestS01TheDocumentedStoragePicture:
    def test_a_pool_serves_only_through_a_common_aggregate(self) -> None:
        fleet = storage().fleet()
        found = ask(fleet, group(VCPU=1, MEMORY_MB=512, DISK_GB=500))
        assert named(fleet, found) == [
            "CN1:DISK_GB=500, CN1:MEMORY_MB=512, CN1:VCPU=1",
            "CN1:MEMORY_MB=512, CN1:VCPU=1, SS1:DISK_GB=500",
            "CN2:DISK_GB=500, CN2:MEMORY_MB=512, CN2:VCPU=1",
        ]


class TestS03OnlyTheSharedClassIsAsked:
    def test_each_provider_is_one_candidate(self) -> None:
        fleet = storage().fleet()
        assert named(fleet, ask(fleet, group(DISK_GB=10))) == [
            f"{name}:DISK_GB=10" for name in ("CN1", "CN2", "SS1", "SS2")
        ]

    def test_a_host_of_the_pool_has_it_as_a_candidate_of_its_own(self) -> None:
        fleet = storage().fleet()
        search = Search(fleet, {"": group(DISK_GB=10)})
        found = search.on_root(fleet.row(uid("CN1")))
        assert named(fleet, found) == ["CN1:DISK_GB=10", "SS1:DISK_GB=10"]


class TestA02SharingOnlyThroughARealLink:
    @staticmethod
    def pools() -> Forest:
        forest = Forest().add("CN1", {"VCPU": 8}, aggregates="A", host=True)
        forest.add("SSA", {"DISK_GB": 1000}, aggregates="AX", shares=True)
        return forest.add("SSX", {"DISK_GB": 1000}, aggregates="X", shares=True)

    def test_a_pool_does_not_come_in_through_another_pool(self) -> None:
        fleet = self.pools().fleet()
        assert named(fleet, ask(fleet, group(VCPU=1, DISK_GB=10))) == ["CN1:VCPU=1, SSA:DISK_GB=10"]

    @pytest.mark.parametrize(("letter", "count"), [("X", 0), ("A", 1)])
    def test_every_provider_used_must_be_in_the_aggregate(self, letter: str, count: int) -> None:
        asked = group(VCPU=1, DISK_GB=10, member_of=aggregate(letter))
        assert len(ask(self.pools().fleet(), asked)) == count


class TestT04TraitsDoNotFlowAlongTheTree:
    SSL = frozenset({"HW_NIC_ACCEL_SSL"})
    WHOLE = {"VCPU": 1, "MEMORY_MB": 512, "DISK_GB": 500, "SRIOV_NET_VF": 2}

    def fleet(self):  # type: ignore[no-untyped-def]
        forest = Forest().add("CN", {"VCPU": 8, "MEMORY_MB": 1024, "DISK_GB": 1000}, host=True)
        forest.add("N1", {"SRIOV_NET_VF": 8}, under="CN", traits=self.SSL)
        return forest.add("N2", {"SRIOV_NET_VF": 8}, under="CN").fleet()

    def network(self, **rest: object) -> set[str]:
        fleet = self.fleet()
        return {
            fleet.name(row)
            for item in ask(fleet, group(**self.WHOLE, **rest))
            for row, name, _ in item.amounts
            if name == "SRIOV_NET_VF"
        }

    def test_a_required_trait_must_be_on_a_provider_that_is_used(self) -> None:
        assert self.network(required=self.SSL) == {"N1"}

    def test_a_forbidden_trait_may_be_on_none_that_is_used(self) -> None:
        assert self.network(forbidden=self.SSL) == {"N2"}

    def test_without_traits_both_serve(self) -> None:
        assert self.network() == {"N1", "N2"}

    def test_a_suffixed_group_needs_the_traits_on_its_one_provider(self) -> None:
        fleet = self.fleet()
        found = ask(fleet, NOTHING, group(VCPU=1, required=self.SSL))
        assert found == []


class TestN07SameSubtree:
    @staticmethod
    def forest() -> Forest:
        forest = Forest().add("CN", host=True)
        for name in ("N0", "N1"):
            forest.add(name, {"VCPU": 4, "MEMORY_MB": 2048}, under="CN", traits={"HW_NUMA_ROOT"})
        for name, under, trait in (("F00", "N0", 1), ("F10", "N1", 1), ("F11", "N1", 2)):
            forest.add(name, {"FPGA": 1}, under=under, traits={f"CUSTOM_TYPE{trait}"})
        return forest

    def count(self, groups: dict[str, ResourceGroup], *near: frozenset[str]) -> int:
        return len(list(Search(self.forest().fleet(), groups, same_subtree=near).candidates()))

    def test_one_of_the_providers_is_above_or_equal_to_all(self) -> None:
        groups = {"_C": group(VCPU=1, MEMORY_MB=256), "_A": group(FPGA=1)}
        assert self.count(groups, frozenset({"_C", "_A"})) == 3
        assert self.count(groups) == 6

    def test_a_group_without_resources_names_the_provider_above(self) -> None:
        groups = {
            "_N": group(required={"HW_NUMA_ROOT"}),
            "_A1": group(FPGA=1, required={"CUSTOM_TYPE1"}),
            "_A2": group(FPGA=1, required={"CUSTOM_TYPE2"}),
        }
        fleet = self.forest().fleet()
        search = Search(fleet, groups, same_subtree=(frozenset(groups),))
        (only,) = search.candidates()
        assert named(fleet, [only]) == ["F10:FPGA=1, F11:FPGA=1"]
        assert [fleet.name(row) for row in only.mappings["_N"]] == ["N1"]

    def test_elsewhere_a_group_must_ask_for_something(self) -> None:
        with pytest.raises(InvalidRequest) as caught:
            Search(self.forest().fleet(), {"_N": group(required={"X"}), "_A": group(FPGA=1)})
        assert caught.value.fields["field"] == "groups"


class TestN09WideTreesDoNotExplode:
    @staticmethod
    def search(groups: int, policy: str = "none") -> Search:
        forest = Forest().add("CN", host=True)
        for number in range(8):
            forest.add(f"D{number}", {"CUSTOM_DEV": 1}, under="CN")
        asked = {f"_{n}": group(CUSTOM_DEV=1) for n in range(groups)}
        return Search(forest.fleet(), asked, policy)

    @pytest.mark.parametrize(
        ("groups", "count"), list(enumerate([8, 56, 336, 1680, 6720, 20160, 40320, 40320], start=1))
    )
    def test_all_are_found_once_each(self, groups: int, count: int) -> None:
        found = {item.identity() for item in self.search(groups).candidates()}
        assert len(found) == count
        assert sum(1 for _ in self.search(groups).candidates()) == count

    def test_the_first_comes_at_once(self) -> None:
        started = time.perf_counter()
        assert len(list(self.search(8).candidates(1))) == 1
        assert time.perf_counter() - started < 0.1

    @pytest.mark.parametrize("policy", ["none", "isolate"])
    def test_one_group_too_many_is_refused_at_once(self, policy: str) -> None:
        search = self.search(9, policy)
        started = time.perf_counter()
        assert list(search.candidates()) == []
        assert next(search.on_root(0), None) is None
        assert time.perf_counter() - started < 0.1

    def test_groups_that_share_no_equal_demand_are_refused_at_once_too(self) -> None:
        forest = Forest().add("CN", host=True)
        for number in range(8):
            forest.add(f"D{number}", {"CUSTOM_DEV": 5}, under="CN")
        # 4 x 5 + 5 x 3 + 1 x 2 = 37 of 40 units, but what 3 leaves of 5 serves no other 3.
        asked = {f"_{n}": group(CUSTOM_DEV=size) for n, size in enumerate([5] * 4 + [3] * 5 + [2])}
        search = Search(forest.fleet(), asked)
        started = time.perf_counter()
        assert next(search.on_root(0), None) is None
        assert time.perf_counter() - started < 0.5

    @pytest.mark.parametrize("policy", ["none", "isolate"])
    def test_groups_that_no_subtree_holds_are_refused_at_once(self, policy: str) -> None:
        forest = Forest().add("CN", host=True)
        for node in ("N0", "N1"):
            forest.add(node, under="CN", traits={"HW_NUMA_ROOT"})
            for number in range(7):
                forest.add(f"{node}D{number}", {"CUSTOM_DEV": 1}, under=node)
        asked = {f"_{n}": group(CUSTOM_DEV=1) for n in range(8)}
        asked["_N"] = group(required={"HW_NUMA_ROOT"})
        search = Search(forest.fleet(), asked, policy, same_subtree=(frozenset(asked),))
        started = time.perf_counter()
        assert next(search.on_root(0), None) is None
        assert time.perf_counter() - started < 0.5
        del asked["_7"]
        search = Search(forest.fleet(), asked, policy, same_subtree=(frozenset(asked),))
        assert len(list(search.candidates(3))) == 3


class TestAmounts:
    @pytest.mark.parametrize(("amount", "count"), [(5, 0), (10, 1), (15, 0), (50, 1), (60, 0)])
    def test_m11_min_unit_max_unit_and_step_size_hold(self, amount: int, count: int) -> None:
        inventory = Inventory(100, min_unit=10, max_unit=50, step_size=10)
        fleet = Forest().add("CN", {"DISK_GB": inventory}, host=True).fleet()
        assert len(ask(fleet, group(DISK_GB=amount))) == count
        search = Search(fleet, {"": group(DISK_GB=amount)})
        assert bool(search.root_mask().any()) == bool(count)

    def test_m27_what_is_left_beside_the_step_serves_nobody(self) -> None:
        stock = Stock(Inventory(25, step_size=10), used=20)
        fleet = Forest().add("CN", {"DISK_GB": stock}, host=True).fleet()
        assert ask(fleet, group(DISK_GB=10)) == []
        assert ask(fleet, group(DISK_GB=5)) == []

    def test_merged_amounts_stay_within_what_is_left(self) -> None:
        fleet = Forest().add("CN", {"VCPU": Stock(Inventory(4), used=2)}, host=True).fleet()
        two = group(VCPU=2)
        assert len(ask(fleet, NOTHING, two)) == 1
        assert ask(fleet, NOTHING, two, two) == []

    def test_merged_amounts_stay_within_max_unit(self) -> None:
        fleet = Forest().add("CN", {"VCPU": Inventory(8, max_unit=3)}, host=True).fleet()
        assert len(ask(fleet, group(VCPU=1), group(VCPU=2))) == 1
        assert ask(fleet, group(VCPU=2), group(VCPU=2)) == []

    def test_steps_hold_for_each_group_not_for_the_sum(self) -> None:
        fleet = Forest().add("CN", {"VCPU": Inventory(8, step_size=2)}, host=True).fleet()
        assert ask(fleet, group(VCPU=1), group(VCPU=1)) == []
        assert len(ask(fleet, group(VCPU=2), group(VCPU=2))) == 1

    def test_m23_amounts_beyond_32_bits_do_not_wrap(self) -> None:
        big = Inventory(2**31 - 1, allocation_ratio=16.0)
        fleet = Forest().add("CN", {"MEMORY_MB": Stock(big, used=2**34)}, host=True).fleet()
        assert len(ask(fleet, group(MEMORY_MB=2**31 - 1))) == 1

    def test_what_was_oversold_serves_nobody(self) -> None:
        fleet = Forest().add("CN", {"VCPU": Stock(Inventory(4), used=9)}, host=True).fleet()
        assert ask(fleet, group(VCPU=1)) == []

    def test_a_class_nobody_has_gives_nothing(self) -> None:
        fleet = Forest().add("CN", {"VCPU": 4}, host=True).fleet()
        assert ask(fleet, group(VCPU=1, CUSTOM_X=1)) == []
        assert ask(fleet, NOTHING, group(CUSTOM_X=1), group(CUSTOM_X=1)) == []


class TestRoots:
    def test_only_the_trees_own_root_is_looked_at(self) -> None:
        forest = storage()
        forest.add("CN3", {"VCPU": 8}, aggregates="A", traits={"HW_X"}, host=True)
        fleet = forest.fleet()
        asked = group(VCPU=1, DISK_GB=10)
        assert named(fleet, ask(fleet, asked, root_required=frozenset({"HW_X"}))) == [
            "CN3:VCPU=1, SS1:DISK_GB=10"
        ]
        without = ask(fleet, asked, root_forbidden=frozenset({"HW_X"}))
        assert len(without) == 3

    def test_conditions_without_resources_belong_on_the_root(self) -> None:
        with pytest.raises(InvalidRequest, match="asks for no resources") as caught:
            Search(numa().fleet(), {"": group(required={"X"}), "_1": group(VCPU=1)})
        assert "root_required" in caught.value.hint


class TestOrder:
    @staticmethod
    def devices(*used: int) -> Forest:
        forest = Forest().add("CN", host=True)
        for number, amount in enumerate(used):
            forest.add(f"D{number}", {"GPU": Stock(Inventory(1000), amount)}, under="CN")
        return forest

    def first(self, *used: int, order: str) -> str:
        fleet = self.devices(*used).fleet()
        search = Search(fleet, {"_1": group(GPU=200)})
        return fleet.name(next(search.on_root(0, order=order)).amounts[0][0])

    def test_the_tightest_provider_that_fits_comes_first(self) -> None:
        assert self.first(0, 700, 900, 750, order="tightest") == "D3"

    def test_equal_ones_come_by_name(self) -> None:
        assert self.first(900, 500, 500, order="tightest") == "D1"

    def test_by_name_looks_at_names_only(self) -> None:
        assert self.first(0, 700, order="name") == "D0"

    def test_a_big_group_is_not_starved_by_small_ones_before_it(self) -> None:
        fleet = self.devices(0, 500, 500).fleet()
        sizes = [300, 300, 1000]
        search = Search(fleet, {f"_{n}": group(GPU=size) for n, size in enumerate(sizes)})
        found = next(search.on_root(0))
        assert fleet.name(found.mappings["_2"][0]) == "D0"

    def test_roots_take_turns(self) -> None:
        forest = Forest()
        for host in ("b", "a", "c"):
            forest.add(host, host=True)
            for number in range(2):
                forest.add(f"{host}{number}", {"GPU": 1}, under=host)
        fleet = forest.fleet()
        search = Search(fleet, {"": group(GPU=1)})
        names = [fleet.name(item.amounts[0][0]) for item in search.candidates()]
        assert names == ["a0", "b0", "c0", "a1", "b1", "c1"]

    @pytest.mark.parametrize("limit", [1, 2, 5, 100])
    def test_limit_gives_the_first_of_them(self, limit: int) -> None:
        search = Search(numa().fleet(), {"": group(VCPU=1, DISK_GB=1)})
        every = list(search.candidates())
        assert list(search.candidates(limit)) == every[:limit]


class TestMask:
    def test_a_tree_that_stays_out_has_no_candidate(self) -> None:
        fleet = numa().fleet()
        for asked in (group(VCPU=9), group(VCPU=1, DISK_GB=1001), group(MEMORY_MB=1024)):
            search = Search(fleet, {"": asked})
            mask = search.root_mask()
            serving = {item.root_row for item in search.candidates()}
            for row in range(7):
                assert mask[row] or row not in serving

    def test_too_few_devices_drop_the_tree(self) -> None:
        forest = Forest().add("CN", {"VCPU": 1}, host=True)
        for number in range(3):
            forest.add(f"D{number}", {"GPU": 2}, under="CN")
        fleet = forest.fleet()
        for count, policy in itertools.product((3, 4, 6, 7), ("isolate", "none")):
            groups = {f"_{n}": group(GPU=1) for n in range(count)}
            stays = count <= (3 if policy == "isolate" else 6)
            assert Search(fleet, groups, policy).root_mask()[0] == stays


class TestChanges:
    def test_a_class_that_a_known_provider_gets_is_found(self) -> None:
        forest = Forest().add("CN", {"VCPU": 8}, host=True)
        forest.add("N1", {"CUSTOM_X": 1}, under="CN").add("N2", {}, under="CN")
        fleet = forest.fleet()
        asked = group(VCPU=1), group(CUSTOM_X=4)
        assert not named(fleet, ask(fleet, *asked))
        forest.add("N2", {"CUSTOM_X": 4}, under="CN")
        fleet.apply([ProviderChanged(forest.providers["N2"])])
        assert named(fleet, ask(fleet, *asked)) == ["CN:VCPU=1, N2:CUSTOM_X=4"]
        forest.add("N2", {}, under="CN")
        fleet.apply([ProviderChanged(forest.providers["N2"])])
        assert not named(fleet, ask(fleet, *asked))

    def test_a_provider_that_comes_leaves_or_moves_is_seen(self) -> None:
        forest = Forest().add("CN1", {"VCPU": 8}, host=True).add("CN2", {"VCPU": 8}, host=True)
        forest.add("X0", {"CUSTOM_X": 1}, under="CN1")
        fleet = forest.fleet()
        asked = group(VCPU=1), group(CUSTOM_X=1)

        def found() -> list[str]:
            return named(fleet, ask(fleet, *asked))

        assert found() == ["CN1:VCPU=1, X0:CUSTOM_X=1"]
        forest.add("X1", {"CUSTOM_X": 1}, under="CN1")
        fleet.apply([ProviderChanged(forest.providers["X1"])])
        assert found() == ["CN1:VCPU=1, X0:CUSTOM_X=1", "CN1:VCPU=1, X1:CUSTOM_X=1"]
        forest.add("X1", {"CUSTOM_X": 1}, under="CN2")
        fleet.apply([ProviderChanged(forest.providers["X1"]), ProviderRemoved(uid("X0"))])
        assert found() == ["CN2:VCPU=1, X1:CUSTOM_X=1"]


class TestFlat:
    def test_hosts_alone_decide_when_nobody_else_has_the_classes(self) -> None:
        fleet = numa().fleet()
        assert Search(fleet, {"": group(MEMORY_MB=1)}).flat
        assert not Search(fleet, {"": group(MEMORY_MB=1, VCPU=1)}).flat
        assert not Search(fleet, {"": group(DISK_GB=1)}).flat
        assert not Search(fleet, {"_1": group(MEMORY_MB=1)}).flat
        assert not Search(fleet, {"": group(MEMORY_MB=1, in_tree=uid("CN1"))}).flat

    def test_hosts_decide_again_when_the_last_nested_provider_of_a_class_has_gone(self) -> None:
        forest = Forest().add("CN", {"VCPU": 8}, host=True).add("C1", {"VCPU": 4}, under="CN")
        fleet = forest.fleet()
        assert not Search(fleet, {"": group(VCPU=1)}).flat
        fleet.apply([ProviderRemoved(uid("C1"))])
        assert Search(fleet, {"": group(VCPU=1)}).flat
