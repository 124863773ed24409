"""Eight clients that claim at the same time: all on one provider, or each time on another.

    python -m benchmarks.placement.contention SIDE URL PLAN

is one client that is a process: it says that it is ready, waits for a line, claims for a while, and
prints one JSON object.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from random import Random

from benchmarks import processes
from benchmarks.placement import places, shapes
from benchmarks.placement.calls import Caller
from benchmarks.placement.lines import Line
from benchmarks.placement.sides import Side, fill, sides

CLIENTS = 8
PROVIDERS = 1_000
SECONDS = 3.0
TURNS = 2
LEAST_SHARE = 0.7
HOT, SPREAD = "hot", "spread"
THREADS, PROCESSES = "threads", "processes"
ACCEPTED = 204

# How many answers of each status there were.
Answers = Counter[int]


def lines(kinds: Sequence[str] = places.KINDS) -> Iterator[Line]:
    """Measure both sides; give rates, their ratio, and what was refused."""
    ours, *peers = sides()
    for kind in places.answering(kinds):
        for way in (THREADS, PROCESSES):
            mine = _measured(ours, kind, way)
            theirs = _measured(peers[0], kind, way) if peers else None
            yield from _compared(f"{places.TITLES[kind]}, {CLIENTS} {way}", mine, theirs)


def _compared(
    where: str, mine: dict[str, Answers], theirs: dict[str, Answers] | None
) -> Iterator[Line]:
    for plan, said in ((HOT, "one provider"), (SPREAD, f"{PROVIDERS:,} providers")):
        rate = theirs and _rate(theirs[plan])
        yield Line(
            f"{where}: {said}", _rate(mine[plan]), rate, unit="claims/s", more_is_better=True
        )
    share = theirs and _share(theirs)
    yield Line(
        f"{where}: one / {PROVIDERS:,}",
        _share(mine),
        share,
        unit="of the rate",
        least=LEAST_SHARE,
        compared=False,
    )
    lost = theirs and _lost(theirs)
    yield Line(f"{where}: not accepted", _lost(mine), lost, unit="%", most=0.0, compared=False)


def _rate(answers: Answers) -> float:
    return answers[ACCEPTED] / (SECONDS * TURNS)


def _share(answers: dict[str, Answers]) -> float:
    return answers[HOT][ACCEPTED] / answers[SPREAD][ACCEPTED]


def _lost(answers: dict[str, Answers]) -> float:
    both = answers[HOT] + answers[SPREAD]
    return 100 * (1 - both[ACCEPTED] / both.total())


def _measured(side: Side, kind: str, way: str) -> dict[str, Answers]:
    """Take turns, so that what disturbs one plan disturbs the other."""
    answers = {HOT: Counter[int](), SPREAD: Counter[int]()}
    with places.empty_database(kind) as url:
        fill(side, url, shapes.ample(PROVIDERS))
        for _ in range(TURNS):
            for plan, counted in answers.items():
                counted.update(_by_threads(side, url, plan) if way == THREADS
                               else _by_processes(side, url, plan))  # fmt: skip
    return answers


def _by_threads(side: Side, url: str, plan: str) -> Answers:
    answers = Answers()
    with side.serving(url) as caller:
        caller.get("/resource_providers?name=ample-000000")
        counts = [Answers() for _ in range(CLIENTS)]
        threads = [
            threading.Thread(target=_claim_for_a_while, args=(caller, plan, counted))
            for counted in counts
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for counted in counts:
        answers.update(counted)
    return answers


def _by_processes(side: Side, url: str, plan: str) -> Answers:
    command = [sys.executable, "-m", "benchmarks.placement.contention", side.name, url, plan]
    answers = Answers()
    with ExitStack() as stack:
        clients = [stack.enter_context(_client(command)) for _ in range(CLIENTS)]
        for client in clients:
            if client.stdout is None or client.stdout.readline() != "ready\n":
                raise RuntimeError(f"a client of {side.name} did not start")
        for client in clients:
            if client.stdin is not None:
                client.stdin.write("go\n")
                client.stdin.flush()
        for client in clients:
            told = json.loads(client.communicate()[0])
            answers.update({int(status): times for status, times in told.items()})
    return answers


def _client(command: Sequence[str]) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=processes.ROOT, stdin=pipe, stdout=pipe, text=True)


def _claim_for_a_while(caller: Caller, plan: str, answers: Answers) -> None:
    random = Random()
    providers = [shape.uuid for shape in shapes.ample(PROVIDERS if plan == SPREAD else 1)]
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        path = f"/allocations/{uuid.UUID(int=random.getrandbits(128), version=4)}"
        body = shapes.claim([random.choice(providers)])
        answers[caller.call("PUT", path, body).status] += 1


def main(name: str, url: str, plan: str) -> None:
    side = next(side for side in sides() if side.name == name)
    answers = Answers()
    with side.serving(url) as caller:
        caller.get("/resource_providers?name=ample-000000")
        print("ready", flush=True)
        sys.stdin.readline()
        _claim_for_a_while(caller, plan, answers)
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
