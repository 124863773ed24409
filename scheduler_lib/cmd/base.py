"""What every command is built on: errors told in one line, and values that print well."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from cliff import columns, command, lister, show
from cliff.formatters.base import SingleFormatter
from cliff.formatters.commaseparated import CSVLister

from scheduler_lib.exceptions import SchedulerLibError

if TYPE_CHECKING:
    from oslo_config.cfg import ConfigOpts
    from stevedore import ExtensionManager

    from scheduler_lib.cmd.main import SchedulerApp

CONTEXT: object = None
"""The facade's calls take a context; the command has none."""


class Command(command.Command):
    """A command that prints what it likes."""

    app: SchedulerApp

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Run it; tell an error of our tree in one line, and give 1."""
        try:
            return super().run(parsed_args)
        except SchedulerLibError as error:
            if self.app.options.debug:
                raise
            self.app.stderr.write(f"{self.app.NAME}: {one_line(error)}\n")
            return 1

    def configuration(self) -> ConfigOpts:
        """Return the options that the global arguments lead to."""
        return self.app.configuration()


class Lister(Command, lister.Lister):
    """A command that prints rows."""


class CsvFields(CSVLister, SingleFormatter):
    """One thing as CSV: its fields' names, and one row; cliff has that for lists alone."""

    def emit_one(
        self,
        column_names: Sequence[str],
        data: Sequence[object],
        stdout: TextIO,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print the two lines."""
        self.emit_list(column_names, [data], stdout, parsed_args)


class ShowOne(Command, show.ShowOne):
    """A command that prints one thing, field by field."""

    def _load_formatter_plugins(self) -> ExtensionManager[SingleFormatter]:
        # An entry point would give the format to every other program built on cliff, too.
        found = super()._load_formatter_plugins()
        known = found.extensions[0]
        found.extensions.append(type(known)("csv", known.entry_point, CsvFields, CsvFields()))
        return found


class Names(columns.FormattableColumn[Sequence[str]]):
    """A list of names: one below the other for people, a list for programs."""

    def human_readable(self) -> str:
        """Return one name a line."""
        return "\n".join(self._value)

    def machine_readable(self) -> list[str]:
        """Return the list."""
        return list(self._value)


class Facts(columns.FormattableColumn[Mapping[str, object]]):
    """Values by name: ``name=value`` a line for people, a mapping for programs."""

    def human_readable(self) -> str:
        """Return one pair a line."""
        return "\n".join(f"{name}={_plain(value)}" for name, value in self._value.items())

    def machine_readable(self) -> dict[str, object]:
        """Return the mapping."""
        return dict(self._value)


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, default=str, sort_keys=True)


def one_line(error: SchedulerLibError) -> str:
    """Return the error's message and its hint, on one line."""
    end = "" if error.message.rstrip().endswith((".", "!", "?", ":")) else "."
    return " ".join(f"{error.message.rstrip()}{end} {error.hint}".split())
