"""Print one table.

python -m benchmarks.placement SUBJECT
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterable, Iterator, Sequence

from benchmarks.placement import lines

SUBJECTS = (
    "candidates",
    "nested",
    "wide",
    "claims",
    "contention",
    "deciding",
    "serving",
    "following",
    "starting",
)


def main(arguments: Sequence[str]) -> int:
    """Print the tables of the subjects; give 1 when a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.placement")
    parser.add_argument("subjects", nargs="+", choices=SUBJECTS)
    parser.add_argument("--version", action="version", version=lines.machine())
    missed = 0
    print(lines.machine())
    for subject in parser.parse_args(arguments).subjects:
        measured = list(_told(importlib.import_module(f"benchmarks.placement.{subject}").lines()))
        print(f"\n{subject}\n\n{lines.table(measured)}", flush=True)
        missed += sum(len(line.missed) for line in measured)
    return 1 if missed else 0


def _told(measured: Iterable[lines.Line]) -> Iterator[lines.Line]:
    """Say each line as soon as it is known: some tables take minutes."""
    for line in measured:
        print("; ".join(filter(None, line.cells())), file=sys.stderr)
        yield line


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
