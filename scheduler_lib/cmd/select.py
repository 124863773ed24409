"""``scheduler-lib select``: pick and claim, on the configured database."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from scheduler_lib.client import SchedulerClient
from scheduler_lib.cmd.asking import add_request_arguments, request_from
from scheduler_lib.cmd.base import CONTEXT, Facts, Lister, Names
from scheduler_lib.model.decision import Destination, Selection

COLUMNS = ("consumer", "host", "node", "zone", "score", "claimed", "allocations", "alternates")


class Select(Lister):
    """Pick a host for each instance, and claim what it asks for."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of its arguments."""
        parser = super().get_parser(prog_name)
        add_request_arguments(parser)
        parser.add_argument("--dry-run", action="store_true", help="Pick, but claim nothing.")
        parser.add_argument(
            "--request-key", metavar="KEY",
            help="The same request under the same key is answered once, and that answer repeated.",
        )  # fmt: skip
        return parser

    def take_action(
        self, parsed_args: argparse.Namespace
    ) -> tuple[Sequence[str], Iterable[Sequence[object]]]:
        """Return one row for each instance."""
        request = request_from(parsed_args)
        with SchedulerClient(self.configuration()) as client:
            decision = client.select(
                CONTEXT,
                request,
                request_key=parsed_args.request_key,
                dry_run=parsed_args.dry_run,
            )
        return COLUMNS, [_row(item) for item in decision.selections]


def _row(selection: Selection) -> tuple[object, ...]:
    chosen = selection.destination
    return (
        selection.consumer_uuid,
        chosen.host,
        chosen.node,
        chosen.availability_zone,
        round(chosen.score, 6),
        chosen.claimed,
        Facts({uuid: dict(amounts) for uuid, amounts in chosen.allocations.items()}),
        Names([_name(each) for each in selection.alternates]),
    )


def _name(destination: Destination) -> str:
    if destination.host == destination.node:
        return destination.host
    return f"{destination.host}/{destination.node}"
