"""The patterns of a request, worked out once for all trees that are alike."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from random import Random
from typing import Protocol

from scheduler_lib.placement.pattern import Pattern

Patterns = Callable[[], Iterator[Pattern]]

_MOST_KEPT = 1024
_MOST_SHUFFLED = 256


class Ways(Protocol):
    """The patterns of a tree, one by one or in bundles."""

    def at(self, turn: int) -> Pattern | None:
        """Return the pattern of that turn, or None after the last; turns come one by one."""

    def bundles(self, size: int) -> Iterator[tuple[Pattern, ...]]:
        """Give all patterns, some at once."""


class Solved:
    """The patterns of trees that are alike, in one order for all of them.

    In turns, only the pattern of the present turn is kept. Bundles are kept while they are not
    many, and are the same objects each time.

    :param search: gives the patterns, from the first one on, each time it is called.
    """

    def __init__(self, search: Patterns) -> None:
        self._search = search
        self._going: Iterator[Pattern] | None = None
        self._turn = -1
        self._now: Pattern | None = None
        self._kept: list[tuple[Pattern, ...]] | None = None
        self._few: list[Pattern] | None = None

    def at(self, turn: int) -> Pattern | None:
        """Return the pattern of that turn, or None after the last; turns come one by one."""
        if self._going is None:
            self._going = self._search()
        if self._turn < turn:
            self._turn = turn
            self._now = next(self._going, None)
        return self._now

    def bundles(self, size: int) -> Iterator[tuple[Pattern, ...]]:
        """Give all patterns, some at once."""
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[tuple[Pattern, ...]] = []
        for bundle in bundled(self._search(), size):
            if len(kept) * size < _MOST_KEPT:
                kept.append(bundle)
            yield bundle
        if len(kept) * size < _MOST_KEPT:
            self._kept = kept

    def few(self) -> list[Pattern] | None:
        """Return all patterns when they are few; None when they are more."""
        if self._few is None:
            self._few = list(itertools.islice(self._search(), _MOST_SHUFFLED + 1))
        return self._few if len(self._few) <= _MOST_SHUFFLED else None


class Shuffled:
    """The patterns of one tree in a random order.

    Few patterns are shuffled; where there are many, the providers are tried in a random order.

    :param alike: the patterns of the trees that it is alike.
    :param search: gives its own patterns in a random order.
    """

    def __init__(self, alike: Solved, search: Patterns, source: Random) -> None:
        self._alike = alike
        self._search = search
        self._source = source
        self._going: Iterator[Pattern] | None = None

    def at(self, turn: int) -> Pattern | None:
        """Return the next pattern, or None after the last."""
        if self._going is None:
            self._going = self._in_random_order()
        return next(self._going, None)

    def bundles(self, size: int) -> Iterator[tuple[Pattern, ...]]:
        """Give all patterns, some at once."""
        return bundled(self._in_random_order(), size)

    def _in_random_order(self) -> Iterator[Pattern]:
        few = self._alike.few()
        if few is None:
            return self._search()
        if len(few) == 1:
            return iter(few)
        return iter(self._source.sample(few, len(few)))


def bundled(patterns: Iterator[Pattern], size: int) -> Iterator[tuple[Pattern, ...]]:
    """Give patterns some at once."""
    while bundle := tuple(itertools.islice(patterns, size)):
        yield bundle
