"""Every option in one list, for oslo.config's generator and validator."""

from __future__ import annotations

from oslo_config import cfg

from scheduler_lib.conf import calls, capacity, database, paths, placement, scheduling

_ROOMS = (paths, capacity, calls, scheduling, database, placement)


def list_opts() -> list[tuple[str, list[cfg.Opt]]]:
    """Return (group, options) pairs: what the entry point ``oslo.config.opts`` promises."""
    merged: dict[str, list[cfg.Opt]] = {}
    for room in _ROOMS:
        for group, options in room.OPTIONS.items():
            merged.setdefault(group, []).extend(options)
    return list(merged.items())
