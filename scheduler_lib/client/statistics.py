"""What a client has done so far, in plain numbers."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class OperationStatistics:
    """One operation's numbers.

    :ivar calls: how often it was called.
    :ivar errors: how often it ended with an error, by the error's code.
    :ivar retries: tries beyond the first.
    :ivar dropped: reports that were not sent, because they said nothing new.
    :ivar seconds: the time all calls took together, in seconds.
    :ivar longest_s: the time the longest call took, in seconds.
    """

    calls: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)
    retries: int = 0
    dropped: int = 0
    seconds: float = 0.0
    longest_s: float = 0.0


@dataclass(slots=True)
class _Tally:
    calls: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    retries: int = 0
    dropped: int = 0
    seconds: float = 0.0
    longest_s: float = 0.0


class Statistics:
    """Counts of one client, by operation; any thread may read or add."""

    def __init__(self) -> None:
        self._tallies: dict[str, _Tally] = {}
        self._lock = threading.Lock()

    def of(self, operation: str) -> OperationStatistics:
        """Return the numbers of one operation, as they are now.

        :param operation: a method's name, for example ``select_destinations``.
        """
        with self._lock:
            return _frozen(self._tallies.get(operation, _Tally()))

    def all(self) -> dict[str, OperationStatistics]:
        """Return the numbers of every operation that was called, as they are now."""
        with self._lock:
            return {name: _frozen(tally) for name, tally in sorted(self._tallies.items())}

    def called(self, operation: str, seconds: float, error: str | None) -> None:
        """Count one call that has ended.

        :param seconds: how long it took.
        :param error: the code of the error it ended with; None when it ended well.
        """
        with self._lock:
            tally = self._tallies.setdefault(operation, _Tally())
            tally.calls += 1
            tally.seconds += seconds
            tally.longest_s = max(tally.longest_s, seconds)
            if error is not None:
                tally.errors[error] = tally.errors.get(error, 0) + 1

    def retried(self, operation: str) -> None:
        """Count one further try."""
        with self._lock:
            self._tallies.setdefault(operation, _Tally()).retries += 1

    def dropped(self, operation: str) -> None:
        """Count one report that said nothing new."""
        with self._lock:
            self._tallies.setdefault(operation, _Tally()).dropped += 1


def _frozen(tally: _Tally) -> OperationStatistics:
    return OperationStatistics(
        calls=tally.calls,
        errors=dict(tally.errors),
        retries=tally.retries,
        dropped=tally.dropped,
        seconds=tally.seconds,
        longest_s=tally.longest_s,
    )
