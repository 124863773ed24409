"""Other people's software that tests need: here, or in an environment of its own.

A test that misses it is skipped and says why; with ``SCHEDULER_LIB_TEST_REQUIRE_PEERS=1`` it fails.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent

OURS = "scheduler_lib.testing.api:make_app"


def app_under_test() -> str:
    """Return the name of the callable that makes the app to be tested; ours unless told."""
    return os.environ.get("SCHEDULER_LIB_TEST_PLACEMENT_APP", OURS)


def need_reference() -> None:
    """Skip what runs beside openstack-placement, where it is not installed."""
    for name in ("placement", "gabbi", "oslotest", "httpx", "wsgi_intercept"):
        need(name, "run `tox -e conformance`")


def need(module: str, how: str) -> None:
    """Skip what needs a module that is not installed.

    :param how: what to do then.
    """
    if importlib.util.find_spec(module) is None:
        missing(f"{module} is not installed here: {how}")


def interpreter(environment: str, distribution: str, version: str) -> Path:
    """Return a Python that has a distribution; skips the test when there is none.

    :param environment: tox makes it; ``SCHEDULER_LIB_TEST_<ENVIRONMENT>_PYTHON`` names another.
    :param version: how the distribution's version begins.
    """
    variable = f"SCHEDULER_LIB_TEST_{environment.upper()}_PYTHON"
    named = os.environ.get(variable)
    python = Path(named) if named else ROOT / ".tox" / environment / "bin" / "python"
    how = f"run `tox -e {environment}`, or name another interpreter in {variable}"
    if not named and not python.exists():
        _make(environment, how)
    found = _version(python, distribution)
    if not found.startswith(version):
        missing(f"{python} has {distribution} {found or '(none)'}, not {version}: {how}")
    return python


def missing(reason: str) -> NoReturn:
    """Skip the test, or fail it where the peers have to be there."""
    if os.environ.get("SCHEDULER_LIB_TEST_REQUIRE_PEERS") == "1":
        pytest.fail(reason)
    pytest.skip(reason, allow_module_level=True)


def _make(environment: str, how: str) -> None:
    if importlib.util.find_spec("tox") is None:
        missing(f"no environment {environment}: {how}")
    command = [sys.executable, "-m", "tox", "run", "-e", environment, "--notest"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if made.returncode:
        missing(f"`tox -e {environment}` failed: {made.stdout[-500:]}")


def _version(python: Path, distribution: str) -> str:
    asked = f"import importlib.metadata; print(importlib.metadata.version({distribution!r}))"
    try:
        answer = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return answer.stdout.strip()
