"""``scheduler-lib explain``: what every host says to a request."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence

from cliff import columns

from scheduler_lib.client import SchedulerClient
from scheduler_lib.cmd.asking import add_request_arguments, request_from
from scheduler_lib.cmd.base import CONTEXT, Facts, Lister
from scheduler_lib.model.decision import HostVerdict, Reason

COLUMNS = ("host", "node", "fits", "total", "scores", "reasons")


class Explain(Lister):
    """Show every host with every check that it fails, or the scores that it gets.

    Hosts that fit come first, the best one on top. Nothing is claimed.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of its arguments."""
        parser = super().get_parser(prog_name)
        add_request_arguments(parser)
        return parser

    def take_action(
        self, parsed_args: argparse.Namespace
    ) -> tuple[Sequence[str], Iterable[Sequence[object]]]:
        """Return one row for each host."""
        request = request_from(parsed_args)
        with SchedulerClient(self.configuration()) as client:
            explanation = client.explain(CONTEXT, request)
        return COLUMNS, [_row(verdict) for verdict in explanation.verdicts]


class Reasons(columns.FormattableColumn[Sequence[Mapping[str, object]]]):
    """Failed checks: one sentence a line for people, every field for programs."""

    def human_readable(self) -> str:
        """Return one sentence a line."""
        return "\n".join(str(reason["message"]) for reason in self._value)

    def machine_readable(self) -> list[Mapping[str, object]]:
        """Return the fields of each."""
        return list(self._value)


def _fields(reason: Reason) -> dict[str, object]:
    return {
        "check": reason.check,
        "kind": reason.kind.value,
        "message": reason.message,
        "asked": reason.asked,
        "free": reason.free,
        "limit": reason.limit,
    }


def _row(verdict: HostVerdict) -> tuple[object, ...]:
    scores = {score.weigher: round(score.weighted, 6) for score in verdict.scores}
    return (
        verdict.host,
        verdict.node,
        verdict.fits,
        round(verdict.total, 6),
        Facts(scores),
        Reasons([_fields(reason) for reason in verdict.reasons]),
    )
