"""When the database fails: an error of our tree, and nothing written."""

from __future__ import annotations

import os
import pickle
import sqlite3
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

from scheduler_lib.exceptions import (
    BackendUnavailable,
    DeadlineExceeded,
    SchemaMismatch,
    StorageFull,
)
from scheduler_lib.model.clock import SystemClock
from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings
from scheduler_lib.store.store import Store
from tests.databases import Databases
from tests.store.conftest import Desk, OpenDesk


def _path(desk: Desk) -> str:
    return str(sa.make_url(desk.url).database)


class TestLockedFile:
    @pytest.fixture
    def locked(self, sqlite_desk: Desk) -> Desk:
        sqlite_desk.report("h1", vcpus=4)
        return sqlite_desk

    @pytest.fixture
    def holder(self, locked: Desk) -> sqlite3.Connection:
        connection = sqlite3.connect(_path(locked), isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        yield connection
        connection.close()

    def test_a_writer_waits_until_the_deadline(
        self, locked: Desk, holder: sqlite3.Connection
    ) -> None:
        uuid = locked.uuid("h1")
        with pytest.raises(DeadlineExceeded):
            locked.store.hosts.delete(("h1", "h1"), locked.deadline(0.05))  # type: ignore[arg-type]
        assert locked.uuid("h1") == uuid

    def test_a_writer_gives_up_after_the_busy_timeout(
        self, tmp_path: Path, open_desk: OpenDesk, holder: sqlite3.Connection, locked: Desk
    ) -> None:
        desk = open_desk(locked.url, busy_timeout_s=0.01)
        with pytest.raises(BackendUnavailable, match="locked"):
            desk.report("h2", vcpus=1)
        holder.execute("ROLLBACK")
        desk.report("h2", vcpus=1)

    def test_a_writer_goes_on_when_the_lock_is_gone(
        self, locked: Desk, holder: sqlite3.Connection
    ) -> None:
        sleep = locked.clock.sleep

        def release_then_sleep(seconds: float) -> None:
            if holder.in_transaction:
                holder.execute("ROLLBACK")
            sleep(seconds)

        locked.clock.sleep = release_then_sleep  # type: ignore[method-assign]
        locked.report("h2", vcpus=1)
        assert locked.get("h2")["vcpus"] == 1

    def test_reading_goes_on_beside_a_writer(
        self, locked: Desk, holder: sqlite3.Connection
    ) -> None:
        assert locked.get("h1")["vcpus"] == 4


def test_a_full_disk_is_told_and_nothing_is_written(sqlite_desk: Desk) -> None:
    sqlite_desk.report("h1", vcpus=1000)
    writer = sqlite_desk.store._database._transactions._session  # type: ignore[union-attr]
    pages = writer.connection.exec_driver_sql("PRAGMA page_count").scalar()
    writer.connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    before = sqlite_desk.get("h1")
    with pytest.raises(StorageFull):
        sqlite_desk.report("h1", cpu_info={"x": "y" * 100_000}, vcpus=5)
    assert sqlite_desk.get("h1") == before
    writer.connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    sqlite_desk.report("h1", cpu_info={"x": "y" * 100_000}, vcpus=5)
    assert sqlite_desk.get("h1")["vcpus"] == 5


def test_a_file_of_something_else_is_left_alone(tmp_path: Path, open_desk: OpenDesk) -> None:
    path = tmp_path / "books.sqlite"
    path.write_bytes(b"no database at all" * 1000)
    with pytest.raises(SchemaMismatch):
        open_desk(f"sqlite:///{path}")
    assert path.read_bytes().startswith(b"no database")


def test_a_database_with_other_tables_of_our_names_is_told(
    tmp_path: Path, open_desk: OpenDesk
) -> None:
    path = tmp_path / "nova.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE compute_nodes (id INTEGER)")
    with pytest.raises(SchemaMismatch, match="other tables than ours"):
        open_desk(f"sqlite:///{path}")


def test_a_file_that_went_away_is_told_with_what_to_do(tmp_path: Path, open_desk: OpenDesk) -> None:
    with pytest.raises(BackendUnavailable) as caught:
        open_desk(f"sqlite:///{tmp_path}")
    assert "writable" in caught.value.hint


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, open_desk: OpenDesk) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BackendUnavailable, match="file"):
        open_desk(f"sqlite:///{tmp_path / 'file' / 'x' / 'books.sqlite'}")


def test_a_folder_is_no_database(tmp_path: Path, open_desk: OpenDesk) -> None:
    with pytest.raises(BackendUnavailable):
        open_desk(f"sqlite:///{tmp_path}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_is_told(sqlite_desk: Desk, open_desk: OpenDesk) -> None:
    sqlite_desk.report("h1", vcpus=1)
    sqlite_desk.store.close()
    os.chmod(_path(sqlite_desk), 0o444)
    with pytest.raises(BackendUnavailable):
        open_desk(sqlite_desk.url).report("h2")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://nobody:secret@127.0.0.1:9/none",
        "mysql+pymysql://nobody:secret@127.0.0.1:9/none",
    ],
)
def test_a_server_that_does_not_answer_is_told_without_the_password(url: str) -> None:
    with pytest.raises(BackendUnavailable) as caught:
        Store(DatabaseSettings(url), CapacitySettings(), SystemClock()).open()
    assert "127.0.0.1:9/none" in caught.value.message
    assert "secret" not in str(caught.value.as_dict())
    assert pickle.loads(pickle.dumps(caught.value)).message == caught.value.message


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
class TestLostConnections:
    def test_calls_go_on_when_the_server_is_back(
        self, kind: str, databases: Databases, tmp_path: Path, open_desk: OpenDesk
    ) -> None:
        desk = open_desk(databases.url(kind, tmp_path))
        desk.report("h1", vcpus=4)
        with desk.store.feed.load() as (cursor, _):
            pass
        _disconnect_all(kind, desk)
        desk.clock.advance(10)
        desk.report("h1", vcpus=5)
        assert desk.get("h1")["vcpus"] == 5
        assert desk.store.feed.changes(cursor, desk.deadline()).changes

    def test_at_most_one_reading_fails(
        self, kind: str, databases: Databases, tmp_path: Path, open_desk: OpenDesk
    ) -> None:
        desk = open_desk(databases.url(kind, tmp_path))
        desk.report("h1", vcpus=4)
        desk.get("h1")
        _disconnect_all(kind, desk)
        with pytest.raises(BackendUnavailable):
            desk.get("h1")
        assert desk.get("h1")["vcpus"] == 4

    def test_a_transaction_that_lost_its_connection_is_run_again(
        self, kind: str, databases: Databases, tmp_path: Path, open_desk: OpenDesk
    ) -> None:
        desk = open_desk(databases.url(kind, tmp_path))
        desk.report("h1", vcpus=4)
        attempts = []

        def work(session: object) -> str:
            attempts.append(session)
            if len(attempts) == 1:
                _disconnect_all(kind, desk)
            session.core(sa.text("SELECT 1"))  # type: ignore[attr-defined]
            return "done"

        database = desk.store._database
        assert database.write(work, desk.deadline(), "test") == "done"  # type: ignore[union-attr]
        assert len(attempts) == 2


def _disconnect_all(kind: str, desk: Desk) -> None:
    engine = sa.create_engine(desk.url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        if kind == "postgresql":
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            return
        mine = connection.exec_driver_sql("SELECT connection_id()").scalar()
        for (other,) in connection.exec_driver_sql(
            "SELECT id FROM information_schema.processlist WHERE db = database()"
        ).all():
            if other != mine:
                connection.exec_driver_sql(f"KILL {other}")


def test_an_uncommitted_report_is_not_there(sqlite_desk: Desk) -> None:
    consumer = str(uuid4())
    database = sqlite_desk.store._database

    def work(session: object) -> None:
        session.core(sa.text("DELETE FROM changes"))  # type: ignore[attr-defined]
        raise ValueError(consumer)

    with pytest.raises(ValueError, match=consumer):
        database.write(work, sqlite_desk.deadline(), "test")  # type: ignore[union-attr]
    assert sqlite_desk.newest_change() == 1
