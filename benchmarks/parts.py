"""Where the time of a whole call goes: medians of its parts over an SQLite file.

python -m benchmarks.parts [INSTANCES [CALLS]]

Prints one line a part; parts lie within each other as the indent shows.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from benchmarks import fleet_values
from benchmarks.fleet_shape import REQUESTS
from benchmarks.populating import Databases
from benchmarks.serving import serving
from scheduler_lib.query.claimers import StoreClaimer
from scheduler_lib.query.local import LocalQuery
from scheduler_lib.query.mirror import Mirror
from scheduler_lib.scheduling.batch import Batch
from scheduler_lib.scheduling.choices import Choices
from scheduler_lib.scheduling.narrowing import Narrowing
from scheduler_lib.scheduling.scheduler import Scheduler
from scheduler_lib.store.claims import Claims
from scheduler_lib.store.session import Session

HOSTS = 10_000
PARTS = (
    ("backend", LocalQuery, "select"),
    ("  feed looked at", Mirror, "refreshed"),
    ("  scheduler", Scheduler, "select"),
    ("    narrowing", Narrowing, "run"),
    ("    weighing", Choices, "__init__"),
    ("    offers", Choices, "best"),
    ("    batch", Batch, "place"),
    ("    claim", StoreClaimer, "claim"),
    ("      store", Claims, "write"),
    ("        statements", Claims, "_write"),
    ("        BEGIN and COMMIT", Session, "command"),
    ("      receipt", Mirror, "booked"),
)


def timed(owner: type, name: str, taken: list[float]) -> None:
    """Let a method note how long each of its calls takes."""
    method = getattr(owner, name)

    def measured(*arguments: object, **named: object) -> object:
        started = time.perf_counter()
        try:
            return method(*arguments, **named)
        finally:
            taken.append((time.perf_counter() - started) * 1e6)

    setattr(owner, name, measured)


def main(instances: int, calls: int) -> None:
    taken: dict[str, list[float]] = defaultdict(list)
    for label, owner, name in PARTS:
        timed(owner, name, taken[label])
    per_call: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as directory:
        path = Databases(Path(directory)).copy(HOSTS)
        with serving(path) as client:
            for number in range(calls):
                shape = REQUESTS["open"]
                request = fleet_values.request(shape, instances=instances, first=number * instances)
                for noted in taken.values():
                    noted.clear()
                started = time.perf_counter()
                client.select(None, request)
                per_call["whole call"].append((time.perf_counter() - started) * 1e6)
                for label, noted in taken.items():
                    per_call[label].append(sum(noted))
    for label, sums in per_call.items():
        if any(sums):
            print(f"{label:28} {statistics.median(sums):10.1f} us")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(*(given + [1, 1000][len(given) :]))
