"""``[scheduler]``: which backends answer, and what the facade does for each call."""

from __future__ import annotations

from oslo_config import cfg

from scheduler_lib.conf.groups import Options
from scheduler_lib.model.settings import CallSettings

GROUP = "scheduler"

OPTIONS: Options = {
    GROUP: (
        cfg.StrOpt(
            "query_backend",
            default="local",
            help="""
What answers requests for destinations.

Possible values: a name in the entry-point group ``scheduler_lib.query``: ``local`` (the engine in
this process), ``fake`` (scripted answers, for tests), or one that another package provides.
""",
        ),
        cfg.StrOpt(
            "report_backend",
            default="db",
            help="""
What takes the hosts' reports.

Possible values: a name in the entry-point group ``scheduler_lib.report``: ``db`` (the configured
database), ``fake`` (records them, for tests), or one that another package provides.
""",
        ),
        cfg.FloatOpt(
            "call_timeout_s",
            default=60.0,
            min=0.001,
            help="""
The time that one call to the facade may take, retries included. Unit: seconds, more than 0.
""",
        ),
        cfg.IntOpt(
            "retry_attempts",
            default=3,
            min=1,
            help="""
How often a call that is safe to repeat is tried. Unit: tries, at least 1 (no retry).
""",
        ),
        cfg.FloatOpt(
            "report_refresh_s",
            default=600.0,
            min=0.0,
            help="""
A report that says nothing new is not sent, unless the last one that was accepted is older than
this: another process may have deleted the host. Unit: seconds; 0 sends every report.
""",
        ),
    ),
}


def settings(conf: cfg.ConfigOpts) -> CallSettings:
    """Return what the facade does for each call, as a plain value.

    :param conf: options made by :func:`scheduler_lib.conf.load`.
    """
    group = conf[GROUP]
    return CallSettings(
        call_timeout_s=group.call_timeout_s,
        retry_attempts=group.retry_attempts,
        report_refresh_s=group.report_refresh_s,
    )
