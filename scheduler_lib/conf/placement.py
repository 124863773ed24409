"""``[api]``, ``[placement]``, ``[placement_database]``: the Placement API, as operators know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oslo_config import cfg

from scheduler_lib.conf.calls import GROUP as CALLS
from scheduler_lib.conf.groups import Options
from scheduler_lib.model.settings import PlacementSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

API = "api"
GROUP = "placement"
DATABASE = "placement_database"

_NOBODY = "00000000-0000-0000-0000-000000000000"

OPTIONS: Options = {
    API: (
        cfg.StrOpt(
            "auth_strategy",
            default="keystone",
            choices=[
                (
                    "keystone",
                    "tokens are checked by keystonemiddleware, as [keystone_authtoken] says",
                ),
                (
                    "noauth2",
                    "a token is taken for the user it names; for tests and closed machines",
                ),
            ],
            help="""
How callers of the Placement API are known. Possible values: keystone, noauth2.
""",
        ),
        cfg.IntOpt(
            "max_request_body_bytes",
            default=16 * 1024 * 1024,
            min=1024,
            help="""
The longest body that a request may have; a longer one is answered with 413. Unit: bytes, at least
1024.
""",
        ),
        cfg.StrOpt(
            "healthcheck_path",
            default="/healthcheck",
            help="""
Where oslo.middleware's healthcheck answers, without authentication. Possible values: a path that
begins with ``/``; empty for nowhere.
""",
        ),
    ),
    GROUP: (
        cfg.BoolOpt(
            "randomize_allocation_candidates",
            default=False,
            help="""
Whether candidates come in a random order, so that callers who ask for a few of many do not all get
the same ones. Possible values: true, false.
""",
        ),
        cfg.IntOpt(
            "max_allocation_candidates",
            default=-1,
            min=-1,
            help="""
The most candidates that are given to one request, whatever its limit is. Unit: candidates; -1 for
as many as there are.
""",
        ),
        cfg.StrOpt(
            "allocation_candidates_generation_strategy",
            default="breadth-first",
            choices=[
                ("breadth-first", "one of each tree, then the next of each tree, and so on"),
                ("depth-first", "all of one tree, then all of the next"),
            ],
            help="""
In which order candidates are found. It matters when a limit leaves some out. Possible values:
breadth-first, depth-first.
""",
        ),
        cfg.StrOpt(
            "incomplete_consumer_project_id",
            default=_NOBODY,
            help="""
The project that allocations are booked on which name none (microversions below 1.8). Possible
values: any text of up to 255 characters.
""",
        ),
        cfg.StrOpt(
            "incomplete_consumer_user_id",
            default=_NOBODY,
            help="""
The user that allocations are booked on which name none (microversions below 1.8). Possible values:
any text of up to 255 characters.
""",
        ),
        cfg.IntOpt(
            "allocation_conflict_retry_count",
            default=10,
            min=0,
            help="""
Taken from placement.conf as it is, and not needed: a claim that fits never conflicts with one
written at the same time. Unit: times, at least 0.
""",
        ),
    ),
    DATABASE: (
        cfg.StrOpt(
            "connection",
            secret=True,
            help="""
A database of its own for the books; unset, they are in ``[database] connection``. The scheduler
and the trackers of this library use the same one, so that there is one set of books. Its other
options are those of ``[database]``.

Possible values: a SQLAlchemy URL, as for ``[database] connection``.
""",
        ),
        cfg.BoolOpt(
            "sync_on_startup",
            default=False,
            help="""
Whether the Placement API brings the database to the newest schema when it starts. An SQLite file
always is. Possible values: true, false.
""",
        ),
    ),
}


def settings(conf: cfg.ConfigOpts) -> PlacementSettings:
    """Return how the Placement API answers, as a plain value.

    :param conf: options made by :func:`scheduler_lib.conf.load`.
    """
    api, group = conf[API], conf[GROUP]
    most = group.max_allocation_candidates
    return PlacementSettings(
        auth_strategy=api.auth_strategy,
        max_request_body_bytes=api.max_request_body_bytes,
        healthcheck_path=api.healthcheck_path,
        call_timeout_s=conf[CALLS].call_timeout_s,
        max_allocation_candidates=None if most < 0 else most,
        generation_strategy=group.allocation_candidates_generation_strategy,
        randomize=group.randomize_allocation_candidates,
        incomplete_project_id=group.incomplete_consumer_project_id,
        incomplete_user_id=group.incomplete_consumer_user_id,
        sync_on_startup=conf[DATABASE].sync_on_startup,
    )


def register_libraries(conf: cfg.ConfigOpts) -> None:
    """Register the options of the libraries that stand around the API.

    They take long to import, so nobody but the API registers them.
    """
    for group, options in library_opts():
        conf.register_opts(options, group=group)


def library_opts() -> Sequence[tuple[str, Sequence[cfg.Opt]]]:
    """Return (group, options) pairs of oslo.policy and oslo.middleware."""
    import oslo_middleware.cors
    import oslo_middleware.healthcheck.opts
    import oslo_middleware.http_proxy_to_wsgi
    import oslo_policy.opts

    health = oslo_middleware.healthcheck.opts
    return (
        *oslo_policy.opts.list_opts(),
        ("cors", oslo_middleware.cors.CORS_OPTS),
        ("healthcheck", (*health.HEALTHCHECK_OPTS, *health.DISABLE_BY_FILE_OPTS)),
        ("oslo_middleware", oslo_middleware.http_proxy_to_wsgi.OPTS),
    )
