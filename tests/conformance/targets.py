"""Servers that files can be run against: each gives an empty one for each file."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Protocol

import httpx

from tests.conformance.profiles import PROFILES
from tests.conformance.seeder import Seeder, wipe

START_TIMEOUT_S = 30.0
REQUEST_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Server:
    """An empty server.

    :ivar client: sends requests to it.
    :ivar app: the WSGI app, when it is in this process.
    :ivar url: its address, when it is not.
    """

    client: httpx.Client
    app: Callable[..., Any] | None = None
    url: str = ""


class Target(Protocol):
    """Gives empty servers."""

    profiles: Sequence[str]

    def server(self, profile: str) -> contextlib.AbstractContextManager[Server]:
        """Return an empty server with that profile."""


class AppTarget:
    """A callable that gives a fresh WSGI app each time."""

    def __init__(
        self, factory: Callable[..., Any], profiles: Sequence[str] | None = None, **given: object
    ) -> None:
        self._factory = factory
        self._given = given
        self._takes_profile = _takes_profile(factory)
        self.profiles = profiles or (PROFILES if self._takes_profile else PROFILES[:1])

    @contextlib.contextmanager
    def server(self, profile: str) -> Iterator[Server]:
        """Make an app; it is closed in the end."""
        asked = {"profile": profile} if self._takes_profile else {}
        made = self._factory(**asked, **self._given)
        app, close = made if isinstance(made, tuple) else (made, getattr(made, "close", None))
        client = httpx.Client(
            transport=httpx.WSGITransport(app=app), base_url="http://seed.invalid"
        )
        try:
            yield Server(client, app=app)
        finally:
            client.close()
            if close:
                close()


class UrlTarget:
    """A server that runs already.

    :param urls: each ``URL`` or ``PROFILE=URL``.
    :param empties: empty it before each file.
    :param reset_command: run before each file; ``{profile}`` is filled in.
    """

    def __init__(
        self,
        urls: Sequence[str],
        profiles: Sequence[str] | None = None,
        *,
        empties: bool = False,
        reset_command: str | None = None,
    ) -> None:
        self._urls = dict(_named_url(item) for item in urls)
        self._empties = empties
        self._reset_command = reset_command
        self.profiles = profiles or tuple(self._urls)

    @contextlib.contextmanager
    def server(self, profile: str) -> Iterator[Server]:
        """Empty the server, if that was asked for."""
        url = self._urls.get(profile) or self._urls["default"]
        with httpx.Client(base_url=url, timeout=REQUEST_TIMEOUT_S) as client:
            if self._reset_command:
                subprocess.run(shlex.split(self._reset_command.format(profile=profile)), check=True)
            if self._empties:
                wipe(Seeder(client, {}))
            yield Server(client, url=url)


class ServeTarget:
    """A command that starts a server on a free port, once a file.

    :param command: ``{port}`` and ``{profile}`` are filled in.
    """

    def __init__(self, command: str, profiles: Sequence[str] | None = None) -> None:
        self._command = command
        self.profiles = profiles or (PROFILES if "{profile}" in command else PROFILES[:1])

    @contextlib.contextmanager
    def server(self, profile: str) -> Iterator[Server]:
        """Start the command; stop it in the end.

        :raises RuntimeError: when nothing answers.
        """
        port = free_port()
        command = shlex.split(self._command.format(port=port, profile=profile))
        url = f"http://127.0.0.1:{port}"
        with (
            running(command) as (process, log),
            httpx.Client(base_url=url, timeout=REQUEST_TIMEOUT_S) as client,
        ):
            _wait_for_answer(client, process, log)
            yield Server(client, url=url)


def load(name: str) -> Callable[..., Any]:
    """Return what ``module:callable`` names; modules of the current directory are found too."""
    sys.path.insert(0, os.getcwd())
    module, _, attribute = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in (attribute or "make_app").split("."):
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(command: Sequence[str]) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """Run a command, with what it says in a file; stop it and its children in the end."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        try:
            yield process, log
        finally:
            _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_for_answer(
    client: httpx.Client, process: subprocess.Popen[bytes], log: IO[bytes]
) -> None:
    latest = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            client.get("/")
        except httpx.TransportError:
            if process.poll() is not None or time.monotonic() > latest:
                log.seek(0)
                said = log.read()[-2000:].decode(errors="replace")
                raise RuntimeError(f"no server (exit {process.poll()}): {said}") from None
            time.sleep(0.05)
        else:
            return


def _takes_profile(factory: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(item.name == "profile" or item.kind is item.VAR_KEYWORD for item in parameters)


def _named_url(item: str) -> tuple[str, str]:
    name, found, url = item.partition("=")
    return (name, url.rstrip("/")) if found and "://" not in name else ("default", item.rstrip("/"))
