"""Providers one at a time: made, renamed, moved, deleted, listed."""

from __future__ import annotations

import pytest

from scheduler_lib.exceptions import (
    DuplicateHost,
    DuplicateProvider,
    InvalidRequest,
    ProviderHasChildren,
    ProviderInUse,
    ProviderNotFound,
)
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.record import ProviderRecord
from scheduler_lib.store.feed import Cursor
from scheduler_lib.store.moving import KEEP
from tests.store.conftest import Desk

U, V, W, X = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "abcd")


def make(desk: Desk, uuid: str, name: str, parent: str | None = None) -> ProviderRecord:
    return desk.store.providers.create(uuid, name, parent, desk.deadline())


def move(desk: Desk, uuid: str, parent: str | None, *, reparent: bool = True) -> ProviderRecord:
    name = desk.store.providers.record(uuid, desk.deadline()).name
    return desk.store.providers.update(
        uuid, name, desk.deadline(), parent_uuid=parent, reparent=reparent
    )


def rename(desk: Desk, uuid: str, name: str) -> ProviderRecord:
    return desk.store.providers.update(uuid, name, desk.deadline(), reparent=False)


def places(desk: Desk) -> dict[str, tuple[str, str | None]]:
    """Return root and parent of each provider, by name."""
    found = desk.store.providers.records(desk.deadline())
    return {record.name: (record.root_uuid, record.parent_uuid) for record in found}


def told(desk: Desk, since: int) -> set[str]:
    """Return the uuids of the providers that the feed named since a change."""
    batch = desk.store.feed.changes(Cursor(since), desk.deadline())
    return {getattr(c, "uuid", None) or c.provider.uuid for c in batch.changes}  # type: ignore[union-attr]


class TestCreate:
    def test_a_new_provider_is_a_root_at_generation_zero(self, desk: Desk) -> None:
        made = make(desk, U, "a")
        assert made == ProviderRecord(U, "a", 0, U, None, made.modified_at)
        assert desk.store.providers.record(U, desk.deadline()) == made

    def test_it_is_modified_when_it_was_made_in_seconds(self, desk: Desk) -> None:
        assert make(desk, U, "a").modified_at == float(int(desk.clock.now()))

    def test_a_child_is_in_its_parents_tree(self, desk: Desk) -> None:
        make(desk, U, "a")
        make(desk, V, "b", U)
        assert make(desk, W, "c", V).root_uuid == U
        assert desk.discrepancies() == []

    def test_a_uuid_is_kept_with_dashes(self, desk: Desk) -> None:
        assert make(desk, U.replace("-", "").upper(), "a").uuid == U

    def test_a_taken_name_is_refused(self, desk: Desk) -> None:
        make(desk, U, "a")
        with pytest.raises(DuplicateProvider) as caught:
            make(desk, V, "a")
        assert caught.value.fields == {"field": "name", "value": "a"}

    def test_a_taken_uuid_is_refused(self, desk: Desk) -> None:
        make(desk, U, "a")
        with pytest.raises(DuplicateProvider) as caught:
            make(desk, U, "b")
        assert caught.value.fields == {"field": "uuid", "value": U}

    def test_of_a_taken_name_and_a_taken_uuid_the_name_is_told(self, desk: Desk) -> None:
        make(desk, U, "a")
        make(desk, V, "b")
        for name in ("a", "b"):
            with pytest.raises(DuplicateProvider) as caught:
                make(desk, U, name)
            assert caught.value.fields == {"field": "name", "value": name}

    def test_names_differ_by_case(self, desk: Desk) -> None:
        make(desk, U, "a")
        assert make(desk, V, "A").name == "A"

    def test_a_parent_must_be_there(self, desk: Desk) -> None:
        with pytest.raises(ProviderNotFound) as caught:
            make(desk, U, "a", V)
        assert caught.value.fields["provider"] == V

    def test_nobody_is_its_own_parent(self, desk: Desk) -> None:
        with pytest.raises(InvalidRequest):
            make(desk, U, "a", U)

    @pytest.mark.parametrize("name", ["", "x" * 256, "a\0b", "\ud800"])
    def test_a_name_that_cannot_be_kept_is_refused(self, desk: Desk, name: str) -> None:
        with pytest.raises(InvalidRequest) as caught:
            make(desk, U, name)
        assert caught.value.fields["field"] == "name"

    def test_a_name_may_have_any_letters(self, desk: Desk) -> None:
        assert make(desk, U, " \U0001f4a9\u00a0é").name == " \U0001f4a9\u00a0é"


class TestUpdate:
    def test_a_rename_counts_no_generation(self, desk: Desk) -> None:
        make(desk, U, "a")
        desk.clock.advance(5)
        renamed = rename(desk, U, "b")
        assert (renamed.name, renamed.generation) == ("b", 0)
        assert renamed.modified_at == float(int(desk.clock.now()))

    def test_the_same_name_again_is_not_told(self, desk: Desk) -> None:
        make(desk, U, "a")
        before = desk.newest_change()
        rename(desk, U, "a")
        assert desk.newest_change() == before

    def test_a_taken_name_is_refused(self, desk: Desk) -> None:
        make(desk, U, "a")
        make(desk, V, "b")
        with pytest.raises(DuplicateProvider):
            rename(desk, V, "a")

    def test_a_provider_that_is_not_there_is_not_changed(self, desk: Desk) -> None:
        with pytest.raises(ProviderNotFound):
            rename(desk, U, "a")

    def test_a_root_may_get_a_parent_once(self, desk: Desk) -> None:
        for uuid, name in ((U, "a"), (V, "b"), (W, "c")):
            make(desk, uuid, name)
        assert move(desk, U, V, reparent=False).root_uuid == V
        assert move(desk, U, V, reparent=False).root_uuid == V
        for parent in (W, None):
            with pytest.raises(InvalidRequest):
                move(desk, U, parent, reparent=False)

    def test_a_parent_must_be_there(self, desk: Desk) -> None:
        make(desk, U, "a")
        with pytest.raises(ProviderNotFound) as caught:
            move(desk, U, V)
        assert caught.value.fields == {"provider": V, "field": "parent_provider_uuid"}

    def test_a_subtree_moves_whole(self, desk: Desk) -> None:
        make(desk, U, "a")
        make(desk, V, "b", U)
        make(desk, W, "c", V)
        make(desk, X, "d")
        before = desk.newest_change()
        assert move(desk, V, X).generation == 0
        assert places(desk) == {
            "a": (U, None), "b": (X, X), "c": (X, V), "d": (X, None),
        }  # fmt: skip
        assert told(desk, before) == {V, W}
        assert desk.discrepancies() == []

    def test_a_subtree_becomes_a_tree(self, desk: Desk) -> None:
        make(desk, U, "a")
        make(desk, V, "b", U)
        make(desk, W, "c", V)
        move(desk, V, None)
        assert places(desk) == {"a": (U, None), "b": (V, None), "c": (V, V)}

    def test_a_provider_moves_within_its_tree(self, desk: Desk) -> None:
        make(desk, U, "a")
        make(desk, V, "b", U)
        make(desk, W, "c", V)
        move(desk, W, U)
        assert places(desk)["c"] == (U, U)

    @pytest.mark.parametrize("parent", [U, V, W])
    def test_a_loop_is_refused(self, desk: Desk, parent: str) -> None:
        make(desk, U, "a")
        make(desk, V, "b", U)
        make(desk, W, "c", V)
        with pytest.raises(InvalidRequest):
            move(desk, U, parent)

    def test_the_parent_stays_unless_it_is_named(self, desk: Desk) -> None:
        make(desk, U, "a")
        make(desk, V, "b", U)
        update = desk.store.providers.update
        assert update(V, "c", desk.deadline(), parent_uuid=KEEP, reparent=True).parent_uuid == U

    def test_a_compute_node_stays_a_root(self, desk: Desk) -> None:
        desk.report("h1", uuid=U, vcpus=4)
        make(desk, V, "b")
        with pytest.raises(InvalidRequest):
            move(desk, U, V)
        assert desk.discrepancies() == []


class TestDelete:
    def test_a_provider_goes_with_all_it_has(self, desk: Desk) -> None:
        make(desk, U, "a")
        desk.store.inventories.replace(U, 0, {"VCPU": Inventory(4)}, desk.deadline())
        desk.store.traits.replace(U, 1, ["HW_CPU_X86_AVX"], desk.deadline())
        desk.store.aggregates.replace(U, [V], 2, desk.deadline())
        before = desk.newest_change()
        desk.store.providers.delete(U, desk.deadline())
        with pytest.raises(ProviderNotFound):
            desk.store.providers.record(U, desk.deadline())
        assert told(desk, before) == {U}
        assert desk.discrepancies() == []
        # The same uuid again is another provider.
        make(desk, U, "a")
        assert desk.store.inventories.of(U, desk.deadline()).stocks == {}
        assert desk.store.traits.of(U, desk.deadline()).names == ()
        assert desk.store.aggregates.of(U, desk.deadline()).names == ()

    def test_one_with_children_stays(self, desk: Desk) -> None:
        make(desk, U, "a")
        make(desk, V, "b", U)
        with pytest.raises(ProviderHasChildren):
            desk.store.providers.delete(U, desk.deadline())
        desk.store.providers.delete(V, desk.deadline())
        desk.store.providers.delete(U, desk.deadline())

    def test_one_with_allocations_stays(self, desk: Desk) -> None:
        make(desk, U, "a")
        desk.store.inventories.replace(U, 0, {"VCPU": Inventory(4)}, desk.deadline())
        consumer = desk.claim("a", VCPU=1)
        with pytest.raises(ProviderInUse):
            desk.store.providers.delete(U, desk.deadline())
        desk.release(consumer)
        desk.store.providers.delete(U, desk.deadline())

    def test_one_that_is_not_there_is_told(self, desk: Desk) -> None:
        with pytest.raises(ProviderNotFound):
            desk.store.providers.delete(U, desk.deadline())

    def test_a_compute_node_goes_with_its_root(self, desk: Desk) -> None:
        desk.report("h1", uuid=U, vcpus=4)
        desk.store.providers.delete(U, desk.deadline())
        assert desk.store.hosts.list(desk.deadline()) == []
        assert desk.discrepancies() == []
        desk.report("h1", uuid=V, vcpus=4)


class TestRecords:
    @pytest.fixture
    def trees(self, desk: Desk) -> Desk:
        make(desk, U, "a")
        make(desk, V, "b", U)
        make(desk, W, "c")
        return desk

    def names(self, desk: Desk, **filters: object) -> list[str]:
        found = desk.store.providers.records(desk.deadline(), **filters)  # type: ignore[arg-type]
        return [record.name for record in found]

    def test_all_are_listed_in_the_order_they_were_made(self, trees: Desk) -> None:
        assert self.names(trees) == ["a", "b", "c"]

    def test_every_filter_must_hold(self, trees: Desk) -> None:
        assert self.names(trees, uuid=V) == ["b"]
        assert self.names(trees, name="c") == ["c"]
        assert self.names(trees, in_tree=V) == ["a", "b"]
        assert self.names(trees, uuids=[V, W, V, X]) == ["b", "c"]
        assert self.names(trees, in_tree=V, name="b") == ["b"]
        assert self.names(trees, in_tree=V, uuids=[W]) == []
        assert self.names(trees, uuid=V, name="a") == []
        assert self.names(trees, name="a", uuids=[U]) == ["a"]

    def test_what_is_unknown_is_nobody(self, trees: Desk) -> None:
        for filters in ({"uuid": X}, {"name": "x"}, {"in_tree": X}, {"uuids": []}):
            assert self.names(trees, **filters) == []


class TestMeetingHosts:
    """Nova makes its provider itself, and the host may report later."""

    def test_a_report_takes_over_the_provider_of_its_uuid(self, desk: Desk) -> None:
        make(desk, U, "n1")
        inventories = {"VCPU": Inventory(4), "CUSTOM_X": Inventory(2)}
        desk.store.resource_classes.create("CUSTOM_X", desk.deadline())
        desk.store.inventories.replace(U, 0, inventories, desk.deadline())
        consumer = desk.claim("n1", CUSTOM_X=1)
        desk.report("h1", "n1", uuid=U, vcpus=8)
        found = desk.providers()["n1"]
        assert found.facts is not None
        assert found.facts.host == "h1"
        assert {name: stock.inventory.total for name, stock in found.stocks.items()} == {
            "VCPU": 8, "CUSTOM_X": 2,
        }  # fmt: skip
        assert desk.held(consumer).allocations == {U: {"CUSTOM_X": 1}}
        assert desk.discrepancies() == []

    def test_its_children_come_with_it(self, desk: Desk) -> None:
        make(desk, U, "n1")
        make(desk, V, "n1-numa0", U)
        desk.report("n1", uuid=U, vcpus=8, children=[{"name": "n1-numa0"}])
        assert desk.providers()["n1-numa0"].uuid == V

    def test_a_name_with_another_uuid_is_refused(self, desk: Desk) -> None:
        make(desk, U, "n1")
        for stats in ({"uuid": V}, {}):
            with pytest.raises(DuplicateHost):
                desk.report("n1", vcpus=8, **stats)

    def test_a_uuid_below_another_root_is_refused(self, desk: Desk) -> None:
        make(desk, U, "a")
        make(desk, V, "n1", U)
        with pytest.raises(DuplicateHost):
            desk.report("n1", uuid=V, vcpus=8)

    def test_a_providers_name_gives_way_to_the_nodes(self, desk: Desk) -> None:
        make(desk, U, "old")
        desk.report("n1", uuid=U, vcpus=8)
        assert list(desk.providers()) == ["n1"]

    def test_a_renamed_host_gets_its_name_back(self, desk: Desk) -> None:
        desk.report("n1", uuid=U, vcpus=8)
        rename(desk, U, "other")
        desk.report("n1", vcpus=8)
        assert list(desk.providers()) == ["n1"]
