"""Another process, with the time it took and the most memory it ever held."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Run(NamedTuple):
    """What a process did."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    output: str


def run(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Run:
    """Run a command from the root of the source tree.

    :param environment: variables on top of this process's own.
    :raises RuntimeError: with the end of what it said, when it fails.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            arguments,
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stdout=output,
            stderr=errors,
        )
        # The peak of this child alone; RUSAGE_CHILDREN would give the greatest of all so far.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            said = errors.read().decode(errors="replace")[-2000:]
            raise RuntimeError(f"{arguments[0]} ended with {process.returncode}: {said}")
        output.seek(0)
        cpu_seconds = usage.ru_utime + usage.ru_stime
        return Run(seconds, cpu_seconds, usage.ru_maxrss / 1024, output.read().decode())
