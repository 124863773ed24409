"""Databases that an older library made: they come up to date, with all that is in them."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy.engine import URL

import scheduler_lib.store
from scheduler_lib.exceptions import BackendUnavailable, SchemaMismatch
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings
from scheduler_lib.store import versions
from scheduler_lib.store.store import Store
from tests.databases import KINDS, Databases

PROVIDER = "11111111-0000-4000-8000-000000000000"
ROWS = (
    "INSERT INTO traits (id, name) VALUES (7, 'CUSTOM_OLD')",
    "INSERT INTO resource_classes (id, name) VALUES (3, 'VCPU'), (4, 'CUSTOM_X')",
    "INSERT INTO resource_providers (id, uuid, name, generation, root_provider_id, created_at) "
    f"VALUES (5, '{PROVIDER}', 'p', 9, 5, '2024-02-03 04:05:06')",
    "INSERT INTO resource_provider_traits (resource_provider_id, trait_id) VALUES (5, 7)",
    "INSERT INTO inventories (resource_provider_id, resource_class_id, total, reserved, min_unit, "
    "max_unit, step_size, allocation_ratio, used, capacity) "
    "VALUES (5, 4, 8, 0, 1, 8, 1, 1.0, 0, 8)",
)  # fmt: skip


def _text(url: URL) -> str:
    return url.render_as_string(hide_password=False)


def _store(url: str) -> Store:
    return Store(DatabaseSettings(url), CapacitySettings(), SystemClock())


def _deadline() -> Deadline:
    return Deadline.after(60, SystemClock())


def _make_first(url: URL) -> None:
    """Make what the first revision had, with a provider in it."""
    config = Config()
    folder = Path(scheduler_lib.store.__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder))
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    with engine.begin() as connection:
        for statement in ROWS:
            connection.exec_driver_sql(statement)


@pytest.fixture(params=KINDS)
def old_url(request: pytest.FixtureRequest, databases: Databases, tmp_path: Path) -> Iterator[URL]:
    """A database at the first revision, of each kind in turn."""
    if request.param == "sqlite":
        url = sa.make_url(f"sqlite:///{tmp_path / 'old.sqlite'}")
    else:
        url = databases.make_bare(request.param)
    _make_first(url)
    yield url
    if request.param != "sqlite":
        databases.drop(url)


def test_what_was_written_is_there_after_the_upgrade(old_url: URL) -> None:
    store = _store(_text(old_url))
    assert store.current() == "0001"
    assert store.upgrade() == versions.HEAD
    with store:
        record = store.providers.record(PROVIDER, _deadline())
        assert (record.name, record.generation, record.modified_at) == ("p", 9, 1706933106.0)
        assert store.traits.of(PROVIDER, _deadline()).names == ("CUSTOM_OLD",)
        assert list(store.inventories.of(PROVIDER, _deadline()).stocks) == ["CUSTOM_X"]
        assert store.books.check(_deadline()) == ()


def test_old_names_can_be_removed_after_the_upgrade(old_url: URL) -> None:
    store = _store(_text(old_url))
    store.upgrade()
    with store:
        store.traits.replace(PROVIDER, None, [], _deadline())
        store.traits.remove("CUSTOM_OLD", _deadline())
        assert store.traits.missing(["CUSTOM_OLD"], _deadline()) == {"CUSTOM_OLD"}


@pytest.mark.parametrize("old_url", ["postgresql", "mariadb"], indirect=True)
def test_an_old_server_is_left_alone_until_it_is_upgraded(old_url: URL) -> None:
    with pytest.raises(SchemaMismatch) as caught:
        _store(_text(old_url)).open()
    assert caught.value.fields == {"found": "0001", "expected": versions.HEAD}


def _open(url: str) -> str:
    with _store(url) as store:
        return store.providers.record(PROVIDER, _deadline()).name


@pytest.mark.parametrize("old_url", ["sqlite"], indirect=True)
def test_many_processes_may_open_an_old_file_at_once(old_url: URL) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert pool.map(_open, [_text(old_url)] * 4) == ["p"] * 4
    assert _store(_text(old_url)).current() == versions.HEAD


def _upgrade(url: str) -> str:
    return _store(url).upgrade()


def test_many_processes_may_upgrade_at_once(old_url: URL) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert pool.map(_upgrade, [_text(old_url)] * 4, chunksize=1) == [versions.HEAD] * 4
    assert _open(_text(old_url)) == "p"


@pytest.fixture(params=KINDS)
def bare_url(request: pytest.FixtureRequest, databases: Databases, tmp_path: Path) -> Iterator[URL]:
    """A database with nothing in it, of each kind in turn."""
    if request.param == "sqlite":
        yield sa.make_url(f"sqlite:///{tmp_path / 'new.sqlite'}")
        return
    url = databases.make_bare(request.param)
    yield url
    databases.drop(url)


def test_many_threads_may_make_the_tables_at_once(bare_url: URL) -> None:
    begin = threading.Barrier(4)

    def upgrade(_: int) -> str:
        begin.wait(30)
        return _upgrade(_text(bare_url))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(upgrade, range(4))) == [versions.HEAD] * 4
    with _store(_text(bare_url)) as store:
        assert store.books.check(_deadline()) == ()


def test_an_upgrade_that_was_killed_halfway_can_be_repeated(old_url: URL) -> None:
    engine = sa.create_engine(old_url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        # MariaDB keeps this, though the upgrade's transaction never ended.
        connection.exec_driver_sql("ALTER TABLE resource_classes ADD COLUMN removed_at TIMESTAMP")
    assert _store(_text(old_url)).current() == "0001"
    assert _upgrade(_text(old_url)) == versions.HEAD
    with _store(_text(old_url)) as store:
        store.traits.replace(PROVIDER, None, [], _deadline())
        store.traits.remove("CUSTOM_OLD", _deadline())


@pytest.mark.parametrize("old_url", ["postgresql", "mariadb"], indirect=True)
def test_whoever_waits_too_long_for_another_upgrade_is_told(
    old_url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "UPGRADE_WAIT_S", 1)
    engine = sa.create_engine(old_url, poolclass=sa.NullPool)
    with (
        engine.connect() as busy,
        busy.begin(),
        versions._alone(busy, "0001"),
        pytest.raises(BackendUnavailable),
    ):
        _upgrade(_text(old_url))
    assert _upgrade(_text(old_url)) == versions.HEAD


@pytest.mark.parametrize("old_url", ["sqlite"], indirect=True)
def test_an_upgrade_that_fails_halfway_leaves_the_old_file(
    old_url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    from alembic.runtime.migration import HeadMaintainer

    def fail(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(HeadMaintainer, "update_to_step", fail)
        with pytest.raises(OSError):  # noqa: PT011
            _store(_text(old_url)).open()
    assert _store(_text(old_url)).current() == "0001"
    assert _open(_text(old_url)) == "p"
