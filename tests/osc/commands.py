"""Runs many ``openstack`` commands in one process: each start of it costs a second or two.

Run by an interpreter that has python-openstackclient: reads a JSON list of argument lists, writes a
JSON list of ``{"code", "output", "error"}``.
"""
# ruff: noqa: T201 - its output is what it is for

from __future__ import annotations

import contextlib
import io
import json
import logging
import sys

from openstackclient import shell


def run(arguments: list[str]) -> dict[str, object]:
    """Run one command as the program itself does."""
    output, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(error):
        try:
            code = shell.main(arguments)
        except SystemExit as end:
            code = end.code
    # Each command adds handlers that write to its own stderr.
    logging.getLogger("").handlers.clear()
    return {"code": int(code or 0), "output": output.getvalue(), "error": error.getvalue()}


if __name__ == "__main__":
    print(json.dumps([run(arguments) for arguments in json.load(sys.stdin)]))
