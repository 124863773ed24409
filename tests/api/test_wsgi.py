"""The application that a server imports, and the command that serves it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from falcon.testing import TestClient

from scheduler_lib.api.wsgi import FILES, LazyApplication
from scheduler_lib.exceptions import InvalidConfiguration
from scheduler_lib.testing.api import ADMIN

OPTIONS = """
[api]
auth_strategy = noauth2
[database]
connection = sqlite:///{unused}
[placement_database]
connection = sqlite:///{used}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "placement.conf"
    unused, used = tmp_path / "unused.sqlite", tmp_path / "used.sqlite"
    path.write_text(OPTIONS.format(unused=unused, used=used))
    return path


def test_the_files_are_named_in_the_environment(file: Path) -> None:
    client = TestClient(LazyApplication({FILES: str(file)}), headers=dict(ADMIN))
    assert client.simulate_get("/resource_providers").json == {"resource_providers": []}


def test_the_books_are_in_the_database_of_placement_if_there_is_one(file: Path) -> None:
    TestClient(LazyApplication({FILES: str(file)})).simulate_get("/")
    assert (file.parent / "used.sqlite").exists()
    assert not (file.parent / "unused.sqlite").exists()


def test_what_is_wrong_with_the_files_is_told(tmp_path: Path) -> None:
    application = LazyApplication({FILES: str(tmp_path / "nowhere.conf")})
    with pytest.raises(InvalidConfiguration, match="nowhere"):
        TestClient(application).simulate_get("/")


@contextmanager
def served(file: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "scheduler_lib", "--config-file", str(file)]
    process = subprocess.Popen(
        [*command, "serve", "placement", "--port", "0", *options],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    try:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found is not None
        yield process, found[0]
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_the_command_serves_until_it_is_told_to_stop(file: Path) -> None:
    with served(file) as (process, url):
        request = urllib.request.Request(f"{url}/resource_providers", headers=ADMIN)
        with urllib.request.urlopen(request) as answer:
            assert json.load(answer) == {"resource_providers": []}
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 0


def test_a_port_that_is_taken_is_told_in_one_line(file: Path) -> None:
    with served(file) as (_, url):
        port = url.rpartition(":")[2]
        second = subprocess.run(
            [sys.executable, "-m", "scheduler_lib", "--config-file", str(file), "serve",
             "placement", "--port", port],
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip
    assert second.returncode == 1
    assert "cannot be listened on" in second.stderr
    assert "Traceback" not in second.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--threads", "0"], "at least 1"),
        (["--port", "70000"], "is no port"),
        (["--port", "many"], "invalid port value"),
        (["--host", "nosuch.invalid"], "nosuch.invalid:8778 cannot be listened on"),
    ],
)
def test_options_that_cannot_work_are_told_in_one_line(
    file: Path, options: list[str], told: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scheduler_lib", "--config-file", str(file), "serve", "placement",
         *options],
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode in (1, 2)
    assert told in done.stderr
    assert "Traceback" not in done.stderr
