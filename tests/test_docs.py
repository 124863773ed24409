"""Tables of the reference agree with the code."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from scheduler_lib import exceptions
from scheduler_lib.cmd.trace.placing import Amounts, Count
from scheduler_lib.cmd.trace.report import Outcome, summary
from scheduler_lib.exceptions import SchedulerLibError
from scheduler_lib.model.stats import ALIASES, KNOWN

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.rglob("*.rst"))


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def tree() -> dict[str, str]:
    classes = [getattr(exceptions, name) for name in exceptions.__all__]
    return {item.__name__: item.code for item in classes if issubclass(item, SchedulerLibError)}


def test_every_error_is_in_the_table_with_its_code() -> None:
    rows = re.findall(r"\* - ``(\w+)``\n     - ``([\w.]+)``", page("reference/errors.rst"))
    assert len(rows) == len(dict(rows))
    assert dict(rows) == tree()


def test_the_tree_is_drawn_as_in_the_code() -> None:
    drawn = (exceptions.__doc__ or "").split("::\n\n")[1].split("\n\nEach class")[0]
    assert textwrap.indent(textwrap.dedent(drawn), "   ") in page("reference/errors.rst")


def test_every_error_of_the_tree_is_exported_and_has_a_code_of_its_own() -> None:
    everything = {
        name
        for name, item in vars(exceptions).items()
        if isinstance(item, type) and issubclass(item, SchedulerLibError)
    }
    assert everything == set(tree())
    assert len(set(tree().values())) == len(everything)


def test_every_field_of_a_report_is_in_the_table() -> None:
    text = page("reference/stats.rst")
    rows = set(re.findall(r"\* - ``(\w+)``", text))
    aside = set(re.findall(r"``(\w+)``", text.split("Left aside")[1]))
    assert rows | aside | set(ALIASES) == KNOWN
    for alias in ALIASES:
        assert f"``{alias}``" in text


def test_every_figure_of_a_replay_is_in_the_table() -> None:
    figures = summary([Outcome(1, Count(), Amounts(), Amounts(), True)])
    rows = set(re.findall(r"\* - ``(\w+)``", page("howto/replay.rst")))
    assert set(figures) <= rows


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r":doc:`(?:[^`<]*<)?([^`>]+)>?`", text):
        base = DOCS if target.startswith("/") else path.parent
        assert (base / f"{target.lstrip('/')}.rst").is_file(), target


def blocks(text: str, kind: str) -> list[str]:
    found = re.findall(rf"^\.\. code-block:: {kind}\n\n((?:   .*\n|\n)+)", text, re.MULTILINE)
    return [textwrap.dedent(item).strip() + "\n" for item in found]


def test_the_tutorial_prints_what_it_says(tmp_path: Path) -> None:
    text = page("tutorial.rst")
    code = "\n".join(blocks(text, "python"))
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(blocks(text, "text"))
