"""The array types of the columns, and how they grow."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
# Units as narrow as they fit: int32 is twice as fast to scan as int64.
Units = NDArray[np.signedinteger]
Rows32 = NDArray[np.int32]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
Texts = NDArray[np.bytes_]

FIRST_SIZE = 64

_Scalar = TypeVar("_Scalar", bound=np.generic)


def grown(array: NDArray[_Scalar], size: int, fill: object) -> NDArray[_Scalar]:
    """Return the array with room for ``size`` items at least; new ones hold ``fill``.

    Room is doubled, so that growing item by item costs O(1) each.
    """
    room = max(len(array), FIRST_SIZE)
    while room < size:
        room *= 2
    if room == len(array):
        return array
    bigger = np.full(room, fill, dtype=array.dtype)
    bigger[: len(array)] = array
    return bigger


def read_only(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Return a view of the array that cannot be written through."""
    view = array.view()
    view.flags.writeable = False
    return view
