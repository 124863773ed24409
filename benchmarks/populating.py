"""SQLite files with the hosts of ``fleet_shape``, made once a session and copied for each use."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

from benchmarks import fleet_shape, fleet_values
from benchmarks.fleet_shape import HostShape
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings
from scheduler_lib.store.store import Store

BATCH = 1000


class Databases:
    """Files by size; each is made when it is first asked for."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._copies = 0

    def copy(self, hosts: int, *, claimed: bool = True) -> Path:
        """Give a new file with that many hosts.

        :param claimed: whether claims fill the hosts as far as their shapes say.
        """
        original = self._directory / f"{hosts}-{'claimed' if claimed else 'empty'}.sqlite"
        if not original.exists():
            populate(original, hosts, claimed=claimed)
        self._copies += 1
        return Path(shutil.copy(original, self._directory / f"copy-{self._copies}.sqlite"))


def url(path: Path) -> str:
    """Give the SQLAlchemy URL of a file."""
    return f"sqlite:///{path}"


def opened(path: Path) -> Store:
    """Give the store over a file, as the defaults have it: WAL, synchronous NORMAL."""
    return Store(DatabaseSettings(url(path)), CapacitySettings(), SystemClock())


def populate(path: Path, hosts: int, *, claimed: bool) -> None:
    """Report every host, and claim what its shape says is used."""
    deadline = Deadline.after(3600.0, SystemClock())
    unfinished = path.with_suffix(".unfinished")
    with opened(unfinished) as store:
        for shapes in _batches(fleet_shape.hosts(hosts)):
            store.hosts.report_many([fleet_values.report(shape) for shape in shapes], deadline)
            if claimed:
                claims = [claim for shape in shapes for claim in fleet_values.holdings(shape)]
                store.claims.write(claims, deadline)
    with closing(sqlite3.connect(unfinished)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    unfinished.rename(path)


def _batches(shapes: Iterator[HostShape]) -> Iterator[list[HostShape]]:
    while batch := list(islice(shapes, BATCH)):
        yield batch
