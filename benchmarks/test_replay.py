"""A production cluster's trace, end to end, in a process of its own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from benchmarks import processes
from benchmarks.figures import describe, figure

NODES = "openb_node_list_gpu_node.csv"
TASKS = {"default": "openb_pod_list_default.csv", "gpuspec33": "openb_pod_list_gpuspec33.csv"}
VARIABLE = "SCHEDULER_LIB_TRACE"


@pytest.fixture
def trace():
    """Give the directory that holds the trace files."""
    named = os.environ.get(VARIABLE)
    directory = Path(named) if named else processes.ROOT.parent / "shared" / "trace"
    missing = [name for name in (NODES, *TASKS.values()) if not (directory / name).exists()]
    if missing:
        pytest.skip(f"no {missing[0]} in {directory}; {VARIABLE} names the directory")
    return directory


@pytest.mark.parametrize("workload", sorted(TASKS))
@pytest.mark.parametrize("mode", ["history", "inflate"])
def test_the_whole_trace(benchmark, trace, workload, mode):
    start = "import sys; from scheduler_lib.cmd.main import main; sys.exit(main(sys.argv[1:]))"
    command = [
        sys.executable, "-c", start, "replay", "-f", "json", "--mode", mode,
        "--nodes", str(trace / NODES), "--tasks", str(trace / TASKS[workload]),
    ]  # fmt: skip
    if mode == "inflate":
        command += ["--seeds", "1"]
    what = f"replay of {workload}, {mode}"
    describe(benchmark, f"{what}, end to end", target_us=30e6)
    run = benchmark.pedantic(processes.run, args=(command,), rounds=1)
    answer = json.loads(run.output)
    assert answer["balanced"]
    figure(benchmark, f"{what}: processor time", run.cpu_seconds, "s")
    figure(benchmark, f"{what}: peak RSS", run.peak_mb, "MB", most=300.0)
    figure(benchmark, f"{what}: decisions a second", answer["decisions_per_s"], "1/s")
    figure(benchmark, f"{what}: decision p50", answer["p50_us"], "us")
    figure(benchmark, f"{what}: GPU allocation", answer["gpu_allocation_percent"], "%")
