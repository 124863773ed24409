"""Tells all that the twins differ in, where the tests stop at the first.

    python -m tests.twin.survey --examples 200 --theme everything

Each kind of difference is printed once: how often it was seen, the line, and a request. Sequences
in which the statuses differ end there, for what follows is then about two different worlds.
"""
# ruff: noqa: T201 - a command prints

from __future__ import annotations

import argparse
import re
import warnings
from collections import Counter
from collections.abc import Sequence

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests import peers
from tests.conformance.targets import load
from tests.twin import claims, operations, reference
from tests.twin.exchange import Request
from tests.twin.queries import queries
from tests.twin.test_random_work import THEMES
from tests.twin.twins import Twins

VALUES = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+|(?<=[,'\"/ (])(CUSTOM_|HW_)?[A-Z_]{4,}")


class Diverged(Exception):
    """The two worlds are no longer the same."""


class Survey(Twins):
    """Counts differences."""

    seen: Counter[str]
    shown: dict[str, str]

    def differ(self, request: Request, told: Sequence[str]) -> None:
        """Note each; go on as long as the statuses are the same."""
        route = VALUES.sub("*", request.path)
        for line in told:
            kind = f"{request.method} {route}: {VALUES.sub('*', line)[:400]}"
            self.seen[kind] += 1
            self.shown.setdefault(kind, f"{line[:900]}\n    in {request}")
        if told[0].startswith("status"):
            raise Diverged


def main() -> None:
    """Draw examples, and print what they showed."""
    parser = argparse.ArgumentParser(prog="python -m tests.twin.survey")
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--theme", choices=[*THEMES, "queries"], default="everything")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    both = Survey(reference.make_app(), load(peers.app_under_test()))
    both.seen, both.shown = Counter(), {}
    drawn = settings(
        max_examples=options.examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    if options.theme == "queries":
        work = st.tuples(
            st.lists(claims.claims(), max_size=4), st.lists(queries(), min_size=6, max_size=12)
        ).map(lambda parts: [*parts[0], *parts[1]])
    else:
        work = st.lists(st.one_of(*THEMES[options.theme]), min_size=15, max_size=40)

    @drawn
    @given(operations.trees(), work)
    def run(built: list[Request], asked: list[Request]) -> None:
        both.start()
        try:
            both.run([*built, *asked])
        except Diverged:
            return

    run()
    for kind, count in both.seen.most_common():
        print(f"{count:5} {kind.partition(': ')[0]}: {both.shown[kind]}")
    print(f"{len(both.seen)} kinds of difference")


if __name__ == "__main__":
    main()
