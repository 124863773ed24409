"""What every folder of tests may ask for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import KINDS, Databases


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """Databases on the servers there are."""
    lent = Databases()
    yield lent
    lent.close()


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest, databases: Databases, tmp_path: Path) -> str:
    """The URL of an empty database, of each kind in turn."""
    return databases.url(request.param, tmp_path)
