"""The two sides of a comparison, each a WSGI application over a database of its own."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from benchmarks.placement import rows
from benchmarks.placement.calls import Caller
from benchmarks.placement.shapes import Shape
from scheduler_lib.model.clock import SystemClock
from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings
from scheduler_lib.store.store import Store


class Side(Protocol):
    """One implementation of the API.

    :ivar clock_ns: what it is measured by where nothing waits for a disk or a server. The peer's is
        the time of its process and ours the clock's, so other work on the machine counts against us
        alone.
    """

    name: str
    clock_ns: Callable[[], int]

    def create(self, url: str) -> None:
        """Make the tables in an empty database."""

    def serving(self, url: str) -> Iterator[Caller]:
        """Give the application over a database."""


class Ours:
    """This library."""

    name = "ours"
    clock_ns = staticmethod(time.perf_counter_ns)

    def create(self, url: str) -> None:
        Store(DatabaseSettings(url), CapacitySettings(), SystemClock()).upgrade()

    @contextmanager
    def serving(self, url: str) -> Iterator[Caller]:
        from scheduler_lib.testing.api import make_app

        with make_app(connection=url) as app:
            yield Caller(app)


def sides() -> tuple[Side, ...]:
    """Give ours, and the peer when it is installed beside it."""
    if importlib.util.find_spec("placement") is None:
        return (Ours(),)
    from benchmarks.peers.placement_peer import PlacementPeer

    return (Ours(), PlacementPeer())


def fill(side: Side, url: str, shapes: Iterable[Shape]) -> None:
    """Make the tables in an empty database, and write providers into them."""
    side.create(url)
    rows.write(url, shapes)
