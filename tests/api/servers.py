"""Server processes for tests, on one database, and a client that goes from one to the next."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scheduler_lib.testing.api import ADMIN


@dataclass(frozen=True)
class Answer:
    status: int
    json: Any

    @property
    def detail(self) -> str:
        return str(self.json["errors"][0]["detail"])


class Caller:
    """Sends each request over a kept connection to one server."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)

    def send(self, method: str, path: str, body: object = None) -> Answer:
        text = None if body is None else json.dumps(body)
        headers = {**ADMIN, "content-type": "application/json"} if text else dict(ADMIN)
        self._connection.request(method, path, text, headers)
        answer = self._connection.getresponse()
        data = answer.read()
        return Answer(answer.status, json.loads(data) if data else None)

    def close(self) -> None:
        self._connection.close()


@contextmanager
def served(connection: str, folder: Path) -> Iterator[str]:
    """Run one server process; give its URL."""
    file = folder / "placement.conf"
    escaped = connection.replace("$", "$$")
    file.write_text(f"[api]\nauth_strategy = noauth2\n[database]\nconnection = {escaped}\n")
    command = [sys.executable, "-m", "scheduler_lib", "--config-file", str(file)]
    process = subprocess.Popen(
        [*command, "serve", "placement", "--port", "0", "--threads", "8"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, line
        yield found[0]
    finally:
        process.terminate()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


@contextmanager
def several(count: int, connection: str, folder: Path) -> Iterator[list[str]]:
    """Run server processes on one database; give their URLs."""
    with ExitStack() as stack:
        yield [stack.enter_context(served(connection, folder)) for _ in range(count)]
