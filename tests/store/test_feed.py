"""The feed: everything once, then what changed; nothing missed, nothing told twice for long."""

from __future__ import annotations

from uuid import uuid4

import pytest
import sqlalchemy as sa

from scheduler_lib.model.allocation import Claim
from scheduler_lib.model.provider import ProviderChanged, ProviderRemoved, UsageChanged
from scheduler_lib.store import changes
from scheduler_lib.store.feed import GAP_PATIENCE_S, MOST_CHANGES, Cursor, FeedBatch
from scheduler_lib.store.schema import CHANGES
from scheduler_lib.store.schema.changes import USAGE
from tests.databases import Databases
from tests.store.conftest import Desk, OpenDesk


class Reader:
    """Reads a desk's feed from where it was made."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        with desk.store.feed.load() as (cursor, _):
            self.cursor = cursor

    def batch(self) -> FeedBatch:
        batch = self.desk.store.feed.changes(self.cursor, self.desk.deadline())
        self.cursor = batch.cursor
        return batch

    def names(self) -> list[str]:
        return [c.provider.name for c in self.batch().changes if isinstance(c, ProviderChanged)]


def test_an_empty_database_has_nothing_to_tell(desk: Desk) -> None:
    reader = Reader(desk)
    cursor = reader.cursor
    assert reader.batch() == FeedBatch((), cursor)


def test_a_load_gives_every_provider_parents_first(desk: Desk) -> None:
    desk.report("b", children=[{"name": "b1"}])
    desk.report("a", children=[{"name": "z"}, {"name": "y", "children": [{"name": "x"}]}])
    desk.report("a", children=[{"name": "new", "children": [{"name": "z"}, {"name": "y"}]}])
    seen: set[str] = set()
    with desk.store.feed.load() as (_, providers):
        for provider in providers:
            assert provider.parent_uuid is None or provider.parent_uuid in seen
            seen.add(provider.uuid)
    assert len(seen) == 6


def test_a_load_shows_one_moment(desk: Desk) -> None:
    desk.report("a", vcpus=1)
    with desk.store.feed.load() as (cursor, providers):
        desk.report("b", vcpus=1)
        assert len(list(providers)) in (1, 2)
    batch = desk.store.feed.changes(cursor, desk.deadline())
    assert "b" in [c.provider.name for c in batch.changes if isinstance(c, ProviderChanged)]


def test_facts_of_the_compute_node_come_with_its_root(desk: Desk) -> None:
    desk.report(
        "h1", "n1", vcpus=4, free_ram_mb=-5, hypervisor_type="QEMU", stats={"a": "1"},
        availability_zone="az", disabled=True, disabled_reason="why", last_seen_up=12.5,
        cpu_allocation_ratio=1.5,
    )  # fmt: skip
    facts = desk.providers()["n1"].facts
    assert facts is not None
    assert (facts.host, facts.node, facts.availability_zone) == ("h1", "n1", "az")
    assert facts.numbers == {"vcpus": 4, "free_ram_mb": -5, "cpu_allocation_ratio": 1.5}
    assert facts.texts == {"hypervisor_type": "QEMU", "stats": '{"a":"1"}'}
    assert facts.disabled is True
    assert facts.forced_down is False
    assert (facts.disabled_reason, facts.last_seen_up) == ("why", 12.5)


def test_a_report_is_told_with_the_whole_provider(desk: Desk) -> None:
    reader = Reader(desk)
    desk.report("h1", vcpus=4, traits=["CUSTOM_A"], children=[{"name": "c"}])
    assert reader.names() == ["h1", "c"]
    desk.report("h1", vcpus=5, children=[{"name": "c"}])
    (change,) = reader.batch().changes
    assert isinstance(change, ProviderChanged)
    assert change.provider == desk.providers()["h1"]
    assert change.provider.stocks["VCPU"].inventory.total == 5


def test_a_claim_is_told_with_the_usages(desk: Desk) -> None:
    desk.report("h1", vcpus=4, memory_mb=100)
    reader = Reader(desk)
    consumer = desk.claim("h1", VCPU=2)
    uuid = desk.uuid("h1")
    assert set(reader.batch().changes) == {
        UsageChanged(uuid, "VCPU", 2), UsageChanged(uuid, "MEMORY_MB", 0),
    }  # fmt: skip
    desk.release(consumer)
    assert UsageChanged(uuid, "VCPU", 0) in reader.batch().changes
    assert reader.batch().changes == ()


def test_a_removed_tree_is_told_children_first(desk: Desk) -> None:
    desk.report("h1", children=[{"name": "c"}])
    reader = Reader(desk)
    uuids = [desk.uuid("c"), desk.uuid("h1")]
    desk.delete("h1")
    assert reader.batch().changes == tuple(ProviderRemoved(uuid) for uuid in uuids)


def test_a_name_that_comes_back_is_another_provider(desk: Desk) -> None:
    desk.report("h1", vcpus=8)
    reader, old = Reader(desk), desk.uuid("h1")
    desk.delete("h1")
    desk.report("h1", vcpus=2)
    removed, changed = reader.batch().changes
    assert removed == ProviderRemoved(old)
    assert isinstance(changed, ProviderChanged)
    assert changed.provider.uuid != old
    assert changed.provider.stocks["VCPU"].inventory.total == 2


def test_many_changes_of_one_provider_are_told_once(desk: Desk) -> None:
    desk.report("h1", vcpus=100)
    reader = Reader(desk)
    for _ in range(10):
        desk.claim("h1", VCPU=1)
    assert reader.batch().changes == (UsageChanged(desk.uuid("h1"), "VCPU", 10),)


def test_a_writer_need_not_read_what_it_wrote(desk: Desk) -> None:
    desk.report("h1", vcpus=10)
    desk.report("h2", vcpus=10)
    reader, h1 = Reader(desk), desk.uuid("h1")
    mine = desk.write(Claim(str(uuid4()), {h1: {"VCPU": 1}}))
    reader.cursor = reader.cursor.seen(mine.change_ids)
    assert reader.batch().changes == ()
    desk.claim("h2", VCPU=1)
    mine = desk.write(Claim(str(uuid4()), {h1: {"VCPU": 1}}))
    reader.cursor = reader.cursor.seen(mine.change_ids)
    assert reader.batch().changes == (UsageChanged(desk.uuid("h2"), "VCPU", 1),)
    assert reader.cursor.known == frozenset()
    assert reader.batch().changes == ()


def test_a_reader_that_was_away_too_long_must_load_again(desk: Desk) -> None:
    desk.report("h1", vcpus=10)
    reader = Reader(desk)
    desk.claim("h1", VCPU=1)
    desk.claim("h1", VCPU=1)
    desk.store._database.write(  # type: ignore[union-attr]
        lambda session: changes.prune(session, desk.clock.now() + 1), desk.deadline(), "test"
    )
    assert reader.batch().reload is True
    reader = Reader(desk)
    desk.claim("h1", VCPU=1)
    assert reader.batch().reload is False


def test_a_reader_with_too_much_to_catch_up_on_must_load_again(sqlite_desk: Desk) -> None:
    sqlite_desk.report("h1", vcpus=1)
    reader = Reader(sqlite_desk)
    row = {"provider_uuid": sqlite_desk.uuid("h1"), "kind": USAGE, "created_at": 0.0}
    with sqlite_desk.store._database._engine.begin() as connection:  # type: ignore[union-attr]
        connection.execute(sa.insert(CHANGES), [row] * (MOST_CHANGES + 1))
    assert reader.batch().reload is True


def test_old_changes_are_pruned_while_others_are_written(
    database_url: str, open_desk: OpenDesk
) -> None:
    desk = open_desk(database_url, change_retention_s=100.0)
    desk.report("h1", vcpus=100)
    reader = Reader(desk)
    for _ in range(20):
        desk.clock.advance(30)
        desk.claim("h1", VCPU=1)
        assert reader.batch().reload is False
    with desk.store._database.reading() as session:  # type: ignore[union-attr]
        count = session.core(sa.select(sa.func.count()).select_from(CHANGES)).scalar()
    assert count is not None
    assert count <= 6


@pytest.mark.parametrize("database_kind", ["postgresql", "mariadb"])
class TestGaps:
    """Servers commit out of order: an id may turn up after a higher one was read."""

    @pytest.fixture
    def desk(
        self, database_kind: str, databases: Databases, tmp_path: object, open_desk: OpenDesk
    ) -> Desk:
        desk = open_desk(databases.url(database_kind, tmp_path))  # type: ignore[arg-type]
        desk.report("h1", vcpus=10)
        desk.report("h2", vcpus=10)
        return desk

    def test_a_change_that_is_committed_late_is_still_told(self, desk: Desk) -> None:
        reader = Reader(desk)
        with _begun(desk) as slow:
            _append(slow, desk.uuid("h1"))
            desk.claim("h2", VCPU=1)
            assert [c.provider_uuid for c in _usages(reader)] == [desk.uuid("h2")]
            assert reader.batch().changes == ()
            slow.commit()
        assert [c.provider_uuid for c in _usages(reader)] == [desk.uuid("h1")]
        assert reader.batch().changes == ()
        assert reader.cursor.gaps == {}

    def test_a_change_begun_before_a_load_is_still_told(self, desk: Desk) -> None:
        with _begun(desk) as slow:
            _append(slow, desk.uuid("h1"))
            desk.claim("h2", VCPU=1)
            reader = Reader(desk)
            slow.commit()
        assert [c.provider_uuid for c in _usages(reader)] == [desk.uuid("h1")]

    def test_a_change_that_was_rolled_back_is_given_up(self, desk: Desk) -> None:
        reader = Reader(desk)
        with _begun(desk) as slow:
            _append(slow, desk.uuid("h1"))
            desk.claim("h2", VCPU=1)
            reader.batch()
            slow.rollback()
        assert len(reader.cursor.gaps) == 1
        desk.clock.advance(GAP_PATIENCE_S + 1)
        reader.batch()
        desk.claim("h2", VCPU=1)
        reader.batch()
        assert reader.cursor.gaps == {}


def _begun(desk: Desk) -> sa.Connection:
    return desk.store._database._engine.connect()  # type: ignore[union-attr]


def _append(connection: sa.Connection, uuid: str) -> None:
    row = {"provider_uuid": uuid, "kind": USAGE, "created_at": 0.0}
    connection.execute(sa.insert(CHANGES).values(row))


def _usages(reader: Reader) -> list[UsageChanged]:
    return [c for c in reader.batch().changes if isinstance(c, UsageChanged)]


class TestCursor:
    def test_ids_that_follow_move_it_on(self) -> None:
        assert Cursor(5).seen((6, 7)) == Cursor(7)

    def test_ids_beyond_a_hole_are_remembered(self) -> None:
        cursor = Cursor(5).seen((7,))
        assert cursor == Cursor(5, frozenset({7}))
        assert cursor.seen((6,)) == Cursor(7)

    def test_ids_it_has_passed_change_nothing(self) -> None:
        cursor = Cursor(5)
        assert cursor.seen((3, 5)) is cursor
