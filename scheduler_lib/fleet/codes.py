"""Values that many rows share, kept once each and named by a small number."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

import numpy as np

from scheduler_lib.fleet.arrays import FIRST_SIZE, Rows32, grown

_Value = TypeVar("_Value", bound=Hashable)


class CodeColumn(Generic[_Value]):
    """A column of shared values; a value nobody holds any more is forgotten."""

    __slots__ = ("_code_of", "_free", "_holders", "_values", "codes")

    def __init__(self) -> None:
        self.codes: Rows32 = np.full(FIRST_SIZE, -1, dtype=np.int32)
        self._values: list[_Value | None] = []
        self._holders: list[int] = []
        self._code_of: dict[_Value, int] = {}
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._values)

    def get(self, row: int) -> _Value | None:
        """Return the row's value; None when it has none."""
        if row >= len(self.codes):
            return None
        code = self.codes[row]
        return None if code < 0 else self._values[code]

    def items(self) -> Iterator[tuple[int, _Value]]:
        """Return every value that is held, with its code."""
        for value, code in self._code_of.items():
            yield code, value

    def code(self, value: _Value) -> int:
        """Return a value's code; -1 when nobody holds it."""
        return self._code_of.get(value, -1)

    def cover(self, size: int) -> None:
        """Make room for that many rows."""
        if len(self.codes) < size:
            self.codes = grown(self.codes, size, -1)

    def put(self, row: int, value: _Value | None) -> bool:
        """Give a row its value, or none; tell whether that changed anything."""
        if row >= len(self.codes):
            self.codes = grown(self.codes, row + 1, -1)
        old = int(self.codes[row])
        if value is None:
            if old < 0:
                return False
            self.codes[row] = -1
            self._drop(old)
            return True
        new = self._code_of.get(value, -1)
        if new == old and new >= 0:
            return False
        if new < 0:
            new = self._learn(value)
        self._holders[new] += 1
        self.codes[row] = new
        if old >= 0:
            self._drop(old)
        return True

    def copy(self) -> CodeColumn[_Value]:
        """Return a column of its own with the same values."""
        clone: CodeColumn[_Value] = CodeColumn()
        clone.codes = self.codes.copy()
        clone._values, clone._holders = self._values[:], self._holders[:]
        clone._code_of, clone._free = dict(self._code_of), self._free[:]
        return clone

    def _learn(self, value: _Value) -> int:
        if self._free:
            code = self._free.pop()
            self._values[code] = value
        else:
            code = len(self._values)
            self._values.append(value)
            self._holders.append(0)
        self._code_of[value] = code
        return code

    def _drop(self, code: int) -> None:
        self._holders[code] -= 1
        if self._holders[code] == 0:
            value = self._values[code]
            self._values[code] = None
            self._free.append(code)
            if value is not None:
                del self._code_of[value]
