"""Rows of the two files, checked one by one."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from scheduler_lib.exceptions import InvalidFile
from scheduler_lib.model.inventory import MAX_UNITS
from scheduler_lib.model.naming import shortened

GPU_MILLI = 1000
MAX_GPUS = 1024

NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
TASK_COLUMNS = (
    "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "creation_time",
    "deletion_time",
)  # fmt: skip

OTHER_ROW = "Correct the row, or leave such rows out with --skip-bad-rows."
OTHER_FILE = "Name a file with these columns in its first line and at least one row below."

_MODEL = re.compile(r"[A-Z0-9_]{1,200}\Z")

_Row = TypeVar("_Row", "Node", "Task")


@dataclass(frozen=True, slots=True)
class Node:
    """One row of the nodes file.

    :ivar name: the node's serial name.
    :ivar cpu_milli: thousandths of a CPU.
    :ivar memory_mib: memory in MiB.
    :ivar gpus: how many GPUs it has.
    :ivar model: the GPUs' model; empty when none is named.
    """

    name: str
    cpu_milli: int
    memory_mib: int
    gpus: int
    model: str


@dataclass(frozen=True, slots=True)
class Task:
    """One row of the tasks file.

    :ivar name: the task's name.
    :ivar cpu_milli: thousandths of a CPU.
    :ivar memory_mib: memory in MiB.
    :ivar gpus: how many GPUs it asks for.
    :ivar gpu_milli: thousandths of each of these GPUs.
    :ivar models: the GPU models it may run on; empty for any.
    :ivar created_s: when it arrives, in seconds.
    :ivar deleted_s: when it leaves, in seconds; None when it stays.
    """

    name: str
    cpu_milli: int
    memory_mib: int
    gpus: int
    gpu_milli: int
    models: tuple[str, ...]
    created_s: float
    deleted_s: float | None

    @property
    def gpu_demand(self) -> int:
        """Thousandths of GPUs in all."""
        return self.gpus * self.gpu_milli


@dataclass(frozen=True, slots=True)
class Rows(Generic[_Row]):
    """What a file gave: the rows that could be read, and the errors of those left out."""

    good: tuple[_Row, ...]
    skipped: tuple[InvalidFile, ...] = ()


class _Broken(Exception):
    """A row that cannot be read; never leaves this module."""


def read_nodes(path: Path, *, skip_bad_rows: bool = False) -> Rows[Node]:
    """Return the nodes of a file.

    :param skip_bad_rows: leave out rows that cannot be read, instead of stopping at the first.
    :raises InvalidFile: naming the file and the line.
    """
    return _read(path, NODE_COLUMNS, _node, skip_bad_rows)


def read_tasks(path: Path, *, skip_bad_rows: bool = False) -> Rows[Task]:
    """Return the tasks of a file, in the file's order.

    :param skip_bad_rows: leave out rows that cannot be read, instead of stopping at the first.
    :raises InvalidFile: naming the file and the line.
    """
    return _read(path, TASK_COLUMNS, _task, skip_bad_rows)


def _read(
    path: Path,
    columns: tuple[str, ...],
    make: Callable[[dict[str, str]], _Row],
    skip_bad_rows: bool,
) -> Rows[_Row]:
    good: list[_Row] = []
    skipped: list[InvalidFile] = []
    seen: set[str] = set()
    for line, values, problem in _lines(path, columns):
        try:
            row = _new(make(_sound(values, problem)), seen)
        except _Broken as error:
            wrong = _invalid(path, line, str(error))
            if not skip_bad_rows:
                raise wrong from error
            skipped.append(wrong)
            continue
        good.append(row)
    if not good:
        raise _invalid(path, 1, "there is no row to use", OTHER_FILE)
    return Rows(tuple(good), tuple(skipped))


def _sound(values: dict[str, str], problem: str) -> dict[str, str]:
    if problem:
        raise _Broken(problem)
    return values


def _new(row: _Row, seen: set[str]) -> _Row:
    if row.name in seen:
        raise _Broken(f"{row.name!r} is there twice")
    seen.add(row.name)
    return row


def _lines(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str], str]]:
    """Yield (line, values by column, what is wrong with the row's form or "")."""
    line = 0
    try:
        # What is no UTF-8 becomes a character that no name or number may have.
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            reader = csv.reader(file)
            header = next(reader, [])
            places = _places(path, header, columns)
            while True:
                line = reader.line_num + 1
                try:
                    row = next(reader, None)
                except csv.Error as error:
                    yield line, {}, str(error)
                    continue
                if row is None:
                    return
                line = reader.line_num
                if row and len(row) != len(header):
                    yield line, {}, f"it has {len(row)} fields, the header has {len(header)}"
                elif row:
                    yield line, {name: row[place] for name, place in places.items()}, ""
    except OSError as error:
        raise InvalidFile(
            f"{path} cannot be read: {error.strerror or error}.", path=str(path), line=line
        ) from error
    except csv.Error as error:
        raise _invalid(path, 1, str(error), OTHER_FILE) from error


def _places(path: Path, header: list[str], columns: tuple[str, ...]) -> dict[str, int]:
    names = [name.strip() for name in header]
    missing = [name for name in columns if name not in names]
    if missing:
        raise _invalid(path, 1, f"the header lacks the column {missing[0]!r}", OTHER_FILE)
    return {name: names.index(name) for name in columns}


def _node(values: dict[str, str]) -> Node:
    node = Node(
        name=_name(values["sn"], "sn"),
        cpu_milli=_whole(values["cpu_milli"], "cpu_milli"),
        memory_mib=_whole(values["memory_mib"], "memory_mib"),
        gpus=_whole(values["gpu"], "gpu", most=MAX_GPUS),
        model=_model(values["model"].strip(), "model") if values["model"].strip() else "",
    )
    if not (node.cpu_milli or node.memory_mib or node.gpus):
        raise _Broken("the node has nothing")
    return node


def _task(values: dict[str, str]) -> Task:
    spec = values["gpu_spec"].strip()
    task = Task(
        name=_name(values["name"], "name"),
        cpu_milli=_whole(values["cpu_milli"], "cpu_milli"),
        memory_mib=_whole(values["memory_mib"], "memory_mib"),
        gpus=_whole(values["num_gpu"], "num_gpu", most=MAX_GPUS),
        gpu_milli=_whole(values["gpu_milli"] or "0", "gpu_milli", most=GPU_MILLI),
        models=_models(spec) if spec else (),
        created_s=_seconds(values["creation_time"], "creation_time"),
        deleted_s=_optional_seconds(values["deletion_time"], "deletion_time"),
    )
    _check_task(task)
    return task


def _check_task(task: Task) -> None:
    if task.gpus and not task.gpu_milli:
        raise _Broken("gpu_milli: 0, but the task asks for a GPU")
    if task.gpus > 1 and task.gpu_milli != GPU_MILLI:
        raise _Broken(f"gpu_milli: a part of a GPU, but num_gpu is {task.gpus}")
    if not (task.cpu_milli or task.memory_mib or task.gpus):
        raise _Broken("the task asks for nothing")
    if task.deleted_s is not None and task.deleted_s < task.created_s:
        raise _Broken("deletion_time: before creation_time")


def _name(value: str, column: str) -> str:
    name = value.strip()
    if not name or len(name) > 150 or not name.isprintable() or "\ufffd" in name:
        raise _Broken(f"{column}: {shortened(value)} is not a name")
    return name


def _whole(value: str, column: str, *, most: int = MAX_UNITS) -> int:
    text = value.strip()
    # int() would take "1_000" and digits of other scripts too.
    if not (text.isascii() and text.isdigit() and len(text) <= 10):
        raise _Broken(f"{column}: {shortened(value)} is not a whole number")
    number = int(text)
    if number > most:
        raise _Broken(f"{column}: {number} is more than {most}")
    return number


def _seconds(value: str, column: str) -> float:
    try:
        number = float(value)
    except ValueError as error:
        raise _Broken(f"{column}: {shortened(value)} is not a number of seconds") from error
    if not math.isfinite(number) or number < 0:
        raise _Broken(f"{column}: {shortened(value)} is not a number of seconds")
    return number


def _optional_seconds(value: str, column: str) -> float | None:
    return _seconds(value, column) if value.strip() else None


def _models(spec: str) -> tuple[str, ...]:
    return tuple(sorted({_model(item.strip(), "gpu_spec") for item in spec.split("|")}))


def _model(value: str, column: str) -> str:
    if not _MODEL.match(value):
        raise _Broken(f"{column}: {shortened(value)} is not a GPU model")
    return value


def _invalid(path: Path, line: int, what: str, hint: str = OTHER_ROW) -> InvalidFile:
    return InvalidFile(
        f"{path}, line {line}: {what}.",
        hint=hint,
        path=str(path),
        line=line,
    )
