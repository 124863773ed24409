"""``scheduler-lib provider``: providers as they are stored."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence

from scheduler_lib.cmd.base import Facts, Lister, Names
from scheduler_lib.cmd.books import deadline_of, store_of
from scheduler_lib.model.provider import Provider

COLUMNS = ("name", "uuid", "parent", "generation", "resources", "traits", "aggregates")


class ProviderTree(Lister):
    """Show a provider's whole tree, root first: what is used of what there is."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of its arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("provider", help="The name or the uuid of any provider of the tree.")
        return parser

    def take_action(
        self, parsed_args: argparse.Namespace
    ) -> tuple[Sequence[str], Iterable[Sequence[object]]]:
        """Return one row for each provider."""
        options = self.configuration()
        with store_of(options) as store:
            tree = store.providers.tree(parsed_args.provider, deadline_of(options))
        depths = _depths(tree)
        indented = parsed_args.formatter == "table"
        return COLUMNS, [_row(item, depths[item.uuid] * indented) for item in tree]


def _depths(tree: Sequence[Provider]) -> Mapping[str, int]:
    depths: dict[str, int] = {}
    for provider in tree:
        depths[provider.uuid] = depths.get(provider.parent_uuid or "", -1) + 1
    return depths


def _row(provider: Provider, depth: int) -> tuple[object, ...]:
    used = {
        name: f"{stock.used}/{stock.inventory.capacity}"
        for name, stock in sorted(provider.stocks.items())
    }
    return (
        "  " * depth + provider.name,
        provider.uuid,
        provider.parent_uuid,
        provider.generation,
        Facts(used),
        Names(sorted(provider.traits)),
        Names(sorted(provider.aggregates)),
    )
