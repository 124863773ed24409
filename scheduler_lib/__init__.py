"""Pick a host, and keep the books behind the pick.

:class:`SchedulerClient` is the door for callers; nothing heavy is imported until it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scheduler_lib.client import SchedulerClient

__all__ = ["SchedulerClient"]


def __getattr__(name: str) -> object:
    if name == "SchedulerClient":
        from scheduler_lib.client import SchedulerClient

        return SchedulerClient
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
