"""The client's own environment, and a server for it."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import peers
from tests.served import served

VERSION = "4.9."
TIMEOUT_S = 240


@dataclass(frozen=True)
class Said:
    """What a command said.

    :ivar code: its exit code.
    """

    code: int
    output: str
    error: str

    @property
    def json(self) -> Any:
        """The output, read as JSON."""
        return json.loads(self.output)


class Client:
    """``openstack`` with osc-placement, talking to one server."""

    def __init__(self, python: Path, url: str) -> None:
        self._python = python
        self._access = (
            "--os-auth-type",
            "admin_token",
            "--os-endpoint",
            url,
            "--os-token",
            "admin",
        )

    def run(self, *lines: str, version: str | None = "1.39") -> list[Said]:
        """Run commands, each a line; those that print tables or values print JSON.

        :param version: the microversion; None: what the client agrees on with the server.
        """
        wanted = () if version is None else ("--os-placement-api-version", version)
        commands = [[*self._access, *wanted, *shlex.split(line)] for line in lines]
        done = self._done([self._python, "-m", "tests.osc.commands"], json.dumps(commands))
        return [Said(**item) for item in json.loads(done.stdout.splitlines()[-1])]

    def program(self, line: str, version: str = "1.39") -> Said:
        """Run one command as a process of its own."""
        program = self._python.parent / "openstack"
        wanted = ("--os-placement-api-version", version)
        done = self._done([program, *self._access, *wanted, *shlex.split(line)], check=False)
        return Said(done.returncode, done.stdout, done.stderr)

    def _done(
        self, command: Sequence[str | Path], given: str = "", *, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            input=given,
            cwd=peers.ROOT,
            capture_output=True,
            text=True,
            check=check,
            timeout=TIMEOUT_S,
        )


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """The client and an empty server."""
    python = peers.interpreter("osc", "osc-placement", VERSION)
    with served(tmp_path) as url:
        yield Client(python, url)
