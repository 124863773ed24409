"""A number for each tree, worked out again only where what it was worked out of has changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from scheduler_lib.scheduling.shortlist import FloatArray

Columns = npt.NDArray[np.intp]
Inputs = Sequence[npt.NDArray[np.signedinteger]]


class TreeMemo:
    """The last numbers, and the inputs they came from.

    What changed is seen by comparing the inputs themselves: nothing has to be told, and nothing can
    be out of date.
    """

    def __init__(self) -> None:
        self._inputs: list[npt.NDArray[np.signedinteger]] = []
        self._numbers: FloatArray = np.zeros(0)

    def numbers(self, inputs: Inputs, work_out: Callable[[Columns], FloatArray]) -> FloatArray:
        """Return the numbers for these inputs.

        :param inputs: arrays whose last axis is the tree.
        :param work_out: gives the numbers of some trees, by their place on that axis.
        """
        columns = self._changed(inputs)
        if len(columns):
            self._numbers[columns] = work_out(columns)
            for kept, given in zip(self._inputs, inputs, strict=True):
                kept[..., columns] = given[..., columns]
        return self._numbers

    def _changed(self, inputs: Inputs) -> Columns:
        shapes = [given.shape for given in inputs]
        if [kept.shape for kept in self._inputs] != shapes:
            self._inputs = [given.copy() for given in inputs]
            self._numbers = np.zeros(shapes[0][-1])
            return np.arange(shapes[0][-1])
        changed = np.zeros(len(self._numbers), dtype=np.bool_)
        for kept, given in zip(self._inputs, inputs, strict=True):
            differs = kept != given
            changed |= differs if differs.ndim == 1 else differs.any(axis=0)
        return np.flatnonzero(changed)
