"""Copies of real Placement databases: whole, repeatable, and refused where they would mix."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

from scheduler_lib.exceptions import (
    BackendUnavailable,
    DuplicateProvider,
    GenerationConflict,
    InvalidInput,
    SchemaMismatch,
)
from scheduler_lib.model.allocation import Claim
from scheduler_lib.store.consumers import INCOMPLETE
from scheduler_lib.store.imports import ImportReport
from tests.databases import KINDS, Databases
from tests.peers import need
from tests.store.conftest import Desk, OpenDesk
from tests.store.placement_source import PlacementPeer

A, B, C, RACK = (str(uuid4()) for _ in range(4))


class Filled(PlacementPeer):
    """A Placement with two trees, and consumers of every sort."""

    def fill(self) -> None:
        self.call("PUT", "/resource_classes/CUSTOM_GOLD")
        cores, gold = {"total": 10, "allocation_ratio": 1.1}, {"total": 7}
        self.h1 = self.provider("h1", VCPU=cores, CUSTOM_GOLD=gold)
        self.numa = self.provider("h1-numa", self.h1, MEMORY_MB={"total": 64, "reserved": 4})
        self.h2 = self.provider("h2", VCPU={"total": 4})
        self.tag(self.h1, ["CUSTOM_FAST", "HW_CPU_X86_AVX2"], [RACK])
        for generation, cpus in ((None, 4), (1, 5)):
            held = {self.h1: {"VCPU": cpus, "CUSTOM_GOLD": 1}, self.numa: {"MEMORY_MB": 8}}
            self.claim(A, held, generation)
        self.claim(B, {self.h2: {"VCPU": 4}}, project_id="q", consumer_type="MIGRATION")
        old = [{"resource_provider": {"uuid": self.h1}, "resources": {"VCPU": 2}}]
        self.call("PUT", f"/allocations/{C}", {"allocations": old}, "1.0")


@pytest.fixture
def kind(request: pytest.FixtureRequest) -> str:
    """SQLite, unless a test is for all."""
    return str(getattr(request, "param", "sqlite"))


on_all = pytest.mark.parametrize("kind", KINDS, indirect=True)


@pytest.fixture
def peer(kind: str, databases: Databases, tmp_path: Path) -> Iterator[Filled]:
    if kind == "postgresql":
        need("psycopg2", "pip install psycopg2-binary")
    bare = None if kind == "sqlite" else databases.make_bare(kind)
    url = f"sqlite:///{tmp_path / 'placement.sqlite'}"
    if bare is not None:
        # Placement's statements need the older of the two drivers.
        driver = bare.drivername.replace("psycopg", "psycopg2")
        url = bare.set(drivername=driver).render_as_string(hide_password=False)
    found = Filled(url)
    try:
        found.fill()
        yield found
    finally:
        found.close()
        if bare is not None:
            databases.drop(bare)


def _run(url: str, statement: str) -> None:
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql(statement)


@pytest.fixture
def target(kind: str, databases: Databases, tmp_path: Path, open_desk: OpenDesk) -> Desk:
    return open_desk(databases.url(kind, tmp_path))


def _copy(target: Desk, peer: Filled) -> ImportReport:
    def note(what: str, done: int, total: int) -> None:
        assert 0 < done <= total, what

    return target.store.imports.placement(peer.url, target.deadline(), note)


def _tables(desk: Desk) -> dict[str, list[tuple[object, ...]]]:
    names = (
        "resource_providers", "inventories", "allocations", "consumers", "projects", "users",
        "resource_provider_traits", "resource_provider_aggregates", "changes",
    )  # fmt: skip
    with desk.store._database._engine.connect() as connection:  # type: ignore[union-attr]
        return {
            name: sorted(map(tuple, connection.exec_driver_sql(f"SELECT * FROM {name}")), key=str)
            for name in names
        }


@on_all
def test_everything_is_as_it_was(peer: Filled, target: Desk) -> None:
    report = _copy(target, peer)
    assert (report.providers_written, report.consumers_written) == (3, 3)
    assert [table for table in report.tables if table.left] == []
    providers = target.providers()
    for name, uuid in (("h1", peer.h1), ("h1-numa", peer.numa), ("h2", peer.h2)):
        there = peer.call("GET", f"/resource_providers/{uuid}")
        here = providers[name]
        assert (here.uuid, here.generation) == (uuid, there["generation"])
        assert (here.root_uuid, here.parent_uuid) == (
            there["root_provider_uuid"], there["parent_provider_uuid"],
        )  # fmt: skip
        told = peer.call("GET", f"/resource_providers/{uuid}/inventories")["inventories"]
        used = peer.call("GET", f"/resource_providers/{uuid}/usages")["usages"]
        assert {name: stock.used for name, stock in here.stocks.items()} == used
        for resource_class, fields in told.items():
            inventory = here.stocks[resource_class].inventory
            assert {key: getattr(inventory, key) for key in fields} == fields
    assert providers["h1"].traits == {"CUSTOM_FAST", "HW_CPU_X86_AVX2"}
    assert providers["h1"].aggregates == {RACK}
    assert target.discrepancies() == []
    # floor(10 x 1.1) is 11 here; seven are used.
    target.claim("h1", VCPU=4)


@on_all
def test_consumers_keep_generation_booking_and_type(peer: Filled, target: Desk) -> None:
    _copy(target, peer)
    for consumer in (A, B, C):
        there = peer.call("GET", f"/allocations/{consumer}")
        here = target.store.claims.consumer(consumer, target.deadline())
        assert (here.project_id, here.user_id) == (there["project_id"], there["user_id"])
        assert (here.consumer_type or "unknown") == there["consumer_type"]
        assert here.generation == there["consumer_generation"]
        assert {uuid: share.resources for uuid, share in here.shares.items()} == {
            uuid: share["resources"] for uuid, share in there["allocations"].items()
        }
    assert target.store.claims.consumer(C, target.deadline()).project_id == INCOMPLETE


def test_times_are_kept(peer: Filled, target: Desk) -> None:
    _run(peer.url, "UPDATE resource_providers SET created_at = '2020-02-03 04:05:06'")
    _run(peer.url, "UPDATE resource_providers SET updated_at = '2021-02-03 04:05:06'")
    _copy(target, peer)
    (record,) = target.store.providers.records(target.deadline(), name="h1")
    assert record.modified_at == 1612325106.0


@on_all
def test_a_second_run_changes_nothing(peer: Filled, target: Desk) -> None:
    _copy(target, peer)
    before = _tables(target)
    report = _copy(target, peer)
    assert (report.providers_written, report.consumers_written) == (0, 0)
    assert _tables(target) == before


@on_all
def test_a_second_run_brings_what_came_since_and_tells_what_went(
    peer: Filled, target: Desk
) -> None:
    _copy(target, peer)
    with target.store.feed.load() as (cursor, _):
        pass
    peer.call("DELETE", f"/allocations/{B}")
    h3 = peer.provider("h3", VCPU={"total": 4})
    peer.claim(A, {h3: {"VCPU": 1}}, 2)
    peer.call("PUT", f"/resource_providers/{peer.h2}", {"name": "h2-renamed"})
    report = _copy(target, peer)
    left = {table.table: table.left for table in report.tables}
    assert (left["consumers"], left["allocations"], left["resource_providers"]) == (1, 1, 0)
    assert target.used("h3") == {"VCPU": 1}
    assert target.used("h1") == {"VCPU": 2}
    assert target.used("h2-renamed") == {"VCPU": 4}
    batch = target.store.feed.changes(cursor, target.deadline())
    assert {change.provider.name for change in batch.changes if hasattr(change, "provider")} >= {
        "h3", "h2-renamed",
    }  # fmt: skip
    assert target.discrepancies() == []


def test_consumers_without_a_row_and_without_holdings(peer: Filled, target: Desk) -> None:
    _run(peer.url, f"DELETE FROM consumers WHERE uuid = '{B}'")
    _run(
        peer.url,
        "INSERT INTO consumers (uuid, project_id, user_id, generation) "
        f"SELECT '{uuid4()}', project_id, user_id, 0 FROM consumers WHERE uuid = '{A}'",
    )
    report = _copy(target, peer)
    assert (report.nameless_consumers, report.empty_consumers) == (1, 1)
    found = target.store.claims.consumer(B, target.deadline())
    assert (found.project_id, found.user_id, found.consumer_type) == (INCOMPLETE, INCOMPLETE, None)
    assert found.generation == 0
    assert target.discrepancies() == []


def test_what_is_over_its_capacity_is_copied_and_told(peer: Filled, target: Desk) -> None:
    peer.stock(peer.h2, VCPU={"total": 3})
    report = _copy(target, peer)
    assert [found.subject for found in report.over_capacity] == [peer.h2]
    assert target.used("h2") == {"VCPU": 4}


class TestRefusals:
    """Nothing is changed."""

    @pytest.fixture(autouse=True)
    def _nothing_changes(self, target: Desk) -> Iterator[None]:
        target.report("other", vcpus=1)
        before = _tables(target)
        yield
        assert _tables(target) == before

    def test_of_a_name_that_another_provider_has_here(self, peer: Filled, target: Desk) -> None:
        peer.provider("other")
        with pytest.raises(DuplicateProvider) as caught:
            _copy(target, peer)
        assert caught.value.fields["value"] == "other"

    def test_of_another_revision(self, peer: Filled, target: Desk) -> None:
        _run(peer.url, "UPDATE alembic_version SET version_num = '422ece571366'")
        with pytest.raises(SchemaMismatch) as caught:
            _copy(target, peer)
        assert caught.value.fields["found"] == "422ece571366"

    def test_of_allocations_without_an_inventory(self, peer: Filled, target: Desk) -> None:
        _run(peer.url, "DELETE FROM inventories")
        with pytest.raises(InvalidInput):
            _copy(target, peer)

    def test_of_itself(self, target: Desk) -> None:
        with pytest.raises(InvalidInput):
            target.store.imports.placement(target.url, target.deadline(), lambda *_: None)


def test_what_was_written_here_since_is_not_overwritten(peer: Filled, target: Desk) -> None:
    _copy(target, peer)
    target.write(Claim(str(uuid4()), {peer.h1: {"VCPU": 1}}))
    before = _tables(target)
    with pytest.raises(GenerationConflict) as caught:
        _copy(target, peer)
    assert caught.value.fields["uuid"] == peer.h1
    assert _tables(target) == before


def test_many_are_copied_in_batches(
    peer: Filled, target: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("imports", "import_source", "import_names"):
        monkeypatch.setattr(f"scheduler_lib.store.{module}.BATCH", 2)
    for _ in range(3):
        peer.claim(str(uuid4()), {peer.h1: {"VCPU": 1}, peer.numa: {"MEMORY_MB": 1}})
    report = _copy(target, peer)
    assert report.consumers_written == 6
    assert target.used("h1") == {"VCPU": 10, "CUSTOM_GOLD": 1}


def test_a_file_that_is_not_there_is_told_and_not_made(sqlite_desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "none.sqlite"
    with pytest.raises(BackendUnavailable):
        sqlite_desk.store.imports.placement(
            f"sqlite:///{path}", sqlite_desk.deadline(), lambda *_: None
        )
    assert not path.exists()
