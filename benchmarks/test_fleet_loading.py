"""A hundred thousand hosts: from the database into memory, and what a change costs then."""

from __future__ import annotations

import json
import sys

from benchmarks import processes
from benchmarks.figures import describe, figure

SIZE = 100_000


def test_a_fleet_is_loaded_and_changes_are_seen(benchmark, databases):
    path = databases.copy(SIZE, claimed=False)
    command = [sys.executable, "-m", "benchmarks.loading", str(path)]
    describe(benchmark, "process that loads 100,000 hosts, start to end")
    run = benchmark.pedantic(processes.run, args=(command,), rounds=1)
    seen = json.loads(run.output)
    assert seen["hosts"] == SIZE
    figure(benchmark, "loading 100,000 hosts from SQLite", seen["load_s"], "s", most=5.0)
    figure(benchmark, "processor time of loading them", seen["load_cpu_s"], "s")
    figure(benchmark, "peak RSS of that process", seen["peak_mb"], "MB", most=400.0)
    figure(benchmark, "of which the fleet", seen["grown_mb"], "MB")
    figure(
        benchmark,
        "a change to 10 of 100,000 hosts visible",
        seen["visible_us"] / 1000,
        "ms",
        most=1.0,
    )
