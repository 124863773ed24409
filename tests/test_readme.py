"""What the README shows is what happens."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.serving import typed

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.rst").read_text(encoding="utf-8")


def block(kind: str, number: int = 0) -> str:
    """Return one indented block that follows a ``code-block`` of this kind."""
    pattern = rf"^\.\. code-block:: {kind}\n\n((?:    .*\n|\n)+)"
    return textwrap.dedent(re.findall(pattern, README, re.MULTILINE)[number]).strip() + "\n"


def run(code: str, state: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:scheduler_lib", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "XDG_STATE_HOME": str(state)},
    )
    return done.stdout


def test_the_ten_lines_print_what_the_readme_says(tmp_path: Path) -> None:
    assert run(block("python"), tmp_path) == block("text")


def test_the_code_is_ten_lines_beside_its_imports() -> None:
    lines = [line for line in block("python").splitlines() if line.strip()]
    assert len([line for line in lines if "import" not in line]) <= 10


def test_the_placement_api_gives_the_candidates_of_the_ten_lines(tmp_path: Path) -> None:
    run(block("python"), tmp_path)
    answer = json.loads(typed(block("sh"), tmp_path))
    assert len(answer["allocation_requests"]) == 1
    assert len(answer["provider_summaries"]) == 1


@pytest.mark.parametrize("link", sorted(set(re.findall(r"<([^>`]+\.rst)>`_", README))))
def test_every_page_that_is_linked_is_there(link: str) -> None:
    assert (ROOT / link).is_file()


def test_both_commands_are_there_as_they_are_to_be_typed() -> None:
    start = "    python3 -m venv .venv && .venv/bin/pip install "
    assert f"{start}. && .venv/bin/scheduler-lib demo\n" in README
    assert f"{start}tox && .venv/bin/tox\n" in README


@pytest.mark.parametrize("name", sorted(set(re.findall(r"tox -e (\w+)", README))))
def test_every_environment_that_is_named_is_there(name: str) -> None:
    assert f"[testenv:{name}]" in (ROOT / "tox.ini").read_text(encoding="utf-8")
