"""Over HTTP: gunicorn with two workers on PostgreSQL, eight clients, four reads to each claim.

The peer may have an interpreter of its own, named by ``SCHEDULER_LIB_BENCH_PLACEMENT_PYTHON``.
"""

from __future__ import annotations

import math
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks import processes
from benchmarks.placement import places, shapes
from benchmarks.placement.http_client import Connection
from benchmarks.placement.lines import Line
from benchmarks.placement.sides import Side, fill, sides

VARIABLE = "SCHEDULER_LIB_BENCH_PLACEMENT_PYTHON"
KIND = "postgresql"
SIZES = (1_000, 10_000)
WORKERS = 2
# One request at a time a worker, as gunicorn has it by default; or four, on kept connections.
THREADS = (1, 4)
CLIENTS = 8
# Each client claims with every fifth request.
CLAIM_EACH = 5
LIMIT = 10
WARM_UP_S = 2.0
SECONDS = 15.0
START_S = 60.0


class Load(NamedTuple):
    """What the clients saw while it counted."""

    rate: float
    read_us: float
    claim_us: float
    refused: int


def lines() -> Iterator[Line]:
    """Measure both sides; give rates and medians."""
    if not places.answering((KIND,)):
        return
    ours, *peers = sides()
    for size in SIZES:
        for threads in THREADS:
            mine = _measured(ours, size, threads)
            theirs = _measured(peers[0], size, threads) if peers else None
            where = f"{size:,} hosts, {WORKERS} workers" + (
                f" of {threads} threads" if threads > 1 else ""
            )
            yield from _compared(where, mine, theirs)


def _compared(where: str, mine: Load, theirs: Load | None) -> Iterator[Line]:
    rate = theirs and theirs.rate
    yield Line(where, mine.rate, rate, unit="requests/s", more_is_better=True)
    yield Line(f"{where}: median of candidates", mine.read_us, theirs and theirs.read_us)
    yield Line(f"{where}: median of claims", mine.claim_us, theirs and theirs.claim_us)
    refused = theirs and float(theirs.refused)
    yield Line(
        f"{where}: not accepted",
        float(mine.refused),
        refused,
        unit="requests",
        most=0.0,
        compared=False,
    )


def _measured(side: Side, size: int, threads: int) -> Load:
    with places.empty_database(KIND) as url, tempfile.TemporaryDirectory() as directory:
        fill(side, url, shapes.flat(size))
        served = _ours if side.name == "ours" else _theirs
        with _gunicorn(*served(url, Path(directory)), threads, Path(directory)) as port:
            return _load(port, [shape.uuid for shape in shapes.flat(size)])


def _ours(url: str, directory: Path) -> tuple[str, str, Mapping[str, str]]:
    """Give the interpreter, the application and the environment it reads its options from."""
    path = directory / "scheduler_lib.conf"
    path.write_text(
        f"[DEFAULT]\nstate_path = {directory}\n"
        f"[database]\nconnection = {url}\n[api]\nauth_strategy = noauth2\n"
    )
    options = {"SCHEDULER_LIB_CONFIG_FILES": str(path)}
    return sys.executable, "scheduler_lib.api.wsgi:application", options


def _theirs(url: str, directory: Path) -> tuple[str, str, Mapping[str, str]]:
    from benchmarks.peers.placement_peer import with_its_driver

    (directory / "placement.conf").write_text(
        f"[placement_database]\nconnection = {with_its_driver(url)}\n"
        "[api]\nauth_strategy = noauth2\n"
    )
    python = os.environ.get(VARIABLE, sys.executable)
    return python, "placement.wsgi.api:application", {"OS_PLACEMENT_CONFIG_DIR": str(directory)}


@contextmanager
def _gunicorn(
    python: str, application: str, options: Mapping[str, str], threads: int, directory: Path
) -> Iterator[int]:
    """Serve, and give the port."""
    port = _free_port()
    command = [
        python, "-m", "gunicorn", "--workers", str(WORKERS), "--threads", str(threads),
        "--timeout", "120", "--bind", f"127.0.0.1:{port}", application,
    ]  # fmt: skip
    with (directory / "log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=processes.ROOT, env={**os.environ, **options}, stdout=log, stderr=log
        )
    try:
        _wait(server, port, directory / "log")
        yield port
    finally:
        server.terminate()
        server.wait()


def _wait(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and server.poll() is None:
        try:
            with Connection(port) as connection:
                connection.get("/").expect(200)
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"gunicorn did not start: {log.read_text()[-2000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Client(threading.Thread):
    """One client; what it does while it warms up is not counted."""

    def __init__(self, port: int, providers: Sequence[str], seed: int) -> None:
        super().__init__()
        self.read_us: list[float] = []
        self.claim_us: list[float] = []
        self.statuses: Counter[int] = Counter()
        self._port = port
        self._providers = providers
        self._number = seed
        self._random = Random(seed)

    def run(self) -> None:
        begin = time.perf_counter() + WARM_UP_S
        end = begin + SECONDS
        with Connection(self._port) as connection:
            while (started := time.perf_counter()) < end:
                self._number += 1
                read = self._number % CLAIM_EACH != 0
                status = self._read(connection) if read else self._claim(connection)
                ended = time.perf_counter()
                if begin <= ended <= end:
                    self.statuses[status] += 1
                    taken = self.read_us if read else self.claim_us
                    taken.append((ended - started) * 1e6)

    def _read(self, connection: Connection) -> int:
        memory_mb = 512 + self._random.randrange(10_000)
        asked = f"resources=VCPU:1,MEMORY_MB:{memory_mb},DISK_GB:10"
        return connection.get(shapes.candidates_path(asked, LIMIT)).status

    def _claim(self, connection: Connection) -> int:
        consumer = uuid.UUID(int=self._random.getrandbits(128), version=4)
        body = shapes.claim([self._random.choice(self._providers)])
        return connection.put(f"/allocations/{consumer}", body).status


def _load(port: int, providers: Sequence[str]) -> Load:
    clients = [Client(port, providers, seed) for seed in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    statuses: Counter[int] = sum((client.statuses for client in clients), Counter())
    return Load(
        rate=(statuses[200] + statuses[204]) / SECONDS,
        read_us=_median([us for client in clients for us in client.read_us]),
        claim_us=_median([us for client in clients for us in client.claim_us]),
        refused=statuses.total() - statuses[200] - statuses[204],
    )


def _median(samples: Sequence[float]) -> float:
    # A server that is slow enough answers none of a kind in time.
    return statistics.median(samples) if samples else math.inf
