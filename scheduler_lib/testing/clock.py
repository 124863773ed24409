"""A clock that a test moves."""

from __future__ import annotations

import threading


class ManualClock:
    """Time that passes only when told to; waiting passes it.

    :param start: the time at first, in seconds since 1970-01-01 UTC.
    """

    def __init__(self, start: float = 1_800_000_000.0) -> None:
        self.slept: list[float] = []
        self._start = start
        self._passed = 0.0
        self._lock = threading.Lock()

    def now(self) -> float:
        """Return seconds since 1970-01-01 UTC."""
        return self._start + self._passed

    def monotonic(self) -> float:
        """Return the seconds that have passed."""
        return self._passed

    def sleep(self, seconds: float) -> None:
        """Let that much time pass, and note it."""
        with self._lock:
            self.slept.append(seconds)
            self._passed += seconds

    def advance(self, seconds: float) -> None:
        """Let that much time pass."""
        with self._lock:
            self._passed += seconds
