"""Callers who wait for SQLite's one writer, and do not wait to the end."""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from scheduler_lib.exceptions import DeadlineExceeded
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.store.session import Session
from tests.store.conftest import Desk


def _deadline(seconds: float) -> Deadline:
    return Deadline.after(seconds, SystemClock())


@contextmanager
def _slow_writer(desk: Desk) -> Iterator[threading.Event]:
    """Keep the writer busy until the event is set."""
    begun, go_on = threading.Event(), threading.Event()

    def slow(_: Session) -> None:
        begun.set()
        go_on.wait(20)

    thread = threading.Thread(
        target=desk.store._database.write, args=(slow, _deadline(30), "a slow write")
    )
    thread.start()
    begun.wait(20)
    try:
        yield go_on
    finally:
        go_on.set()
        thread.join(20)


def test_who_waits_for_the_writer_gives_up_at_the_deadline(sqlite_desk: Desk) -> None:
    database = sqlite_desk.store._database
    ran: list[str] = []
    with _slow_writer(sqlite_desk):
        started = time.monotonic()
        with pytest.raises(DeadlineExceeded, match="waited for other writers"):
            database.write(lambda _: ran.append("late"), _deadline(0.2), "a late write")
        assert time.monotonic() - started < 5
    database.write(lambda _: ran.append("next"), _deadline(20), "the next write")
    assert ran == ["next"]


def test_an_interrupt_while_waiting_does_not_block_those_who_come_later(
    sqlite_desk: Desk,
) -> None:
    """Nobody hands the lead to a caller who has gone."""
    database = sqlite_desk.store._database
    ran: list[str] = []

    def interrupt(go_on: threading.Event) -> None:
        while not database._transactions._queue:  # type: ignore[union-attr]
            time.sleep(0.001)
        _thread.interrupt_main()
        time.sleep(0.05)
        go_on.set()

    with _slow_writer(sqlite_desk) as go_on:
        threading.Thread(target=interrupt, args=(go_on,)).start()
        with pytest.raises(KeyboardInterrupt):
            database.write(lambda _: ran.append("gone"), _deadline(20), "an interrupted write")
    database.write(lambda _: ran.append("next"), _deadline(5), "the next write")
    assert ran == ["next"]
