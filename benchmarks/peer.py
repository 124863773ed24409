"""The peer: nova 34.0.0, in an environment of its own, never imported here.

``SCHEDULER_LIB_BENCH_NOVA_PYTHON`` names an interpreter that has it; else ``.tox/nova`` is used,
and made by ``tox -e nova`` when it is not there.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks import processes

VARIABLE = "SCHEDULER_LIB_BENCH_NOVA_PYTHON"
VERSION = "34.0.0"


class PeerMissing(Exception):
    """There is no interpreter that has the peer, and none could be made."""


class NovaPeer:
    """nova's answers and times; each measurement is made once."""

    def __init__(self, python: str) -> None:
        self._python = python
        self._measured: dict[tuple[str, ...], dict[str, Any]] = {}

    def measure(
        self,
        *,
        hosts: int,
        instances: int = 1,
        repeat: int = 3,
        request: str = "open",
        weighers: str = "default",
        levels: str = "filter_weigh,schedule,select",
    ) -> dict[str, Any]:
        """Run the peer's script; give what it printed."""
        given = {
            "hosts": hosts,
            "instances": instances,
            "repeat": repeat,
            "request": request,
            "weighers": weighers,
            "levels": levels,
        }
        arguments = tuple(f"--{name}={value}" for name, value in given.items())
        if arguments not in self._measured:
            script = [self._python, "-m", "benchmarks.peers.nova_peer"]
            self._measured[arguments] = json.loads(processes.run([*script, *arguments]).output)
        return self._measured[arguments]


def interpreter() -> str:
    """Give an interpreter that has the peer, making its environment if need be.

    :raises PeerMissing: saying what to do.
    """
    named = os.environ.get(VARIABLE)
    python = named or str(_own_interpreter())
    version = _version(python)
    if version != VERSION:
        raise PeerMissing(
            f"{python} has nova {version or '(none)'}, not {VERSION}: run `tox -e nova`, or name "
            f"another interpreter in {VARIABLE}"
        )
    return python


def _own_interpreter() -> Path:
    python = processes.ROOT / ".tox" / "nova" / "bin" / "python"
    if not python.exists():
        if importlib.util.find_spec("tox") is None:
            raise PeerMissing(f"no {python}: run `tox -e nova`, or set {VARIABLE}")
        command = [sys.executable, "-m", "tox", "run", "-e", "nova", "--notest"]
        made = subprocess.run(command, cwd=processes.ROOT, capture_output=True, text=True)
        if made.returncode:
            raise PeerMissing(f"`tox -e nova` failed: {made.stdout[-500:]}")
    return python


def _version(python: str) -> str | None:
    asked = "import importlib.metadata; print(importlib.metadata.version('nova'))"
    try:
        answer = subprocess.run([python, "-c", asked], capture_output=True, text=True)
    except OSError:
        return None
    return answer.stdout.strip() or None
