"""The program: global options, and a door to each command."""

from __future__ import annotations

import argparse
import contextlib
import copy
import importlib.metadata
import io
import logging
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from cliff.app import App
from cliff.commandmanager import CommandManager

if TYPE_CHECKING:
    from oslo_config.cfg import ConfigOpts

NAME = "scheduler-lib"
DISTRIBUTION = "scheduler_lib"
SIGPIPE_EXIT = 141


class OneLine(logging.Formatter):
    """A message without the traceback that was logged with it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; the record stays whole for other handlers."""
        shown = copy.copy(record)
        shown.exc_info = shown.exc_text = shown.stack_info = None
        return super().format(shown)


class SchedulerApp(App):
    """Reads the global options; commands ask it for the configuration."""

    NAME = NAME
    LOG = logging.getLogger(NAME)

    def __init__(self, stdout: TextIO | None = None, stderr: TextIO | None = None) -> None:
        super().__init__(
            description="Pick a host, and keep the books behind the pick.",
            version=importlib.metadata.version(DISTRIBUTION),
            command_manager=CommandManager("scheduler_lib.commands"),
            stdout=stdout,
            stderr=stderr,
            deferred_help=True,
        )
        self._handlers: list[logging.Handler] = []

    def build_option_parser(
        self,
        description: str | None,
        version: str | None,
        argparse_kwargs: dict[str, object] | None = None,
    ) -> argparse.ArgumentParser:
        """Return the parser of the options that every command has."""
        parser = super().build_option_parser(
            description, version, {"prog": NAME, "allow_abbrev": False, **(argparse_kwargs or {})}
        )
        parser.add_argument(
            "--config-file",
            action="append",
            default=[],
            metavar="PATH",
            help="A configuration file; may be repeated, later ones win. Without it, the files "
            "scheduler_lib.conf that oslo.config finds under ~/.scheduler_lib, ~, "
            "/etc/scheduler_lib and /etc are read.",
        )
        parser.add_argument(
            "--connection",
            metavar="URL",
            help="The database, as a SQLAlchemy URL; wins over [database] connection.",
        )
        return parser

    def configure_logging(self) -> None:
        """Send warnings and errors to stderr, more with -v and -vv; and all to --log-file."""
        levels = {0: logging.ERROR, 1: logging.WARNING, 2: logging.INFO}
        console = logging.StreamHandler(self.stderr)
        console.setLevel(levels.get(self.options.verbose_level, logging.DEBUG))
        kind = logging.Formatter if self.options.debug else OneLine
        console.setFormatter(kind(f"{NAME}: %(message)s"))
        # What the database's layer logs is told again, in our words, by the error that follows.
        console.addFilter(
            lambda record: self.options.verbose_level > 1 or not record.name.startswith("oslo_db")
        )
        self._handlers.append(console)
        if self.options.log_file:
            file = logging.FileHandler(self.options.log_file)
            file.setFormatter(logging.Formatter(self.LOG_FILE_MESSAGE_FORMAT))
            self._handlers.append(file)
        root = logging.getLogger()
        root.setLevel(logging.DEBUG if self.options.verbose_level > 2 else logging.INFO)
        for handler in self._handlers:
            root.addHandler(handler)

    def forget_logging(self) -> None:
        """Undo what :meth:`configure_logging` did, for programs that go on."""
        for handler in self._handlers:
            logging.getLogger().removeHandler(handler)
            handler.close()
        self._handlers.clear()

    def print_help_if_requested(self) -> None:
        """Show the help, if it was asked for; without colours where NO_COLOR says so."""
        if not os.environ.get("NO_COLOR"):
            super().print_help_if_requested()
            return
        # What is no terminal gets plain text.
        terminal, plain = self.stdout, io.StringIO()
        self.stdout = plain
        try:
            super().print_help_if_requested()
        finally:
            self.stdout = terminal
            terminal.write(plain.getvalue())

    def interact(self) -> None:
        """Show the help: there is no interactive mode."""
        self.parser.print_help(self.stdout)

    def configuration(self) -> ConfigOpts:
        """Return the options: the files named, or else those found, and ``--connection``.

        :raises InvalidConfiguration: for a file that cannot be read, or a value that is not
            allowed.
        """
        from scheduler_lib import conf

        options = conf.load(
            config_files=self.options.config_file or conf.loading.default_config_files()
        )
        if self.options.connection is not None:
            # A `$` would be taken for a reference to another option.
            url = self.options.connection.replace("$", "$$")
            options.set_override("connection", url, group="database")
            options.set_override("connection", None, group="placement_database")
        return options


def main(
    argv: Sequence[str] | None = None,
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
) -> int:
    """Run one command.

    :param argv: its arguments; None for the process's own.
    :returns: the exit code: 0 done, 1 an error, 2 arguments that cannot be understood.
    """
    # A stream that was closed before the start is None here.
    app = SchedulerApp(stdout or sys.stdout or _nowhere(), stderr or sys.stderr or _nowhere())
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        code = app.run(arguments or ["--help"])
        app.stdout.flush()
    except BrokenPipeError:
        code = SIGPIPE_EXIT
    finally:
        app.forget_logging()
    if code == SIGPIPE_EXIT:
        _close_quietly(app.stdout)
    return code


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _close_quietly(stream: TextIO) -> None:
    # Else the interpreter flushes it once more on its way out, and complains.
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
