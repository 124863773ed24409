"""The files that the installed openstack-placement brings along."""

from __future__ import annotations

import fnmatch
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gabbi import utils as gabbi_utils

from tests.conformance.datasets import FIXTURES


class NoFiles(Exception):
    """openstack-placement is not installed, or no file has such a name."""


def upstream_folder() -> Path:
    """Return the folder of openstack-placement's gabbi files.

    :raises NoFiles: when it is not installed.
    """
    found = importlib.util.find_spec("placement")
    if found is None or not found.submodule_search_locations:
        raise NoFiles("openstack-placement is not installed; install it, or give --gabbits")
    return Path(found.submodule_search_locations[0], "tests", "functional", "gabbits")


def select(folder: Path, only: Sequence[str] = (), skip: Sequence[str] = ()) -> list[Path]:
    """Return the files of a folder, sorted.

    :param only: patterns of the names wanted; all when empty.
    :param skip: patterns of names not wanted.
    :raises NoFiles: when none is left.
    """
    found = [
        path
        for path in sorted(folder.glob("*.yaml"))
        if (not only or _matches(path, only)) and not _matches(path, skip)
    ]
    if not found:
        raise NoFiles(f"no such files in {folder}")
    return found


def read(path: Path) -> dict[str, Any]:
    """Return a file's content."""
    content: dict[str, Any] = gabbi_utils.load_yaml(yaml_file=str(path))
    return content


def fixture_of(content: dict[str, Any]) -> str:
    """Return the name of the fixture that a file asks for."""
    return ",".join(content.get("fixtures") or ["APIFixture"])


def listing(paths: Sequence[Path]) -> str:
    """Return a table of files: name, fixture, profile, number of tests."""
    lines = []
    total = 0
    for path in paths:
        content = read(path)
        fixture, count = fixture_of(content), len(content["tests"])
        total += count
        profile = FIXTURES[fixture][0] if fixture in FIXTURES else "?"
        lines.append(f"{path.stem:46} {fixture:30} {profile:12} {count:4}")
    return "\n".join([*lines, f"{len(paths)} files, {total} tests"])


def _matches(path: Path, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(path.stem, pattern) for pattern in patterns)
