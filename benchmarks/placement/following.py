"""What it costs a process to see what another one has written: in its next request, always.

    python -m benchmarks.placement.following URL

is the other one: it claims on as many of the first providers as a line says, and says when it has.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from benchmarks import processes
from benchmarks.placement import places, shapes
from benchmarks.placement.calls import Caller
from benchmarks.placement.lines import Line
from benchmarks.placement.sides import Ours, fill
from benchmarks.placement.timing import median_us

PROVIDERS = 10_000
LIMIT = 10
CHANGED = (1, 10, 100, 1_000)
# No more: the first host has 256 processors.
ROUNDS = 40
# How many claims the other process sends in one request, at most.
TOGETHER = 100
STOCK = "stock"


class Writer:
    """The other process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def tell(self, what: str) -> None:
        """Let it do something, and wait until that is committed."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the other process has no pipes")
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        if self._process.stdout.readline() != "done\n":
            raise RuntimeError("the other process failed")


def lines(kinds: Sequence[str] = places.KINDS) -> Iterator[Line]:
    """Measure; give a line for each amount of change and each database."""
    side = Ours()
    for kind in places.answering(kinds):
        where = f"{places.TITLES[kind]}, {PROVIDERS:,} hosts: candidates (limit {LIMIT})"
        with places.empty_database(kind) as url:
            fill(side, url, shapes.flat(PROVIDERS))
            with side.serving(url) as caller, _other(url) as writer:
                yield from _measured(Reader(caller), writer, where)


def _measured(reader: Reader, writer: Writer, where: str) -> Iterator[Line]:
    yield Line(f"{where}, nothing changed", median_us(lambda number: reader.read()))
    for changed in CHANGED:
        taken = _seen_us(reader, writer, changed)
        yield Line(f"{where}, {changed:,} providers claimed on elsewhere", taken)
    taken = median_us(
        lambda number: reader.read(), before=lambda number: writer.tell(STOCK), rounds=ROUNDS
    )
    yield Line(f"{where}, one inventory written elsewhere", taken)


def _seen_us(reader: Reader, writer: Writer, changed: int) -> float:
    return median_us(
        lambda number: reader.see(), before=lambda number: writer.tell(str(changed)), rounds=ROUNDS
    )


class Reader:
    """The process that did not make the change."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._first = next(shapes.flat(1)).uuid
        self._used = 0

    def read(self) -> int:
        """Ask for candidates; give how many processors of the first provider are used."""
        answer = self._caller.get(shapes.candidates_path(shapes.SMALL, LIMIT)).json()
        return int(answer["provider_summaries"][self._first]["resources"]["VCPU"]["used"])

    def see(self) -> None:
        """Ask for candidates; the first provider must be seen to hold one more than before."""
        used = self.read()
        if used != self._used + 1:
            raise AssertionError(f"{used} processors are used, not {self._used + 1}")
        self._used = used


@contextmanager
def _other(url: str) -> Iterator[Writer]:
    command = [sys.executable, "-m", "benchmarks.placement.following", url]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=processes.ROOT, stdin=pipe, stdout=pipe, text=True
    ) as process:
        yield Writer(process)
        if process.stdin is not None:
            process.stdin.close()


def _claim(caller: Caller, providers: Sequence[str], turn: int) -> None:
    for start in range(0, len(providers), TOGETHER):
        body = {
            shapes.identifier(f"{turn}-{provider}"): {
                **shapes.claim([provider]),
                "allocations": {provider: {"resources": {"VCPU": 1}}},
            }
            for provider in providers[start : start + TOGETHER]
        }
        caller.post("/allocations", body)


def _restock(caller: Caller, provider: str, turn: int) -> None:
    path = f"/resource_providers/{provider}/inventories/DISK_GB"
    generation = caller.get(path).json()["resource_provider_generation"]
    caller.put(path, {"resource_provider_generation": generation, "total": 2_000 + turn})


def main(url: str) -> None:
    providers = [shape.uuid for shape in shapes.flat(max(CHANGED))]
    with Ours().serving(url) as caller:
        for turn, line in enumerate(sys.stdin):
            if line.strip() == STOCK:
                _restock(caller, providers[0], turn)
            else:
                _claim(caller, providers[: int(line)], turn)
            print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
