"""``scheduler-lib serve``: servers that run until they are told to stop."""

from __future__ import annotations

import argparse
import logging
import signal
from types import FrameType
from typing import TYPE_CHECKING, Protocol

from scheduler_lib.cmd.base import Command
from scheduler_lib.exceptions import BackendUnavailable

if TYPE_CHECKING:
    from scheduler_lib.api.app import PlacementApp

# Placement's port in OpenStack's own development set-ups.
PORT = 8778
_HIGHEST_PORT = 65535


class Server(Protocol):
    """What waitress gives: a socket that is listened on."""

    effective_listen: list[tuple[str, int]]
    effective_port: int

    def run(self) -> None:
        """Answer requests until the process is told to stop."""
        ...


class ServePlacement(Command):
    """Serve the Placement API over HTTP, in one process, until SIGTERM or Ctrl-C."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command's own options."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--host", default="127.0.0.1", help="where to listen (%(default)s)")
        parser.add_argument(
            "--port", type=port, default=PORT, help="0 for any free one (%(default)s)"
        )
        parser.add_argument(
            "--threads", type=threads, default=4, help="requests answered at a time (%(default)s)"
        )
        parser.add_argument(
            "--auth-strategy",
            choices=("keystone", "noauth2"),
            help="wins over [api] auth_strategy; noauth2 believes every token",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Serve until a signal comes; requests that are being answered are finished."""
        from scheduler_lib.api.app import create_app

        conf = self.configuration()
        if parsed_args.auth_strategy is not None:
            conf.set_override("auth_strategy", parsed_args.auth_strategy, group="api")
        with create_app(conf) as application:
            server = _listening(application, parsed_args, conf.api.max_request_body_bytes)
            where = f"http://{parsed_args.host}:{_bound_port(server)}"
            self.app.stderr.write(f"Placement API at {where} ({conf.api.auth_strategy})\n")
            self.app.stderr.flush()
            signal.signal(signal.SIGTERM, _stop)
            server.run()


def _listening(
    application: PlacementApp, parsed_args: argparse.Namespace, limit_bytes: int
) -> Server:
    from waitress.server import create_server

    # One line for each request that waits for a thread would bury all others.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    try:
        server: Server = create_server(
            application,
            host=parsed_args.host,
            port=parsed_args.port,
            threads=parsed_args.threads,
            ident=None,
            # It keeps a body whole before the application sees it; its own limit is a gigabyte.
            max_request_body_size=limit_bytes,
        )
    except (OSError, ValueError) as error:
        # ValueError: waitress cannot find the host.
        why = error.strerror if isinstance(error, OSError) else "there is no such host"
        raise BackendUnavailable(
            f"{parsed_args.host}:{parsed_args.port} cannot be listened on: {why}.",
            hint="Choose another --host or --port.",
            backend="waitress",
        ) from error
    return server


def _bound_port(server: Server) -> int:
    # A name that stands for several addresses is listened on by several sockets.
    listens = getattr(server, "effective_listen", None)
    return listens[0][1] if listens else server.effective_port


def port(text: str) -> int:
    """Return a port's number; argparse tells the name of this function when it is none."""
    number = int(text)
    if not 0 <= number <= _HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"{number} is no port")
    return number


def threads(text: str) -> int:
    """Return a number of threads; argparse tells the name of this function when it is none."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1 is needed to answer anybody")
    return number


def _stop(number: int, frame: FrameType | None) -> None:
    # waitress takes this for the end: it stops listening, and finishes what was begun.
    raise SystemExit(0)
