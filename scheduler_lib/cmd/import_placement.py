"""``scheduler-lib db import-placement``: an OpenStack Placement database, copied into ours."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from scheduler_lib import conf
from scheduler_lib.cmd.base import Lister
from scheduler_lib.cmd.books import store_of
from scheduler_lib.cmd.progress import Progress
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.store.imports import ImportReport, check_apart

COLUMNS = ("table", "in the source", "here", "only here")

# Nobody waits for it: it may take as long as it takes.
LONGEST_S = 7 * 24 * 3600.0


class ImportPlacement(Lister):
    """Copy an OpenStack Placement database into the configured one; safe to run again.

    The source is only read. Stop whatever writes to it first, and switch over afterwards: what is
    written to it later comes with the next run, but what is written here meanwhile stops that run.
    What the source no longer has is not deleted here; the last column counts it. Generations and
    times are kept. Consumers that have no row in the source are booked on the project and user
    00000000-0000-0000-0000-000000000000; those that hold nothing are left out.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of its arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--from", dest="source", required=True, metavar="URL",
            help="The Placement database, at the schema of Placement 14 to 16; as in its own "
            "[placement_database] connection.",
        )  # fmt: skip
        return parser

    def take_action(
        self, parsed_args: argparse.Namespace
    ) -> tuple[Sequence[str], Iterable[Sequence[object]]]:
        """Return one row for each table."""
        clock, options = SystemClock(), self.configuration()
        # Before anything is opened: our tables would be looked for in the source.
        check_apart(parsed_args.source, conf.database.settings(options).connection)
        quiet = self.app.options.verbose_level == 0
        progress = Progress(self.app.stderr, clock, quiet=quiet)
        try:
            with store_of(options, clock) as store:
                deadline = Deadline.after(LONGEST_S, clock)
                report = store.imports.placement(parsed_args.source, deadline, progress)
        finally:
            progress.end()
        self._tell(report)
        return COLUMNS, [(t.table, t.source, t.here, t.left) for t in report.tables]

    def _tell(self, report: ImportReport) -> None:
        told = [
            f"written: {report.providers_written} providers, {report.consumers_written} consumers",
            f"booked on nobody: {report.nameless_consumers} consumers without a row",
            f"left out: {report.empty_consumers} consumers that hold nothing",
        ]
        told += [f"over capacity, as in the source: {found.message}" for found in
                 report.over_capacity]  # fmt: skip
        self.app.stderr.write("".join(f"{line}\n" for line in told))
