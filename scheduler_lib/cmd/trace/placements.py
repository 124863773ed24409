"""Every placement as a row of CSV."""

from __future__ import annotations

import csv
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TextIO

from scheduler_lib.cmd.trace.mapping import GPU_CLASS, consumer_uuid, gpu_uuid
from scheduler_lib.cmd.trace.reading import MAX_GPUS, Task
from scheduler_lib.exceptions import InvalidFile
from scheduler_lib.model.decision import Destination

COLUMNS = ("seed", "task", "copy", "consumer", "host", "gpus", "reason")


class NoPlacements:
    """Keeps nothing."""

    def placed(self, task: Task, copy: int, destination: Destination) -> None:
        """Take a task that has a host."""

    def refused(self, task: Task, copy: int, check: str) -> None:
        """Take a task that has none."""


class PlacementFile(AbstractContextManager["PlacementFile"]):
    """Writes one row for each task: where it went, on which GPUs, or why nowhere.

    :param path: the file to write; ``with`` opens and closes it.
    :ivar seed: the seed of the run that is going on.
    """

    def __init__(self, path: Path) -> None:
        self.seed = 0
        self._path = path
        self._file: TextIO | None = None

    def __enter__(self) -> PlacementFile:
        try:
            self._file = self._path.open("w", encoding="utf-8", newline="")
        except OSError as error:
            raise InvalidFile(
                f"{self._path} cannot be written: {error.strerror or error}.",
                hint="Name a file that can be written.",
                path=str(self._path),
                line=0,
            ) from error
        self._write(COLUMNS)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def placed(self, task: Task, copy: int, destination: Destination) -> None:
        """Write a task that has a host."""
        gpus = "|".join(str(index) for index in gpu_indices(destination))
        self._row(task, copy, destination.host, gpus, "")

    def refused(self, task: Task, copy: int, check: str) -> None:
        """Write a task that has none."""
        self._row(task, copy, "", "", check)

    def _row(self, task: Task, copy: int, host: str, gpus: str, reason: str) -> None:
        consumer = consumer_uuid(task.name, copy)
        self._write((self.seed, task.name, copy, consumer, host, gpus, reason))

    def _write(self, row: tuple[object, ...]) -> None:
        if self._file is not None:
            csv.writer(self._file, lineterminator="\n").writerow(row)


def gpu_indices(destination: Destination) -> list[int]:
    """Return which of the host's GPUs the allocations are on."""
    wanted = {
        provider
        for provider, resources in destination.allocations.items()
        if GPU_CLASS in resources
    }
    found: list[int] = []
    for index in range(MAX_GPUS):
        if len(found) == len(wanted):
            break
        if gpu_uuid(destination.node, index) in wanted:
            found.append(index)
    return found
