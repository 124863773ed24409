"""Reports: one transaction for the compute node and its tree; partial, repeated, late, wrong."""

from __future__ import annotations

from uuid import uuid4

import pytest

from scheduler_lib.exceptions import DuplicateHost, HostInUse, HostNotFound, InvalidStats
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.settings import CapacitySettings
from scheduler_lib.model.stats import HostStats
from tests.store.conftest import Desk, OpenDesk

U, V = str(uuid4()), str(uuid4())


def _inventory(desk: Desk, provider: str, name: str) -> Inventory:
    found = desk.store.providers.get(provider, desk.deadline())
    return found.stocks[name].inventory


def _classes(desk: Desk, provider: str = "h1") -> set[str]:
    return set(desk.store.providers.get(provider, desk.deadline()).stocks)


class TestInventories:
    def test_totals_ratios_and_reserves_become_inventories(
        self, database_url: str, open_desk: OpenDesk
    ) -> None:
        desk = open_desk(
            database_url, CapacitySettings(reserved_host_disk_mb=1500, reserved_host_cpus=1)
        )
        desk.report(
            "h1", vcpus=8, memory_mb=4096, local_gb=100, ram_allocation_ratio=1.5,
            reserved_host_memory_mb=512,
        )  # fmt: skip
        assert _inventory(desk, "h1", "VCPU") == Inventory(8, 1, 1, 8, 1, 4.0)
        assert _inventory(desk, "h1", "MEMORY_MB") == Inventory(4096, 512, 1, 4096, 1, 1.5)
        assert _inventory(desk, "h1", "DISK_GB") == Inventory(100, 2, 1, 100, 1, 1.0)

    @pytest.mark.parametrize("total", [0, None])
    def test_a_total_of_nothing_is_no_inventory(self, desk: Desk, total: int | None) -> None:
        desk.report("h1", vcpus=8, local_gb=total)
        assert _classes(desk) == {"VCPU"}

    @pytest.mark.parametrize("ratio", [0.0, None])
    def test_no_ratio_means_the_initial_one(self, desk: Desk, ratio: float | None) -> None:
        desk.report("h1", vcpus=8, cpu_allocation_ratio=ratio)
        assert _inventory(desk, "h1", "VCPU").capacity == 32
        assert desk.report("h1", vcpus=8, cpu_allocation_ratio=ratio) == ()

    def test_a_known_ratio_outlives_reports_without_one(self, desk: Desk) -> None:
        desk.report("h1", vcpus=8, cpu_allocation_ratio=2.0)
        desk.report("h1", vcpus=8, cpu_allocation_ratio=0.0, vcpus_used=1)
        assert _inventory(desk, "h1", "VCPU").allocation_ratio == 2.0

    def test_the_initial_ratio_is_for_new_hosts_and_the_configured_one_for_all(
        self, database_url: str, open_desk: OpenDesk
    ) -> None:
        open_desk(database_url).report("h1", vcpus=8)
        other = CapacitySettings(initial_cpu_allocation_ratio=9.0)
        open_desk(database_url, other).report("h1", vcpus=8, vcpus_used=1)
        desk = open_desk(database_url, CapacitySettings(cpu_allocation_ratio=3.0))
        assert _inventory(desk, "h1", "VCPU").allocation_ratio == 4.0
        desk.report("h1", vcpus=8)
        assert _inventory(desk, "h1", "VCPU").allocation_ratio == 3.0
        desk.report("h1", cpu_allocation_ratio=2.0)
        assert _inventory(desk, "h1", "VCPU").allocation_ratio == 2.0

    def test_a_ratio_comes_back_as_it_was_written(self, desk: Desk) -> None:
        desk.report("h1", vcpus=10, cpu_allocation_ratio=1.1)
        assert _inventory(desk, "h1", "VCPU").allocation_ratio == 1.1
        assert _inventory(desk, "h1", "VCPU").capacity == 11
        desk.report("h1", cpu_allocation_ratio=1.123456789012)
        assert desk.get("h1")["cpu_allocation_ratio"] == 1.123456789012

    def test_given_inventories_stand_beside_and_instead_of_the_derived(self, desk: Desk) -> None:
        vcpu = {"total": 3, "max_unit": 2}
        desk.report("h1", vcpus=8, inventories={"VCPU": vcpu, "CUSTOM_X": {"total": 5}})
        assert _inventory(desk, "h1", "VCPU") == Inventory(3, max_unit=2)
        assert _classes(desk) == {"VCPU", "CUSTOM_X"}
        desk.report("h1", vcpus_used=1)
        assert _inventory(desk, "h1", "VCPU") == Inventory(3, max_unit=2)
        desk.report("h1", inventories={})
        assert _inventory(desk, "h1", "VCPU").total == 8
        assert _classes(desk) == {"VCPU"}

    def test_a_reserve_above_the_total_is_refused(self, desk: Desk) -> None:
        with pytest.raises(InvalidStats) as caught:
            desk.report("h1", memory_mb=100, reserved_host_memory_mb=101)
        assert caught.value.fields["field"] == "reserved_host_memory_mb"
        with pytest.raises(HostNotFound):
            desk.get("h1")

    def test_a_fully_reserved_class_is_lawful(self, desk: Desk) -> None:
        desk.report("h1", memory_mb=100, reserved_host_memory_mb=100)
        assert _inventory(desk, "h1", "MEMORY_MB").capacity == 0

    def test_a_class_in_use_cannot_go(self, desk: Desk) -> None:
        desk.report("h1", vcpus=8, inventories={"CUSTOM_X": {"total": 5}})
        desk.claim("h1", CUSTOM_X=1)
        with pytest.raises(HostInUse, match="CUSTOM_X of h1") as caught:
            desk.report("h1", vcpus=9, inventories={})
        assert caught.value.fields["resource_class"] == "CUSTOM_X"
        assert desk.get("h1")["vcpus"] == 8


class TestRows:
    def test_a_report_is_merged_into_the_row(self, desk: Desk) -> None:
        desk.report("h1", vcpus=8, stats={"io": 1}, disabled=True)
        desk.clock.advance(10)
        desk.report("h1", vcpus_used=3, metrics="[1, 2]", disabled=None)
        row = desk.get("h1")
        assert (row["vcpus"], row["vcpus_used"], row["disabled"]) == (8, 3, None)
        assert (row["stats"], row["metrics"]) == ({"io": 1}, [1, 2])
        assert (row["host"], row["hypervisor_hostname"]) == ("h1", "h1")
        assert (row["updated_at"] - row["created_at"]).total_seconds() == 10  # type: ignore[operator]

    def test_a_report_that_changes_nothing_writes_nothing(self, desk: Desk) -> None:
        stats = {
            "vcpus": 8, "stats": {"b": 1, "a": 2}, "traits": ["HW_CPU_X86_AVX"],
            "aggregates": [U], "disabled": False, "cpu_allocation_ratio": 1.5,
            "children": [{"name": "c", "inventories": {"VGPU": {"total": 1}}}],
        }  # fmt: skip
        assert len(desk.report("h1", **stats)) == 2
        before, newest = desk.get("h1"), desk.newest_change()
        desk.clock.advance(60)
        for _ in range(10):
            assert desk.report("h1", **stats) == ()
        assert desk.report("h1", **stats, updated_at="2030-01-01T00:00:00") == ()
        assert desk.get("h1") == before
        assert desk.newest_change() == newest
        assert len(desk.report("h1", **{**stats, "vcpus": 9})) == 1

    def test_an_older_report_is_ignored(self, desk: Desk) -> None:
        desk.report("h1", vcpus=8, reported_at=100.0)
        assert desk.report("h1", vcpus=4, reported_at=99.0) == ()
        assert desk.get("h1")["vcpus"] == 8
        assert desk.report("h1", vcpus=4, reported_at=101.0)
        assert desk.get("h1")["vcpus"] == 4

    def test_a_repeated_report_still_dates_what_comes_late(self, desk: Desk) -> None:
        desk.report("h1", vcpus=8, reported_at=100.0)
        assert desk.report("h1", vcpus=8, reported_at=105.0) == ()
        assert desk.report("h1", vcpus=4, reported_at=103.0) == ()
        assert desk.get("h1")["vcpus"] == 8

    def test_an_incomplete_first_report_is_stored(self, desk: Desk) -> None:
        desk.report("h1")
        assert desk.get("h1")["inventories"] == {}

    def test_hosts_are_created_in_one_transaction(self, desk: Desk) -> None:
        reports = [
            (ResourceName(f"h{i}", f"h{i}"), HostStats.parse({"vcpus": i + 1})) for i in range(300)
        ]
        ids = desk.store.hosts.report_many(reports, desk.deadline())
        assert len(ids) == 300
        assert desk.store.hosts.report_many(reports, desk.deadline()) == ()
        assert len(desk.providers()) == 300
        assert desk.discrepancies() == []

    def test_one_wrong_report_writes_none(self, desk: Desk) -> None:
        good = (ResourceName("a", "a"), HostStats.parse({"vcpus": 1}))
        bad = (ResourceName("b", "b"), HostStats.parse({"traits": ["HW_CPU_X86_AVXX"]}))
        with pytest.raises(InvalidStats):
            desk.store.hosts.report_many([good, bad], desk.deadline())
        with pytest.raises(InvalidStats):
            desk.store.hosts.report_many([good, good], desk.deadline())
        assert desk.providers() == {}

    def test_names_are_told_apart_code_point_by_code_point(self, desk: Desk) -> None:
        names = ("h", "H", "h ", "hé", "he\u0301", "\U0001f5a5", "ß", "ss")
        for number, name in enumerate(names):
            desk.report(name, vcpus=number + 1)
        for number, name in enumerate(names):
            assert desk.get(name)["vcpus"] == number + 1
        assert [row["host"] for row in desk.store.hosts.list(desk.deadline())] == sorted(names)

    def test_long_texts_come_back(self, desk: Desk) -> None:
        text = {"x": "é" * 160_000}
        desk.report("h1", cpu_info=text)
        assert desk.get("h1")["cpu_info"] == text


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
@pytest.mark.parametrize("column", ["hypervisor_type", "disabled_reason"])
def test_what_no_database_can_store_is_refused(sqlite_desk: Desk, column: str, text: str) -> None:
    with pytest.raises(InvalidStats) as caught:
        sqlite_desk.report("h1", **{column: text})
    assert caught.value.fields["field"] == column


class TestNames:
    def test_a_name_keeps_its_uuid(self, desk: Desk) -> None:
        desk.report("h1", uuid=U, vcpus=8)
        with pytest.raises(DuplicateHost) as caught:
            desk.report("h1", uuid=V, vcpus=9)
        fields = caught.value.fields
        assert (fields["host"], fields["stored"], fields["reported"]) == ("h1", U, V)
        assert desk.get("h1")["vcpus"] == 8
        desk.report("h1", uuid=U, vcpus=9)
        desk.report("h1", vcpus=10)
        assert desk.get("h1")["uuid"] == U

    def test_a_uuid_keeps_its_name(self, desk: Desk) -> None:
        desk.report("h1", uuid=U)
        with pytest.raises(DuplicateHost, match="'h1'"):
            desk.report("h2", uuid=U)

    def test_a_node_belongs_to_one_host(self, desk: Desk) -> None:
        desk.report("a", "n", vcpus=1)
        with pytest.raises(DuplicateHost):
            desk.report("b", "n", vcpus=2)
        assert desk.get("a", "n")["vcpus"] == 1
        with pytest.raises(HostNotFound):
            desk.get("b", "n")

    def test_the_new_owner_of_a_node_comes_in_once_the_old_one_is_gone(self, desk: Desk) -> None:
        desk.report("a", "n", vcpus=1)
        desk.store.hosts.delete(ResourceName("a", "n"), desk.deadline())
        desk.report("b", "n", vcpus=2)
        with pytest.raises(HostNotFound):
            desk.store.hosts.delete(ResourceName("a", "n"), desk.deadline())
        assert desk.get("b", "n")["vcpus"] == 2

    def test_one_host_may_have_many_nodes(self, desk: Desk) -> None:
        desk.report("a", "n1", vcpus=1)
        desk.report("a", "n2", vcpus=2)
        assert desk.get("a", "n2")["vcpus"] == 2

    def test_an_unknown_trait_is_named_with_the_nearest(self, desk: Desk) -> None:
        with pytest.raises(InvalidStats) as caught:
            desk.report("h1", traits=["HW_CPU_X86_AVXX"])
        assert caught.value.fields["nearest"] == "HW_CPU_X86_AVX"

    def test_an_unknown_class_is_named_with_the_nearest(self, desk: Desk) -> None:
        for stats in (
            {"inventories": {"VGPUS": {"total": 1}}},
            {"children": [{"name": "c", "inventories": {"VGPUS": {"total": 1}}}]},
        ):
            with pytest.raises(InvalidStats) as caught:
                desk.report("h1", **stats)
            assert caught.value.fields["nearest"] == "VGPU"


class TestTraitsAndAggregates:
    def test_they_replace_what_the_host_reported_before(self, desk: Desk) -> None:
        desk.report("h1", traits=["HW_CPU_X86_AVX", "CUSTOM_A"], aggregates=[U])
        desk.report("h1", traits=["CUSTOM_A", "CUSTOM_B"], aggregates=[V])
        provider = desk.providers()["h1"]
        assert provider.traits == {"CUSTOM_A", "CUSTOM_B"}
        assert provider.aggregates == {V}
        desk.report("h1", vcpus=1)
        assert desk.providers()["h1"].traits == {"CUSTOM_A", "CUSTOM_B"}
        desk.report("h1", traits=[], aggregates=[])
        assert desk.providers()["h1"].traits == frozenset()
        assert desk.providers()["h1"].aggregates == frozenset()


class TestChildren:
    NESTED = [
        {"name": "numa0", "inventories": {"VCPU": {"total": 4}}, "children": [
            {"name": "gpu0", "traits": ["CUSTOM_A100"], "inventories": {"VGPU": {"total": 2}}},
        ]},
        {"name": "numa1", "inventories": {"VCPU": {"total": 4}}, "aggregates": [U]},
    ]  # fmt: skip

    def test_a_tree_is_stored_as_reported(self, desk: Desk) -> None:
        desk.report("h1", memory_mb=1, children=self.NESTED)
        found = desk.providers()
        h1, numa0, gpu0 = found["h1"], found["numa0"], found["gpu0"]
        assert (h1.parent_uuid, h1.root_uuid) == (None, h1.uuid)
        assert (numa0.parent_uuid, gpu0.parent_uuid) == (h1.uuid, numa0.uuid)
        assert gpu0.root_uuid == h1.uuid
        assert gpu0.traits == {"CUSTOM_A100"}
        assert found["numa1"].aggregates == {U}
        assert desk.discrepancies() == []

    def test_children_keep_their_uuids(self, desk: Desk) -> None:
        desk.report("h1", children=self.NESTED)
        before = {name: p.uuid for name, p in desk.providers().items()}
        desk.report("h1", vcpus=1, children=self.NESTED)
        assert {name: p.uuid for name, p in desk.providers().items()} == before

    def test_a_report_without_children_leaves_them(self, desk: Desk) -> None:
        desk.report("h1", children=self.NESTED)
        desk.report("h1", vcpus=1)
        assert set(desk.providers()) == {"h1", "numa0", "numa1", "gpu0"}

    def test_children_that_are_missing_go(self, desk: Desk) -> None:
        desk.report("h1", children=self.NESTED)
        ids = desk.report("h1", children=[self.NESTED[1]])
        assert set(desk.providers()) == {"h1", "numa1"}
        assert len(ids) == 2
        assert desk.discrepancies() == []

    def test_a_child_in_use_cannot_go(self, desk: Desk) -> None:
        desk.report("h1", vcpus=1, children=self.NESTED)
        desk.claim("gpu0", VGPU=1)
        with pytest.raises(HostInUse, match="gpu0"):
            desk.report("h1", vcpus=2, children=[])
        assert desk.get("h1")["vcpus"] == 1
        assert "gpu0" in desk.providers()

    def test_a_child_can_move_within_its_tree(self, desk: Desk) -> None:
        desk.report("h1", children=self.NESTED)
        desk.claim("gpu0", VGPU=1)
        gpu = {"name": "gpu0", "inventories": {"VGPU": {"total": 3}}}
        desk.report("h1", children=[{"name": "new", "children": [gpu]}])
        found = desk.providers()
        assert found["gpu0"].parent_uuid == found["new"].uuid
        assert found["gpu0"].stocks["VGPU"].used == 1
        assert desk.discrepancies() == []

    def test_a_child_can_be_renamed_by_its_uuid(self, desk: Desk) -> None:
        desk.report("h1", children=[{"name": "a", "uuid": U}])
        desk.report("h1", children=[{"name": "b", "uuid": U}])
        assert desk.providers()["b"].uuid == U
        assert "a" not in desk.providers()

    def test_a_childs_name_belongs_to_one_tree(self, desk: Desk) -> None:
        desk.report("h1", children=[{"name": "gpu0"}])
        for children in ([{"name": "gpu0"}], [{"name": "h1"}]):
            with pytest.raises(DuplicateHost):
                desk.report("h2", vcpus=1, children=children)
        assert set(desk.providers()) == {"h1", "gpu0"}

    def test_a_childs_uuid_belongs_to_one_provider(self, desk: Desk) -> None:
        desk.report("h1", children=[{"name": "a", "uuid": U}])
        with pytest.raises(DuplicateHost):
            desk.report("h1", children=[{"name": "a", "uuid": V}])
        with pytest.raises(DuplicateHost):
            desk.report("h2", children=[{"name": "b", "uuid": U}])

    def test_a_thousand_children_are_stored(self, desk: Desk) -> None:
        children = [
            {"name": f"c{i}", "inventories": {"VGPU": {"total": 1}}, "traits": ["CUSTOM_A"]}
            for i in range(1100)
        ]
        desk.report("h1", children=children)
        assert len(desk.providers()) == 1101
        assert desk.report("h1", children=children) == ()
