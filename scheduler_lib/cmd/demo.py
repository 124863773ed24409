"""``scheduler-lib demo``: the whole library in ten lines, run and shown."""

from __future__ import annotations

import argparse
import inspect
import tempfile
import textwrap
from collections.abc import Iterator, Sequence

from scheduler_lib import conf
from scheduler_lib.client import SchedulerClient
from scheduler_lib.cmd.base import CONTEXT, Command
from scheduler_lib.cmd.host import usage
from scheduler_lib.cmd.tenlines import ten_lines
from scheduler_lib.exceptions import NoValidHost

Table = list[tuple[str, ...]]


class Demo(Command):
    """Report six hosts, ask for instances, and show who went where, and why one could not.

    Everything is done in a temporary directory, which is gone afterwards.
    """

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Run it and print what it did."""
        with tempfile.TemporaryDirectory(prefix="scheduler_lib-demo-") as directory:
            options = conf.load()
            url = f"sqlite:///{directory}/demo.sqlite".replace("$", "$$")
            options.set_override("connection", url, group="database")
            with SchedulerClient(options) as client:
                text = "\n\n".join(_story(client))
        self.app.stdout.write(text + "\n")
        return 0


def shown_code() -> str:
    """Return the body of the function that the demonstration runs, as it stands in its file."""
    body = inspect.getsource(ten_lines).partition("\n")[2]
    return textwrap.dedent(body).rstrip()


def _story(client: SchedulerClient) -> Iterator[str]:
    placed: Table = []
    refused: list[tuple[str, NoValidHost]] = []
    for name, answer in ten_lines(client):
        if isinstance(answer, NoValidHost):
            refused.append((name, answer))
            continue
        placed.extend(
            (f"{name}-{number}", str(chosen["host"])) for number, chosen in enumerate(answer, 1)
        )
    hosts = _hosts(client)
    yield f"{len(hosts)} hosts reported; {len(placed)} instances have a place:"
    yield _table(("instance", "host"), placed)
    yield "What that leaves on each host, as used/capacity:"
    yield _table(("host", "VCPU", "MEMORY_MB", "DISK_GB"), hosts)
    for name, error in refused:
        yield f"And one request cannot be met. {name}: {error.message}"
        yield _table(("host", "why not"), _reasons(error))
    yield "The ten lines of Python that did it, with client = SchedulerClient():"
    yield textwrap.indent(shown_code(), "    ")


def _hosts(client: SchedulerClient) -> Table:
    rows = []
    for record in client.list_resource_stats(CONTEXT):
        used = usage(record["inventories"])
        amounts = (str(used[name]) for name in ("VCPU", "MEMORY_MB", "DISK_GB"))
        rows.append((str(record["host"]), *amounts))
    return rows


def _reasons(error: NoValidHost) -> Table:
    if error.decision is None:
        return []
    return [(reason.host, reason.message) for reason in error.decision.reasons()]


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [header, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(header))]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "  "
        + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
