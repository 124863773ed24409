"""``scheduler-lib host``: the hosts that have reported."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from scheduler_lib.client import SchedulerClient
from scheduler_lib.cmd.base import CONTEXT, Command, Facts, Lister, Names, ShowOne
from scheduler_lib.model.inventory import capacity

COLUMNS = ("host", "node", "zone", "state", "resources", "updated_at")


class HostList(Lister):
    """List the hosts that have reported: what is used of what may be used."""

    def take_action(
        self, parsed_args: argparse.Namespace
    ) -> tuple[Sequence[str], Iterable[Sequence[object]]]:
        """Return one row for each host."""
        with SchedulerClient(self.configuration()) as client:
            records = client.list_resource_stats(CONTEXT)
        return COLUMNS, [_row(record) for record in records]


class HostShow(ShowOne):
    """Show everything that is known of one host."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of its arguments."""
        parser = super().get_parser(prog_name)
        _add_name(parser)
        return parser

    def take_action(
        self, parsed_args: argparse.Namespace
    ) -> tuple[Sequence[str], Sequence[object]]:
        """Return every field."""
        with SchedulerClient(self.configuration()) as client:
            record = client.get_resource_stats(CONTEXT, _name(parsed_args))
        return tuple(record), tuple(_shown(value) for value in record.values())


class HostDelete(Command):
    """Forget a host with everything below it; refused while it holds allocations."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of its arguments."""
        parser = super().get_parser(prog_name)
        _add_name(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Delete it."""
        with SchedulerClient(self.configuration()) as client:
            client.delete_resource(CONTEXT, _name(parsed_args))
        return 0


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("host", help="The service host's name.")
    parser.add_argument(
        "node", nargs="?", help="The hypervisor's name, where it is not the host's."
    )


def _name(parsed_args: argparse.Namespace) -> tuple[str, str]:
    return parsed_args.host, parsed_args.node or parsed_args.host


def _row(record: Mapping[str, object]) -> tuple[object, ...]:
    return (
        record.get("host"),
        record.get("hypervisor_hostname"),
        record.get("availability_zone"),
        _state(record),
        Facts(usage(record.get("inventories"))),
        _shown(record.get("updated_at")),
    )


def _state(record: Mapping[str, object]) -> str:
    if record.get("forced_down"):
        return "down"
    return "disabled" if record.get("disabled") else "enabled"


def usage(inventories: object) -> dict[str, object]:
    """Return ``used/capacity`` by resource class, from a host's inventories."""
    if not isinstance(inventories, Mapping):
        return {}
    return {
        name: f"{item['used']}/"
        f"{capacity(item['total'], item['reserved'], item['allocation_ratio'])}"
        for name, item in sorted(inventories.items())
    }


def _shown(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return Facts(value)
    if isinstance(value, list | tuple | set | frozenset) and all(
        isinstance(item, str) for item in value
    ):
        return Names(sorted(value))
    return value
