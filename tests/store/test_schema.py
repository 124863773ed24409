"""The schema: made on first use, upgraded on demand, never touched when it is a newer one."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import URL

import scheduler_lib.store
from scheduler_lib.exceptions import InvalidConfiguration, SchemaMismatch
from scheduler_lib.model.clock import SystemClock
from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings
from scheduler_lib.store import versions
from scheduler_lib.store.connections import Connections
from scheduler_lib.store.schema import METADATA
from scheduler_lib.store.store import Store
from tests.databases import KINDS, Databases
from tests.store.conftest import OpenDesk


def _store(url: str | URL) -> Store:
    text = url if isinstance(url, str) else url.render_as_string(hide_password=False)
    return Store(DatabaseSettings(text), CapacitySettings(), SystemClock())


def _run(url: str | URL, *statements: str) -> None:
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


@pytest.fixture(params=KINDS)
def bare_url(request: pytest.FixtureRequest, databases: Databases, tmp_path: Path) -> Iterator[URL]:
    """A database with nothing in it, of each kind in turn."""
    if request.param == "sqlite":
        yield sa.make_url(f"sqlite:///{tmp_path / 'bare.sqlite'}")
        return
    url = databases.make_bare(request.param)
    yield url
    databases.drop(url)


def test_the_newest_revision_is_the_one_that_is_looked_for() -> None:
    config = Config()
    folder = Path(scheduler_lib.store.__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder))
    script = ScriptDirectory.from_config(config)
    assert script.get_heads() == [versions.HEAD]
    assert [r.revision for r in script.walk_revisions()][::-1] == list(versions.REVISIONS)


def test_the_migrations_make_the_tables_that_the_library_uses(bare_url: URL) -> None:
    engine = sa.create_engine(bare_url, poolclass=sa.NullPool)
    versions.upgrade(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
        assert versions.current(connection) == versions.HEAD
    with _store(bare_url) as store, store.feed.load() as (cursor, providers):
        assert (cursor.last, list(providers)) == (1, [])


def test_made_and_migrated_tables_are_the_same(tmp_path: Path) -> None:
    made, migrated = (sa.create_engine(f"sqlite:///{tmp_path / n}") for n in ("a", "b"))
    versions.upgrade(migrated)
    with made.begin() as connection:
        versions.create(connection)
    shapes = []
    for engine in (made, migrated):
        look = sa.inspect(engine)
        shapes.append(
            {
                table: (
                    sorted(str(column) for column in look.get_columns(table)),
                    sorted(str(index) for index in look.get_indexes(table)),
                    sorted(str(unique) for unique in look.get_unique_constraints(table)),
                )
                for table in look.get_table_names()
            }
        )
        engine.dispose()
    assert shapes[0] == shapes[1]


def test_an_sqlite_file_is_made_with_its_folders(tmp_path: Path, open_desk: OpenDesk) -> None:
    path = tmp_path / "a" / "b" / "books.sqlite"
    desk = open_desk(f"sqlite:///{path}")
    desk.report("h1", vcpus=1)
    desk.store.close()
    assert path.exists()
    assert open_desk(f"sqlite:///{path}").get("h1")["vcpus"] == 1


def test_many_may_make_the_same_file_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'books.sqlite'}"
    stores = [_store(url) for _ in range(8)]
    errors: list[BaseException] = []

    def open_(store: Store) -> None:
        try:
            store.open()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=open_, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()
    assert errors == []


def test_opening_a_new_file_does_without_alembic(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from scheduler_lib.store.connections import Connections\n"
        "from scheduler_lib.model.clock import SystemClock\n"
        "from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings\n"
        "connections = Connections(SystemClock())\n"
        "connections.store(DatabaseSettings(sys.argv[1]), CapacitySettings())\n"
        "connections.close()\n"
        "assert 'alembic' not in sys.modules\n"
    )
    url = f"sqlite:///{tmp_path / 'books.sqlite'}"
    assert subprocess.run([sys.executable, "-c", code, url], check=False).returncode == 0


@pytest.mark.parametrize("bare_url", ["postgresql", "mariadb"], indirect=True)
def test_a_server_without_tables_is_left_alone(bare_url: URL) -> None:
    with pytest.raises(SchemaMismatch) as caught:
        _store(bare_url).open()
    assert "scheduler-lib db upgrade" in caught.value.hint
    assert caught.value.fields == {"found": None, "expected": versions.HEAD}
    assert _store(bare_url).current() is None
    assert sa.inspect(sa.create_engine(bare_url, poolclass=sa.NullPool)).get_table_names() == []


def test_an_upgrade_can_be_repeated(bare_url: URL) -> None:
    store = _store(bare_url)
    assert store.upgrade() == versions.HEAD
    assert store.upgrade() == versions.HEAD
    assert store.current() == versions.HEAD
    with store:
        pass


def test_a_newer_database_is_left_alone(bare_url: URL) -> None:
    store = _store(bare_url)
    store.upgrade()
    _run(bare_url, "UPDATE alembic_version SET version_num = '9999'")
    for attempt in (store.open, store.upgrade):
        with pytest.raises(SchemaMismatch) as caught:
            attempt()
        assert caught.value.fields == {"found": "9999", "expected": versions.HEAD}
        assert caught.value.hint == "Upgrade the library."
    assert store.current() == "9999"


def test_each_database_is_opened_once(tmp_path: Path) -> None:
    connections = Connections(SystemClock())
    settings = DatabaseSettings(f"sqlite:///{tmp_path / 'a.sqlite'}")
    other = DatabaseSettings(f"sqlite:///{tmp_path / 'b.sqlite'}")
    first = connections.store(settings, CapacitySettings())
    assert connections.store(DatabaseSettings(settings.connection), CapacitySettings()) is first
    assert connections.store(other, CapacitySettings()) is not first
    connections.close()


@pytest.mark.parametrize(
    "settings",
    [
        DatabaseSettings("no url"),
        DatabaseSettings("oracle://x"),
        DatabaseSettings("postgresql+nothing://x"),
        DatabaseSettings("sqlite://", sqlite_synchronous="OFF"),
    ],
)
def test_wrong_settings_are_named(settings: DatabaseSettings) -> None:
    with pytest.raises(InvalidConfiguration) as caught:
        Store(settings, CapacitySettings(), SystemClock()).open()
    assert caught.value.fields["field"] in ("connection", "sqlite_synchronous")
