"""Commands of the documentation that serve the Placement API, typed as they stand."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

PORT = "8778"


def typed(commands: str, state: Path) -> str:
    """Return what commands print; on a free port instead of the one that they name.

    :param state: where the books of commands are that name no database.
    """
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    done = subprocess.run(
        ["bash", "-e", "-c", commands.replace(PORT, str(_free_port()))],
        capture_output=True,
        text=True,
        check=False,
        cwd=state,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "XDG_STATE_HOME": str(state),
        },
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
