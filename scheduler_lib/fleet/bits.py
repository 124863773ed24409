"""Named bits over rows: which providers have which traits, 64 traits a word."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import numpy as np

from scheduler_lib.fleet.arrays import FIRST_SIZE, Bools, Rows32, Words, grown
from scheduler_lib.fleet.journal import Journal

_WORD = 64
_ALL = (1 << _WORD) - 1


class NamedBits:
    """One bit a name for every row.

    Views that share it may make room from several threads; bits are set by one that has it alone.

    :ivar moves: journal of the rows whose names changed, but for rows that nobody knew before.
    """

    __slots__ = ("_growing", "_index", "_names", "_room", "_words", "moves")

    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._names: list[str] = []
        self._words: list[Words] = []
        self._room = FIRST_SIZE
        self._growing = threading.Lock()
        self.moves = Journal()

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def names(self, row: int) -> frozenset[str]:
        """Return the names whose bit is set in a row."""
        return frozenset(self._named(self._read(row)))

    def keys(self, rows: Rows32) -> list[tuple[int, ...]]:
        """Return a key for each of the rows: rows with the same names have the same one."""
        if len(rows):
            self.cover(int(rows.max()) + 1)
        if not self._words:
            return [()] * len(rows)
        return list(zip(*[word[rows].tolist() for word in self._words], strict=True))

    def put(self, row: int, names: Iterable[str], *, tell: bool = True) -> Iterable[str]:
        """Set exactly these bits in a row; return the names whose bit changed.

        :param tell: False for a row that nobody can know yet: then no names are returned.
        """
        if row >= self._room:
            self._grow(row + 1)
        bits = 0
        index = self._index
        for name in names:
            place = index.get(name)
            bits |= 1 << (self._learn(name) if place is None else place)
        changed = bits ^ self._read(row)
        if changed:
            for number, word in enumerate(self._words):
                word[row] = (bits >> (number * _WORD)) & _ALL
            if tell:
                self.moves.add(row)
        return self._named(changed) if changed and tell else ()

    def has(self, name: str, rows: Rows32) -> Bools:
        """Tell for each of the rows whether its bit of that name is set."""
        place = self._index.get(name)
        if place is None:
            return np.zeros(len(rows), dtype=np.bool_)
        word = self._words[place // _WORD]
        found: Bools = (word[rows] & np.uint64(1 << (place % _WORD))) != 0
        return found

    def has_any(self, names: Iterable[str], rows: Rows32) -> Bools:
        """Tell for each of the rows whether a bit of these names is set."""
        found = np.zeros(len(rows), dtype=np.bool_)
        for name in names:
            found |= self.has(name, rows)
        return found

    def copy(self) -> NamedBits:
        """Return bits of its own with the same values."""
        clone = NamedBits()
        clone._index, clone._names = dict(self._index), self._names[:]
        with self._growing:
            clone._words, clone._room = [word.copy() for word in self._words], self._room
        clone.moves = self.moves.fork()
        return clone

    def cover(self, size: int) -> None:
        """Make room for that many rows."""
        if size > self._room:
            self._grow(size)

    def _read(self, row: int) -> int:
        if row >= self._room:
            return 0
        bits = 0
        for number, word in enumerate(self._words):
            bits |= int(word[row]) << (number * _WORD)
        return bits

    def _named(self, bits: int) -> list[str]:
        found = []
        while bits:
            low = bits & -bits
            found.append(self._names[low.bit_length() - 1])
            bits ^= low
        return found

    def _learn(self, name: str) -> int:
        place = len(self._names)
        self._index[name] = place
        self._names.append(name)
        if place % _WORD == 0:
            self._words.append(np.zeros(self._room, dtype=np.uint64))
        return place

    def _grow(self, size: int) -> None:
        with self._growing:
            self._words = [grown(word, size, 0) for word in self._words]
            while self._room < size:
                self._room *= 2
