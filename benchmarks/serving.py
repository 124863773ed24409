"""A client over an SQLite file, as the defaults have it, that has loaded its fleet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import fleet_shape, fleet_values
from benchmarks.populating import url
from scheduler_lib import SchedulerClient, conf


@contextmanager
def serving(path: Path) -> Iterator[SchedulerClient]:
    """Give a client whose first call is done."""
    options = conf.load()
    options.set_override("connection", url(path), "database")
    options.set_override("service_down_time", float(fleet_shape.SERVICE_DOWN_TIME_S))
    with SchedulerClient(options) as client:
        request = fleet_values.request(fleet_shape.REQUESTS["small"], first=10**9)
        client.select(None, request, dry_run=True)
        yield client
