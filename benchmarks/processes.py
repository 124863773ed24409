"""Another process, with the time it took and the most memory it ever held."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


# A process starts its life with the peak of the one it was forked from, also after exec (Linux,
# ru_maxrss): between this large one and the one to be measured stands a small one that measures.
_METER = """
import json, os, subprocess, sys, time
started = time.perf_counter()
child = subprocess.Popen(sys.argv[2:])
_, status, usage = os.wait4(child.pid, 0)
code = child.returncode = os.waitstatus_to_exitcode(status)
seconds = time.perf_counter() - started
with open(sys.argv[1], "w") as report:
    json.dump([seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024], report)
sys.exit(code and 1)
"""


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
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory, "report.json")
        ended = subprocess.run(
            [sys.executable, "-S", "-c", _METER, report, *arguments],
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            check=False,
        )
        if ended.returncode:
            said = ended.stderr.decode(errors="replace")[-2000:]
            raise RuntimeError(f"{arguments[0]} failed: {said}")
        return Run(*json.loads(report.read_text()), ended.stdout.decode())
