"""``db import-placement``: what it prints, and how it says no."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.cmd.conftest import Command
from tests.store.placement_source import PlacementPeer


@pytest.fixture
def source(tmp_path: Path) -> Iterator[str]:
    """A Placement database with one provider, and one consumer of it."""
    peer = PlacementPeer(f"sqlite:///{tmp_path / 'placement.sqlite'}")
    try:
        uuid = peer.provider("h1", VCPU={"total": 4})
        peer.claim(str(uuid4()), {uuid: {"VCPU": 3}})
        yield peer.url
    finally:
        peer.close()


def test_a_copy_is_told_table_by_table(on_books: Command, source: str) -> None:
    done = on_books("db", "import-placement", "--from", source, "-f", "json")
    rows = {row["table"]: row for row in done.json}
    for table, count in (("resource_providers", 1), ("inventories", 1), ("allocations", 1)):
        assert rows[table] == {
            "table": table, "in the source": count, "here": count, "only here": 0,
        }  # fmt: skip
    assert "written: 1 providers, 1 consumers" in done.err
    again = on_books("db", "import-placement", "--from", source)
    assert "written: 0 providers, 0 consumers" in again.err
    tree = on_books("provider", "tree", "h1", "-f", "json")
    assert "h1" in tree.out


def test_a_database_is_not_copied_into_itself(command: Command, source: str) -> None:
    before = Path(source.removeprefix("sqlite:///")).read_bytes()
    done = command("--connection", source, "db", "import-placement", "--from", source)
    assert done.code == 1
    assert "is the configured database itself" in done.err
    assert Path(source.removeprefix("sqlite:///")).read_bytes() == before


def test_what_is_no_placement_database_is_told(
    on_books: Command, two_hosts: None, url: str, tmp_path: Path
) -> None:
    other = f"sqlite:///{tmp_path / 'other.sqlite'}"
    assert on_books("db", "import-placement", "--from", other).code == 1
    done = on_books("--connection", other, "db", "import-placement", "--from", url)
    assert done.code == 1
    assert "placement-manage db sync" in done.err
