"""Running the command in this process."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scheduler_lib import SchedulerClient, conf
from scheduler_lib.cmd.main import main

# What every replay prints, in this order.
KEYS = [
    "placed",
    "refused",
    "reasons",
    "gpu_allocation_percent",
    "cpu_allocation_percent",
    "memory_allocation_percent",
    "p50_us",
    "p99_us",
    "decisions_per_s",
    "balanced",
]


@dataclass(frozen=True)
class Run:
    """What one command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Command = Callable[..., Run]


def run(*arguments: str) -> Run:
    out, err = io.StringIO(), io.StringIO()
    code = main(arguments, out, err)
    return Run(code, out.getvalue(), err.getvalue())


@pytest.fixture
def command() -> Command:
    """Run the command on whatever the arguments name."""
    return run


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Name a database that is not there yet."""
    return f"sqlite:///{tmp_path}/books.sqlite"


@pytest.fixture
def on_books(url: str) -> Command:
    """Run the command on that database."""
    return lambda *arguments: run("--connection", url, *arguments)


@pytest.fixture
def two_hosts(url: str) -> None:
    """Report two hosts to that database, one of them with a GPU."""
    options = conf.load()
    options.set_override("connection", url, group="database")
    gpu = {
        "name": "h2-gpu0",
        "inventories": {"CUSTOM_GPU_MILLI": {"total": 1000}},
        "traits": ["CUSTOM_GPU_T4"],
    }
    small = {"vcpus": 4, "cpu_allocation_ratio": 1.0, "memory_mb": 8192, "local_gb": 100}
    large = {"vcpus": 8, "cpu_allocation_ratio": 1.0, "memory_mb": 16384, "local_gb": 200}
    with SchedulerClient(options) as client:
        client.update_resource_stats(None, "h1", small)
        client.update_resource_stats(
            None, ("h2", "n2"), {**large, "traits": ["STORAGE_DISK_SSD"], "children": [gpu]}
        )
