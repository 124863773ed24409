"""What other people's tests need: fakes, a fixture, builders, a pytest plug-in, contract suites.

In: a backend's name or object, and the hosts a test wants. Out: a client on fakes or on a temporary
SQLite database, and suites (``scheduler_lib.testing.contract``) that hold a new backend to what it
declares. The library itself never imports this room; the extra ``testing`` installs what it needs.

Names are imported when they are first used: the pytest plug-in is part of every pytest run.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scheduler_lib.query.fake import FakeQuery, QueryCall
    from scheduler_lib.report.fake import FakeReport
    from scheduler_lib.testing.api import make_app
    from scheduler_lib.testing.builders import (
        HostBuilder,
        RequestBuilder,
        a_host,
        a_legacy_request,
        a_request,
    )
    from scheduler_lib.testing.clock import ManualClock
    from scheduler_lib.testing.fixture import PlacementApiFixture, SchedulerClientFixture

__all__ = [
    "FakeQuery",
    "FakeReport",
    "HostBuilder",
    "ManualClock",
    "PlacementApiFixture",
    "QueryCall",
    "RequestBuilder",
    "SchedulerClientFixture",
    "a_host",
    "a_legacy_request",
    "a_request",
    "make_app",
]

_HOMES = {
    "FakeQuery": "scheduler_lib.query.fake",
    "QueryCall": "scheduler_lib.query.fake",
    "FakeReport": "scheduler_lib.report.fake",
    "ManualClock": "scheduler_lib.testing.clock",
    "PlacementApiFixture": "scheduler_lib.testing.fixture",
    "SchedulerClientFixture": "scheduler_lib.testing.fixture",
    "make_app": "scheduler_lib.testing.api",
    **dict.fromkeys(
        ("HostBuilder", "RequestBuilder", "a_host", "a_legacy_request", "a_request"),
        "scheduler_lib.testing.builders",
    ),
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
