"""A server process for clients that speak over a socket: ours, unless another command is named.

``SCHEDULER_LIB_TEST_SERVE`` names another command; ``{port}`` is filled in.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import peers

VARIABLE = "SCHEDULER_LIB_TEST_SERVE"


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Start an empty server; give its URL; stop it in the end.

    :param folder: where its database is made.
    """
    peers.need("httpx", "run `tox -e clients`")
    from tests.conformance.targets import ServeTarget

    command = os.environ.get(VARIABLE) or _ours(folder)
    with ServeTarget(command).server("default") as server:
        yield server.url


def _ours(folder: Path) -> str:
    options = folder / "scheduler_lib.conf"
    options.write_text(f"[database]\nconnection = sqlite:///{folder / 'books.sqlite'}\n")
    program = Path(sys.executable).parent / "scheduler-lib"
    if not program.exists():
        pytest.fail(f"no {program}")
    return (
        f"{program} --config-file {options} serve placement --host 127.0.0.1 --port {{port}}"
        " --auth-strategy noauth2"
    )
