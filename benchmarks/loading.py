"""Load a fleet from a database, and see changes to ten hosts; run in a process of its own.

    python -m benchmarks.loading PATH

Prints one JSON object: seconds, megabytes and microseconds.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from pathlib import Path

from benchmarks import fleet_shape, fleet_values, populating
from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.provider import ProviderChanged

CHANGED = 10
ROUNDS = 30


def main(path: Path) -> None:
    deadline = Deadline.after(600.0, SystemClock())
    with populating.opened(path) as store, populating.opened(path) as writer:
        before_mb = peak_mb()
        started, cpu_started = time.perf_counter(), time.process_time()
        fleet = Fleet()
        with store.feed.load() as (cursor, providers):
            fleet.apply(ProviderChanged(provider) for provider in providers)
        seconds = time.perf_counter() - started
        cpu_seconds = time.process_time() - cpu_started
        loaded_mb = peak_mb()
        visible_us = []
        for number in range(ROUNDS):
            writer.hosts.report_many(changed(number), deadline)
            started = time.perf_counter()
            batch = store.feed.changes(cursor, deadline)
            fleet.apply(batch.changes)
            visible_us.append((time.perf_counter() - started) * 1e6)
            cursor = batch.cursor
            expect(fleet, number)
    json.dump(
        {
            "hosts": fleet.host_count,
            "load_s": seconds,
            "load_cpu_s": cpu_seconds,
            "peak_mb": loaded_mb,
            "grown_mb": loaded_mb - before_mb,
            "visible_us": statistics.median(visible_us),
        },
        sys.stdout,
    )


def changed(number: int) -> list[object]:
    """Give ten reports that differ from the ones before."""
    shapes = [fleet_shape.host(number * CHANGED + index) for index in range(CHANGED)]
    grown = [shape._replace(memory_mb=shape.memory_mb + 1_000_000) for shape in shapes]
    return [fleet_values.report(shape) for shape in grown]


def expect(fleet: Fleet, number: int) -> None:
    shape = fleet_shape.host(number * CHANGED + CHANGED - 1)
    stock = fleet.stock("MEMORY_MB")
    slots = [slot for slot, row in enumerate(stock.rows) if row == fleet.row(shape.uuid)]
    if stock.total[slots[0]] != shape.memory_mb + 1_000_000:
        raise RuntimeError("the change was not seen")


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(Path(sys.argv[1]))
