"""Which rows were written lately: copies of a column are brought up to date in O(changes)."""

from __future__ import annotations

from array import array

import numpy as np

from scheduler_lib.fleet.arrays import Rows32

_SIZE = 4096
_MASK = _SIZE - 1
# How many lines of history a journal knows that it came from.
_MOST_PAST = 16

# A line of history, and how far it is shared.
_Moment = tuple[object, int]


class Journal:
    """A ring of the rows written last.

    :ivar token: the line of history that ``head`` counts on; a copy that goes its own way starts
        another one.
    :ivar head: how many writes there have been on it.
    """

    __slots__ = ("_past", "_ring", "head", "token")

    def __init__(self) -> None:
        self._ring = array("i", bytes(4 * _SIZE))
        self._past: tuple[_Moment, ...] = ()
        self.token = object()
        self.head = 0

    def add(self, row: int) -> None:
        """Note that a row was written."""
        self._ring[self.head & _MASK] = row
        self.head += 1

    def fork(self) -> Journal:
        """Return a journal with the same past and a future of its own."""
        clone = Journal()
        clone._ring = self._ring[:]
        clone._past = ((self.token, self.head), *self._past)[:_MOST_PAST]
        clone.head = self.head
        return clone

    def few_since(self, token: object, head: int, most: int) -> list[int] | None:
        """Return the rows written since that moment, if they are few.

        :param most: how many are few.
        :returns: None when they are more, or no longer known.
        """
        if self.head - head > most or not self._covers(token, head):
            return None
        ring = self._ring
        return [ring[place & _MASK] for place in range(head, self.head)]

    def since(self, token: object, head: int) -> Rows32 | None:
        """Return the rows written since that moment (repeated ones too).

        :param token: the line of history the moment is on.
        :param head: the moment.
        :returns: None when they are no longer known: everything may have changed.
        """
        if not self._covers(token, head):
            return None
        start, end = head & _MASK, self.head & _MASK
        if self.head == head:
            rows = self._ring[0:0]
        elif start < end:
            rows = self._ring[start:end]
        else:
            rows = self._ring[start:] + self._ring[:end]
        return np.frombuffer(rows, dtype=np.int32)

    def _covers(self, token: object, head: int) -> bool:
        if head < 0 or self.head - head > _SIZE:
            return False
        if token is self.token:
            return head <= self.head
        return any(token is origin and head <= shared for origin, shared in self._past)
