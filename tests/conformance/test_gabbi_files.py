"""Every gabbi file of openstack-placement passes, in every profile, on every kind of database."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests import peers
from tests.databases import Databases

KINDS = ("memory", "postgresql", "mariadb")
TESTS_UPSTREAM = 1316
FAILURES_SHOWN = 5

# What openstack-placement and its libraries warn of is not ours to mend.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(300)]


NOT_HERE = "openstack-placement and gabbi are not installed here: run `tox -e conformance`"


def _paths() -> list[Path]:
    if not importlib.util.find_spec("placement") or not importlib.util.find_spec("gabbi"):
        return []
    from tests.conformance import files

    return files.select(files.upstream_folder())


def _cases() -> list[object]:
    none = pytest.param(None, id="all", marks=pytest.mark.skip(reason=NOT_HERE))
    return [pytest.param(path, id=path.stem) for path in _paths()] or [none]


@pytest.fixture
def connection(kind: str, databases: Databases, tmp_path: Path) -> str | None:
    """The URL of an empty database; None: in memory."""
    return None if kind == "memory" else databases.url(kind, tmp_path)


def test_there_are_as_many_tests_as_upstream_has() -> None:
    peers.need_reference()
    from tests.conformance import files

    assert sum(len(files.read(path)["tests"]) for path in _paths()) == TESTS_UPSTREAM


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", _cases())
def test_file(path: Path, kind: str, connection: str | None) -> None:
    from tests.conformance.running import run_file
    from tests.conformance.targets import AppTarget, load

    given = {} if connection is None else {"connection": connection}
    result = run_file(path, AppTarget(load(peers.app_under_test()), **given))
    told = [f"{bad.test}: {bad.message[:600]}" for bad in result.bad[:FAILURES_SHOWN]]
    assert result.passed == result.tests, "\n".join(
        [f"{result.passed} of {result.tests} pass; {result.skip_reason}", *told]
    )
