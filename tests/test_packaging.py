"""What is installed is whole."""

from __future__ import annotations

import importlib.metadata
import json
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXTRAS = {"postgresql", "mariadb", "testing"}


@pytest.fixture(scope="module")
def installed() -> importlib.metadata.Distribution:
    """Give the distribution in this environment; the source folder may have one beside it."""
    where = [sysconfig.get_path("purelib")]
    found = list(importlib.metadata.distributions(name="scheduler_lib", path=where))
    if not found:
        pytest.skip("scheduler_lib is not installed in this environment")
    return found[0]


@pytest.fixture(scope="module")
def wheel(installed: importlib.metadata.Distribution) -> importlib.metadata.Distribution:
    """Give the distribution, where it was installed from a wheel."""
    source = json.loads(installed.read_text("direct_url.json") or "{}")
    if source.get("dir_info", {}).get("editable"):
        pytest.skip("an editable installation has no files of its own")
    return installed


def test_every_file_of_the_library_is_in_the_wheel(
    wheel: importlib.metadata.Distribution,
) -> None:
    files = {str(path) for path in wheel.files or ()}
    sources = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "scheduler_lib").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert sources <= files


def test_the_license_comes_along(wheel: importlib.metadata.Distribution) -> None:
    assert any(path.name == "LICENSE" for path in wheel.files or ())
    assert wheel.metadata["License-Expression"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_all_holds_every_other_extra(installed: importlib.metadata.Distribution) -> None:
    needs = {}
    for line in installed.requires or ():
        name, _, marker = line.partition(";")
        for extra in (*EXTRAS, "all"):
            if f'extra == "{extra}"' in marker:
                needs.setdefault(extra, set()).add(name.strip())
    assert set(needs) == {*EXTRAS, "all"}
    assert needs["all"] == set().union(*(needs[extra] for extra in EXTRAS))
    assert set(installed.metadata.get_all("Provides-Extra") or ()) == set(needs)


def test_every_requirement_has_a_lower_bound() -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").split()
    assert lines
    assert all(">=" in line for line in lines)
