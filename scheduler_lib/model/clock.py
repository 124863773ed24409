"""Time, passed in: the clock that everything reads, and the deadline of a call."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from scheduler_lib.exceptions import DeadlineExceeded


class Clock(Protocol):
    """What time it is, and how long something took."""

    def now(self) -> float:
        """Return seconds since 1970-01-01 UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start, never going back."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait that long."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Return seconds since 1970-01-01 UTC."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start, never going back."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait that long."""
        time.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment by which a whole call must have ended.

    :ivar clock: the clock it is read on.
    :ivar timeout_s: what the call was given, in seconds.
    :ivar ends_at: the moment, on the clock's monotonic scale.
    """

    clock: Clock
    timeout_s: float
    ends_at: float

    @classmethod
    def after(cls, timeout_s: float, clock: Clock) -> Deadline:
        """Return the deadline that many seconds from now."""
        return cls(clock, timeout_s, clock.monotonic() + timeout_s)

    def remaining_s(self) -> float:
        """Return the seconds that are left; never negative."""
        return max(self.ends_at - self.clock.monotonic(), 0.0)

    def check(self, step: str) -> None:
        """Go on only while there is time.

        :param step: what is about to be done, for the message.
        :raises DeadlineExceeded: when none is left.
        """
        if self.clock.monotonic() >= self.ends_at:
            raise DeadlineExceeded(
                f"The {self.timeout_s:g} s given to the call ran out before: {step}.",
                deadline_s=self.timeout_s,
                step=step,
            )
