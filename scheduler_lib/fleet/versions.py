"""Counters of what changed, and answers kept until something they looked at changes."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

HOSTS = "hosts"
STRUCTURE = "structure"
ZONES = "zones"
ENABLED = "enabled"
AGGREGATES = "aggregates"

_Value = TypeVar("_Value")


class Versions:
    """One number for each aspect of the fleet; a number is never used twice, not even by views.

    :ivar epoch: the number given last: nothing at all changed while it stays.
    """

    __slots__ = ("_counter", "_numbers", "epoch")

    def __init__(self) -> None:
        self._counter = itertools.count(1)
        self._numbers: dict[str, int] = {}
        self.epoch = 0

    def bump(self, aspect: str) -> None:
        """Note that an aspect changed."""
        self._numbers[aspect] = self.epoch = next(self._counter)

    def fresh(self) -> int:
        """Return a number that was not used before; nothing changed by that."""
        return next(self._counter)

    def stamp(self, aspects: Sequence[str]) -> tuple[int, ...]:
        """Return the numbers of these aspects."""
        numbers = self._numbers
        return tuple([numbers.get(aspect, 0) for aspect in aspects])

    def copy(self) -> Versions:
        """Return counters that go on from here on their own."""
        clone = Versions()
        clone._counter = self._counter
        clone._numbers, clone.epoch = dict(self._numbers), self.epoch
        return clone


class _Entry(Generic[_Value]):
    __slots__ = ("aspects", "epoch", "stamp", "value")

    def __init__(
        self, aspects: Sequence[str], stamp: tuple[int, ...], epoch: int, value: _Value
    ) -> None:
        self.aspects = aspects
        self.stamp = stamp
        self.epoch = epoch
        self.value = value


class Memo(Generic[_Value]):
    """The answers asked for last, each dropped when an aspect it looked at changes.

    :param size: how many are kept.
    """

    __slots__ = ("_entries", "_size")

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[Hashable, _Entry[_Value]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable, versions: Versions) -> _Value | None:
        """Return the answer kept under a key, if it still holds."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry.epoch != versions.epoch:
            if entry.stamp != versions.stamp(entry.aspects):
                del self._entries[key]
                return None
            entry.epoch = versions.epoch
        self._entries.move_to_end(key)
        return entry.value

    def peek(self, key: Hashable, versions: Versions) -> _Value | None:
        """Return the answer kept under a key if it holds for these versions; change nothing."""
        entry = self._entries.get(key)
        if entry is None or entry.stamp != versions.stamp(entry.aspects):
            return None
        return entry.value

    def put(self, key: Hashable, versions: Versions, aspects: Sequence[str], value: _Value) -> None:
        """Keep an answer that looked at these aspects."""
        self._entries[key] = _Entry(aspects, versions.stamp(aspects), versions.epoch, value)
        self._entries.move_to_end(key)
        if len(self._entries) > self._size:
            self._entries.popitem(last=False)

    def take(self, other: Memo[_Value], versions: Versions) -> None:
        """Keep the answers of another memo, too, as far as they hold for these versions."""
        for key, entry in other._entries.items():
            if entry.stamp == versions.stamp(entry.aspects):
                self.put(key, versions, entry.aspects, entry.value)
