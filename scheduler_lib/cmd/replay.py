"""``scheduler-lib replay``: a recorded cluster, run through the facade."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from scheduler_lib.cmd.base import Facts, ShowOne
from scheduler_lib.cmd.progress import Progress
from scheduler_lib.cmd.trace.policy import Policy
from scheduler_lib.cmd.trace.reading import read_nodes, read_tasks
from scheduler_lib.cmd.trace.report import Outcome, summary
from scheduler_lib.cmd.trace.runs import Mode, Plan, run
from scheduler_lib.model.clock import SystemClock


class Replay(ShowOne):
    """Run a recorded cluster's nodes and tasks through the scheduler, and print the figures.

    Every node is reported, every task selected and claimed, every departure released, on a fresh
    temporary database for each seed. Allocation is given in percent of what the nodes have: of
    GPUs, CPUs and memory; once as it was when the last task had been asked for, and once at its
    peak. A decision's time includes its claim. Of several seeds the means are given.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of its arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--nodes", required=True, type=Path, help="The nodes, as CSV.")
        parser.add_argument("--tasks", required=True, type=Path, help="The tasks, as CSV.")
        parser.add_argument(
            "--mode", choices=[mode.value for mode in Mode], default=Mode.HISTORY.value,
            help="history: arrivals and departures at their times; inflate: no departures, and "
            "random copies until the GPU demand is 130 %% of the cluster. Default: history.",
        )  # fmt: skip
        parser.add_argument(
            "--policy", choices=[policy.value for policy in Policy],
            default=Policy.FRAGMENTATION.value,
            help="fragmentation: the host whose leftovers stay useful to the tasks seen so far; "
            "pack: the fullest that fits; spread: the emptiest; random: any. "
            "Default: fragmentation.",
        )  # fmt: skip
        parser.add_argument(
            "--seeds", type=_positive, default=1, metavar="K",
            help="Runs, each with a seed of its own. Default: 1.",
        )  # fmt: skip
        parser.add_argument(
            "--seed-start",
            type=_whole,
            default=42,
            metavar="S",
            help="The first seed. Default: 42.",
        )
        parser.add_argument(
            "--placements", type=Path, metavar="OUT",
            help="Write what became of each task to this file, as CSV.",
        )  # fmt: skip
        parser.add_argument(
            "--skip-bad-rows", action="store_true",
            help="Leave out rows that cannot be read, instead of stopping at the first.",
        )  # fmt: skip
        return parser

    def take_action(
        self, parsed_args: argparse.Namespace
    ) -> tuple[Sequence[str], Sequence[object]]:
        """Return the figures by name."""
        nodes = read_nodes(parsed_args.nodes, skip_bad_rows=parsed_args.skip_bad_rows)
        tasks = read_tasks(parsed_args.tasks, skip_bad_rows=parsed_args.skip_bad_rows)
        skipped = (*nodes.skipped, *tasks.skipped)
        for error in skipped:
            self.app.stderr.write(f"skipped: {error.message}\n")
        first = parsed_args.seed_start
        plan = Plan(
            nodes=nodes.good,
            tasks=tasks.good,
            mode=Mode(parsed_args.mode),
            policy=Policy(parsed_args.policy),
            seeds=range(first, first + parsed_args.seeds),
            connection=self.app.options.connection,
            placements=parsed_args.placements,
        )
        figures = summary(self._outcomes(plan))
        figures["skipped_rows"] = len(skipped)
        figures["mode"] = plan.mode.value
        figures["policy"] = plan.policy.value
        figures["seeds"] = list(plan.seeds)
        return tuple(figures), tuple(_shown(value) for value in figures.values())

    def _outcomes(self, plan: Plan) -> tuple[Outcome, ...]:
        clock = SystemClock()
        quiet = self.app.options.verbose_level == 0
        progress = Progress(self.app.stderr, clock, quiet=quiet)
        try:
            return run(plan, clock, progress)
        finally:
            progress.end()


def _shown(value: object) -> object:
    return Facts(value) if isinstance(value, dict) else value


def _positive(text: str) -> int:
    number = _whole(text)
    if number == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not at least 1")
    return number


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)
