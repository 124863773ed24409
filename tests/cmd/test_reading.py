"""Rows of a recorded cluster: what can be read is read, what cannot is told by its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_lib.cmd.trace.reading import Node, Task, read_nodes, read_tasks
from scheduler_lib.exceptions import InvalidFile

NODES = "sn,cpu_milli,memory_mib,gpu,model\n"
TASKS = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n"
)


def file(path: Path, text: str) -> Path:
    target = path / "rows.csv"
    target.write_text(text, encoding="utf-8")
    return target


def test_a_node_is_read(tmp_path: Path) -> None:
    rows = read_nodes(file(tmp_path, NODES + "n1,64000,262144,2,P100\n"))
    assert rows.good == (Node("n1", 64000, 262144, 2, "P100"),)
    assert rows.skipped == ()


def test_a_task_is_read_with_its_models_once_and_in_order(tmp_path: Path) -> None:
    rows = read_tasks(file(tmp_path, TASKS + "t1,6000,12288,1,460,T4|P100|T4,LS,Running,7,12,7\n"))
    assert rows.good == (Task("t1", 6000, 12288, 1, 460, ("P100", "T4"), 7.0, 12.0),)


def test_a_task_without_a_departure_stays(tmp_path: Path) -> None:
    rows = read_tasks(file(tmp_path, TASKS + "t1,6000,0,0,0,,LS,Running,7,,\n"))
    assert rows.good[0].deleted_s is None


def test_columns_may_come_in_any_order_and_lines_may_be_blank(tmp_path: Path) -> None:
    text = "\ufeffmodel,sn,gpu,memory_mib,cpu_milli,more\n\nT4,n1,1,2,3,x\n\n"
    assert read_nodes(file(tmp_path, text)).good == (Node("n1", 3, 2, 1, "T4"),)


BROKEN_TASKS = [
    ("t1,6000,12288,1,460,,LS,Running,7", "9 fields"),
    ("t1,many,12288,1,460,,LS,Running,7,12,7", "cpu_milli"),
    ("t1,-6,12288,1,460,,LS,Running,7,12,7", "cpu_milli"),
    ("t1,1.5,12288,1,460,,LS,Running,7,12,7", "cpu_milli"),
    ("t1,1_000,12288,1,460,,LS,Running,7,12,7", "cpu_milli"),
    ("t1,99999999999,12288,1,460,,LS,Running,7,12,7", "cpu_milli"),
    ("t1,4294967296,12288,1,460,,LS,Running,7,12,7", "cpu_milli"),
    ("t1,1,1,1,1001,,LS,Running,7,12,7", "gpu_milli"),
    ("t1,1,1,2,500,,LS,Running,7,12,7", "a part of a GPU"),
    ("t1,1,1,1,0,,LS,Running,7,12,7", "gpu_milli"),
    ("t1,1,1,1,1000,t4!,LS,Running,7,12,7", "gpu_spec"),
    ("t1,1,1,1,1000,T4||A10,LS,Running,7,12,7", "gpu_spec"),
    ("t1,0,0,0,0,,LS,Running,7,12,7", "asks for nothing"),
    ("t1,1,1,0,0,,LS,Running,x,12,7", "creation_time"),
    ("t1,1,1,0,0,,LS,Running,nan,12,7", "creation_time"),
    ("t1,1,1,0,0,,LS,Running,13,12,7", "before creation_time"),
    (",1,1,0,0,,LS,Running,7,12,7", "name"),
    ("t0,1,1,0,0,,LS,Running,7,12,7", "twice"),
]


@pytest.mark.parametrize(("row", "what"), BROKEN_TASKS)
def test_a_broken_task_is_told_by_file_and_line(tmp_path: Path, row: str, what: str) -> None:
    good = "t0,1,1,0,0,,LS,Running,7,12,7\n"
    path = file(tmp_path, TASKS + good + row + "\n" + good.replace("t0", "t2"))
    with pytest.raises(InvalidFile, match=what) as caught:
        read_tasks(path)
    assert caught.value.fields == {"path": str(path), "line": 3}
    assert f"{path}, line 3:" in caught.value.message
    assert "--skip-bad-rows" in caught.value.hint


@pytest.mark.parametrize(("row", "what"), BROKEN_TASKS)
def test_broken_tasks_are_left_out_on_demand(tmp_path: Path, row: str, what: str) -> None:
    good = "t0,1,1,0,0,,LS,Running,7,12,7\n"
    path = file(tmp_path, TASKS + good + row + "\n" + good.replace("t0", "t2"))
    rows = read_tasks(path, skip_bad_rows=True)
    assert [task.name for task in rows.good] == ["t0", "t2"]
    assert [error.fields["line"] for error in rows.skipped] == [3]
    assert what in rows.skipped[0].message


@pytest.mark.parametrize(
    "row", ["n1,1,1,1,p100", "n1,1,1,1025,T4", "n1,0,0,0,", "n1,1,1,,T4", "x\ty,1,1,1,T4"]
)
def test_a_broken_node_is_told_by_file_and_line(tmp_path: Path, row: str) -> None:
    with pytest.raises(InvalidFile) as caught:
        read_nodes(file(tmp_path, NODES + row + "\n"))
    assert caught.value.fields["line"] == 2


def test_bytes_that_are_no_text_break_their_row_alone(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(NODES.encode() + b"n1,1,1,0,\nn\xff2,1,1,0,\n")
    rows = read_nodes(path, skip_bad_rows=True)
    assert [node.name for node in rows.good] == ["n1"]
    assert [error.fields["line"] for error in rows.skipped] == [3]


@pytest.mark.parametrize("skip", [False, True])
def test_a_file_without_its_columns_is_an_error_in_any_case(tmp_path: Path, skip: bool) -> None:
    with pytest.raises(InvalidFile, match="memory_mib"):
        read_nodes(file(tmp_path, "sn,cpu_milli,gpu,model\n"), skip_bad_rows=skip)


@pytest.mark.parametrize("skip", [False, True])
def test_a_file_without_a_good_row_is_an_error_in_any_case(tmp_path: Path, skip: bool) -> None:
    with pytest.raises(InvalidFile):
        read_nodes(file(tmp_path, NODES), skip_bad_rows=skip)


def test_a_file_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"missing\.csv cannot be read"):
        read_nodes(tmp_path / "missing.csv")
