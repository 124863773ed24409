"""``[DEFAULT] state_path``: the directory for what outlives a process."""

from __future__ import annotations

import os
from collections.abc import Mapping

from oslo_config import cfg

from scheduler_lib.conf.groups import DEFAULT, Options

OPTIONS: Options = {
    DEFAULT: (
        cfg.StrOpt(
            "state_path",
            sample_default="~/.local/state/scheduler_lib",
            help="""
The directory for files that must outlive the process; made when it is first needed.

The default follows the XDG base directories: ``$XDG_STATE_HOME/scheduler_lib``, and
``~/.local/state/scheduler_lib`` where that variable is unset.

Possible values: the path of a directory that the process may write to.
""",
        ),
    ),
}


def default_state_path(environment: Mapping[str, str]) -> str:
    """Return the state directory of this user.

    :param environment: the process's environment variables.
    :returns: a path; the directory need not exist.
    """
    base = environment.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        # Relative paths in these variables are to be ignored (XDG base directory specification).
        base = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "scheduler_lib")
