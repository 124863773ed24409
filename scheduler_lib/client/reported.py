"""What was reported last, so that a report which says nothing new need not be sent."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from scheduler_lib.model.clock import Clock
from scheduler_lib.model.naming import ResourceName


@dataclass(slots=True)
class _Memory:
    accepted: bytes | None = None
    accepted_at: float = 0.0
    sending: int = 0
    overlapped: bool = False


class LastReports:
    """The digest of each host's last accepted report.

    Two reports of one host under way at once may arrive in either order: neither is remembered.

    :param clock: what the age of a report is read on.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._memories: dict[ResourceName, _Memory] = {}
        self._lock = threading.Lock()

    def begin(self, name: ResourceName, digest: bytes, refresh_s: float) -> bool:
        """Say that a report is about to be sent.

        :param refresh_s: how old the last accepted report may be, in seconds.
        :returns: whether it needs to be; False when the last accepted one said the same.
        """
        moment = self._clock.monotonic()
        with self._lock:
            memory = self._memories.setdefault(name, _Memory())
            young = moment - memory.accepted_at < refresh_s
            if memory.accepted == digest and young and not memory.sending:
                return False
            memory.overlapped = memory.overlapped or memory.sending > 0
            memory.sending += 1
            # Should this one fail, nobody knows what is stored: the next is sent in any case.
            memory.accepted = None
            return True

    def end(self, name: ResourceName, accepted: bytes | None) -> None:
        """Say what came of it.

        :param accepted: the digest of what is stored now; None when sending failed.
        """
        with self._lock:
            memory = self._memories[name]
            memory.sending -= 1
            if not memory.overlapped:
                memory.accepted = accepted
                memory.accepted_at = self._clock.monotonic()
            if memory.sending == 0:
                memory.overlapped = False
                if memory.accepted is None:
                    del self._memories[name]

    def forget(self, name: ResourceName) -> None:
        """Send the host's next report in any case."""
        with self._lock:
            memory = self._memories.get(name)
            if memory is None:
                return
            memory.accepted = None
            if memory.sending:
                memory.overlapped = True
            else:
                del self._memories[name]
