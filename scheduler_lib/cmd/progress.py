"""How far long work has come, on stderr."""

from __future__ import annotations

from typing import TextIO

from scheduler_lib.model.clock import Clock

TERMINAL_INTERVAL_S = 0.1
PIPE_INTERVAL_S = 5.0


class Progress:
    """Tells what is being done: one line that changes on a terminal, else one every few seconds.

    :param stream: where to tell it.
    :param clock: when to tell it.
    :param quiet: tell nothing.
    """

    def __init__(self, stream: TextIO, clock: Clock, *, quiet: bool = False) -> None:
        self._stream = stream
        self._clock = clock
        self._quiet = quiet
        self._terminal = stream.isatty()
        self._interval_s = TERMINAL_INTERVAL_S if self._terminal else PIPE_INTERVAL_S
        self._told_at = clock.monotonic()
        self._width = 0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Tell it, if it is time to.

        :param what: what is being done.
        :param done: how many of it are done.
        :param total: how many there are.
        """
        now = self._clock.monotonic()
        if self._quiet or now - self._told_at < self._interval_s:
            return
        self._told_at = now
        self._tell(f"{what}: {done} of {total} ({100 * done // max(total, 1)} %)")

    def _tell(self, text: str) -> None:
        if self._terminal:
            self._stream.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def end(self) -> None:
        """Take the changing line away."""
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0
