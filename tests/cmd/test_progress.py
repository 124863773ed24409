"""Progress is told often enough to be seen, seldom enough not to disturb, and to stderr alone."""

from __future__ import annotations

import io

from scheduler_lib.cmd.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class HandClock:
    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds


def test_a_pipe_gets_one_line_every_few_seconds() -> None:
    stream, clock = io.StringIO(), HandClock()
    progress = Progress(stream, clock)
    for done in range(1, 101):
        clock.sleep(0.125)
        progress("placing", done, 100)
    progress.end()
    assert stream.getvalue().splitlines() == [
        "placing: 40 of 100 (40 %)",
        "placing: 80 of 100 (80 %)",
    ]


def test_a_terminal_gets_one_line_that_changes_and_goes_away() -> None:
    stream, clock = Terminal(), HandClock()
    progress = Progress(stream, clock)
    for done in (1, 2):
        clock.sleep(0.2)
        progress("placing", done, 2)
    progress.end()
    assert stream.getvalue().count("\n") == 0
    assert stream.getvalue().split("\r")[-1] == ""
    assert "placing: 2 of 2 (100 %)" in stream.getvalue()


def test_no_code_of_a_terminal_is_ever_written() -> None:
    stream, clock = Terminal(), HandClock()
    progress = Progress(stream, clock)
    clock.sleep(1)
    progress("placing", 1, 2)
    progress.end()
    assert "\x1b" not in stream.getvalue()


def test_quiet_tells_nothing() -> None:
    stream, clock = io.StringIO(), HandClock()
    progress = Progress(stream, clock, quiet=True)
    clock.sleep(60)
    progress("placing", 1, 2)
    progress.end()
    assert stream.getvalue() == ""
