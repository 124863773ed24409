"""What an operator meets on the way: odd files, closed streams, another program's database."""

from __future__ import annotations

import csv
import io
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from scheduler_lib import conf
from scheduler_lib.cmd.main import OneLine
from scheduler_lib.cmd.trace.reading import read_tasks
from scheduler_lib.exceptions import InvalidConfiguration, InvalidFile
from scheduler_lib.store import versions
from tests.cmd.conftest import Command
from tests.cmd.test_reading import TASKS

GOOD = "{},1,1,0,0,,LS,Running,7,12,7\n"


def test_one_thing_is_written_as_csv_too(on_books: Command) -> None:
    done = on_books("db", "upgrade", "-f", "csv")
    assert done.code == 0, done.err
    assert list(csv.reader(io.StringIO(done.out))) == [["before", "revision"], ["", versions.HEAD]]


def test_a_file_that_is_no_database_is_told_in_one_line(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "text.sqlite"
    path.write_text("this is no database " * 100)
    done = command("--connection", f"sqlite:///{path}", "host", "list")
    assert done.code == 1
    assert "is no database of ours" in done.err
    assert "Traceback" not in done.err
    assert done.err.count("\n") == 1


def test_a_log_line_leaves_its_traceback_to_other_handlers() -> None:
    try:
        int("broken")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "", 1, "it broke", (), sys.exc_info())
    assert OneLine("%(message)s").format(record) == "it broke"
    assert "Traceback" in logging.Formatter("%(message)s").format(record)


def test_closed_streams_raise_no_traceback(url: str) -> None:
    program = f"import os, sys; os.close(1); os.close(2); from scheduler_lib.cmd.main import main; \
sys.stdout = sys.stderr = None; sys.exit(main(['--connection', {url!r}, 'host', 'delete', 'h1']))"
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
    assert done.returncode == 1
    assert done.stderr == b""


@pytest.mark.parametrize("content", [None, b"\xfb\xff\x00"], ids=["directory", "no text"])
def test_a_configuration_that_cannot_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.conf"
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(InvalidConfiguration, match=r"odd\.conf") as caught:
        conf.load(config_files=[path])
    assert caught.value.fields["field"] == "config_files"


def test_a_request_nested_too_deeply_is_told(on_books: Command, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000)
    done = on_books("select", "--request", str(path))
    assert (done.code, "nested too deeply" in done.err) == (1, True)


def test_a_row_with_a_huge_field_is_told_by_its_line_and_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    path.write_text(TASKS + GOOD.format("a") + GOOD.format("x" * 1_000_000) + GOOD.format("b"))
    with pytest.raises(InvalidFile, match="line 3"):
        read_tasks(path)
    rows = read_tasks(path, skip_bad_rows=True)
    assert [task.name for task in rows.good] == ["a", "b"]
    assert [error.fields["line"] for error in rows.skipped] == [3]


@pytest.mark.parametrize("text", ["", "name,cpu_milli\na,1\n", TASKS, "x" * 200_000])
def test_a_file_without_rows_or_columns_gets_no_hint_about_rows(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tasks.csv"
    path.write_text(text)
    with pytest.raises(InvalidFile) as caught:
        read_tasks(path, skip_bad_rows=True)
    assert "--skip-bad-rows" not in caught.value.hint
