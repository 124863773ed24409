"""One file's run against one target."""

from __future__ import annotations

import contextlib
import os
import signal
import time
import traceback
import types
import unittest
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from gabbi import fixture as gabbi_fixture
from gabbi import handlers as gabbi_handlers
from gabbi import suitemaker
from gabbi import utils as gabbi_utils

from tests.conformance import files
from tests.conformance.datasets import FIXTURES, Fill, base_environment
from tests.conformance.seeder import Seeder
from tests.conformance.targets import AppTarget, Server, Target

FILE_TIMEOUT_S = 300


@dataclass(frozen=True)
class Failure:
    """A test that did not pass; ``kind`` is fail or error."""

    test: str
    kind: str
    message: str


@dataclass
class FileResult:
    """How one file went; the counts add up to ``tests``."""

    file: str
    fixture: str
    tests: int
    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    profile: str = "-"
    seconds: float = 0.0
    seed_requests: int = 0
    skip_reason: str = ""
    bad: list[Failure] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether every test that could be run passed, and there was one."""
        return bool(self.passed) and self.passed + self.skipped == self.tests


def run_file(
    path: Path, target: Target, *, prefix: str = "", timeout_s: int = FILE_TIMEOUT_S
) -> FileResult:
    """Run a file.

    :param prefix: the path that an app is mounted below.
    :param timeout_s: after so many seconds what is left of the file fails; 0: never.
    """
    content = files.read(path)
    result = FileResult(path.stem, files.fixture_of(content), len(content["tests"]))
    if result.fixture not in FIXTURES:
        return _skipped(result, f"no data set for {result.fixture}")
    result.profile, fill = FIXTURES[result.fixture]
    if result.profile not in target.profiles:
        return _skipped(result, f"the target has no profile {result.profile}")
    outcome = Outcome()
    started = time.perf_counter()
    with _kept_environment():
        try:
            with _alarm(timeout_s):
                run = _Run(path, content, target, result, fill, prefix)
                run.in_process(outcome) if isinstance(target, AppTarget) else run.by_url(outcome)
        except Exception as error:  # noqa: BLE001 - whatever stops a file is what is told of it
            outcome.bad.append(Failure("<fixture>", "error", f"{type(error).__name__}: {error}"))
    result.seconds = round(time.perf_counter() - started, 2)
    return _counted(result, outcome)


class Outcome(unittest.TestResult):
    """Collects what became of each test."""

    def __init__(self) -> None:
        super().__init__()
        self.passed: list[str] = []
        self.bad: list[Failure] = []
        self.unsendable: list[str] = []

    def stopTest(self, test: unittest.TestCase) -> None:
        """Close the test's client: left open, kept-alive connections use up a server's limit."""
        super().stopTest(test)
        http = getattr(test, "http", None)
        if http is not None:
            http.client.close()

    def addSuccess(self, test: unittest.TestCase) -> None:
        """Note that it passed."""
        self.passed.append(_name(test))

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        """Note that it failed."""
        super().addFailure(test, err)
        self.bad.append(Failure(_name(test), "fail", _text(err)))

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        """Note that it broke, or that no client can send it over a socket."""
        if issubclass(err[0], httpx.LocalProtocolError):
            self.unsendable.append(_name(test))
            return
        super().addError(test, err)
        self.bad.append(Failure(_name(test), "error", _text(err)))

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        """Note that it passed: upstream expects it to fail."""
        self.passed.append(_name(test))

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        """Note that it failed."""
        self.bad.append(Failure(_name(test), "fail", "unexpected success"))


class _Run:
    """gabbi builds a file's tests before there is a server, and starts fixtures by their class."""

    def __init__(
        self,
        path: Path,
        content: dict[str, Any],
        target: Target,
        result: FileResult,
        fill: Fill,
        prefix: str,
    ) -> None:
        self._path = path
        self._content = content
        self._target = target
        self._result = result
        self._fill = fill
        self._prefix = prefix.rstrip("/")
        self._server: Server | None = None
        self._handlers = [handler() for handler in gabbi_handlers.RESPONSE_HANDLERS]

    def in_process(self, outcome: Outcome) -> None:
        """Run it against an app."""
        self._suite(str(uuid.uuid4()), 8001, lambda: self._app, self._prefix).run(outcome)

    def by_url(self, outcome: Outcome) -> None:
        """Run it against an address, which is only known once the server runs."""
        with self._filled() as server:
            host, port, prefix, secure = gabbi_utils.host_info_from_target(server.url)
            if secure:
                self._content.setdefault("defaults", {})["ssl"] = True
            suite = self._suite(host, port, None, prefix or "")
            for test in suite:
                test.fixtures = []
            suite.run(outcome)

    @contextlib.contextmanager
    def _filled(self) -> Iterator[Server]:
        with self._target.server(self._result.profile) as server:
            environment: dict[str, str] = {}
            seeder = Seeder(server.client, environment)
            base_environment(seeder)
            self._fill(seeder)
            self._result.seed_requests = seeder.requests
            os.environ.update(environment)
            self._server = server
            yield server

    def _suite(
        self, host: str, port: int, intercept: Callable[[], object] | None, prefix: str
    ) -> Any:
        return suitemaker.test_suite_from_dict(
            unittest.TestLoader(),
            self._path.stem,
            self._content,
            str(self._path.parent),
            host,
            port,
            types.SimpleNamespace(**{self._result.fixture: self._fixture_class()}),
            intercept,
            prefix=prefix,
            handlers=self._handlers,
            test_loader_name="gabbi_conformance",
        )

    def _fixture_class(self) -> type[gabbi_fixture.GabbiFixture]:
        filled = self._filled

        class Filled(gabbi_fixture.GabbiFixture):  # type: ignore[misc]
            def start_fixture(self) -> None:
                self._stack = contextlib.ExitStack()
                self._stack.enter_context(filled())

            def stop_fixture(self) -> None:
                self._stack.close()

        return Filled

    def _app(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        assert self._server is not None
        assert self._server.app is not None
        environ["SCRIPT_NAME"] = ""
        if self._prefix and environ["PATH_INFO"].startswith(self._prefix):
            environ["SCRIPT_NAME"] = self._prefix
            environ["PATH_INFO"] = environ["PATH_INFO"][len(self._prefix) :]
        answer: Iterable[bytes] = self._server.app(environ, start_response)
        return answer


def _skipped(result: FileResult, reason: str) -> FileResult:
    result.skipped, result.skip_reason = result.tests, reason
    return result


def _counted(result: FileResult, outcome: Outcome) -> FileResult:
    result.bad = outcome.bad
    result.passed = len(outcome.passed)
    result.failed = sum(bad.kind == "fail" for bad in outcome.bad)
    result.skipped = len(outcome.unsendable)
    # A fixture that breaks stops the file: every test that did not pass counts.
    result.errors = result.tests - result.passed - result.failed - result.skipped
    if outcome.unsendable:
        result.skip_reason = f"no client can send: {'; '.join(outcome.unsendable)}"
    if any(bad.test == "<fixture>" for bad in outcome.bad):
        result.errors = max(result.errors, 1)
        result.passed = min(result.passed, result.tests - 1)
    return result


@contextlib.contextmanager
def _kept_environment() -> Iterator[None]:
    before = dict(os.environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _alarm(seconds: int) -> Iterator[None]:
    if not seconds:
        yield
        return

    def ring(_signal: int, _frame: object) -> None:
        raise TimeoutError(f"the file took more than {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _name(test: unittest.TestCase) -> str:
    data = getattr(test, "test_data", None)
    return str(data["name"]) if data else str(test)


def _text(error: Any) -> str:
    return "".join(traceback.format_exception_only(error[0], error[1])).strip()
