"""The store of the configured database, for the commands that look into it themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_lib import conf
from scheduler_lib.model.clock import Clock, Deadline, SystemClock
from scheduler_lib.store.store import Store

if TYPE_CHECKING:
    from oslo_config.cfg import ConfigOpts


def store_of(options: ConfigOpts, clock: Clock | None = None) -> Store:
    """Return the store that the options name; it is not open yet."""
    return Store(
        conf.database.settings(options), conf.capacity.settings(options), clock or SystemClock()
    )


def deadline_of(options: ConfigOpts) -> Deadline:
    """Return the deadline of one call, from now."""
    return Deadline.after(conf.calls.settings(options).call_timeout_s, SystemClock())
