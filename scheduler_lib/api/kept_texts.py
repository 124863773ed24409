"""Texts of trees, kept for the next request."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from scheduler_lib.fleet.arrays import FIRST_SIZE, Bools, Ints, Rows32, grown

Texts = NDArray[np.object_]

# What a text costs beside its characters.
_OVERHEAD_BYTES = 64
_NEVER = -1


class KeptTexts:
    """One text a tree, for as long as the tree stays at one revision.

    It may be shared by all views of a fleet, whatever they show, and by their threads: a text is
    given only for the very revision it was written for.

    :param most_bytes: how many bytes of text are kept; when there are more, all is forgotten.
    """

    _size_bytes: int
    _texts: Texts
    _revisions: Ints
    _sizes: Ints

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._forget()

    @property
    def size_bytes(self) -> int:
        """How much is kept."""
        return self._size_bytes

    def of(self, roots: Rows32, revisions: Ints) -> tuple[Texts, Bools]:
        """Return the texts of trees, and which of them are known.

        :param roots: the rows of the trees' roots.
        :param revisions: the revision of each tree.
        """
        with self._lock:
            self._cover(roots)
            return self._texts[roots], self._revisions[roots] == revisions

    def keep(self, roots: Rows32, revisions: Ints, texts: Texts) -> None:
        """Keep texts, as many as there is room for.

        :param roots: each once.
        """
        sizes = np.array([len(text) + _OVERHEAD_BYTES for text in texts], dtype=np.int64)
        count = int(np.searchsorted(np.cumsum(sizes), self._most_bytes, side="right"))
        roots, sizes = roots[:count], sizes[:count]
        size_bytes = int(sizes.sum())
        with self._lock:
            self._cover(roots)
            more_bytes = size_bytes - int(self._sizes[roots].sum())
            if self._size_bytes + more_bytes > self._most_bytes:
                self._forget()
                self._cover(roots)
                more_bytes = size_bytes
            self._size_bytes += more_bytes
            self._sizes[roots], self._revisions[roots] = sizes, revisions[:count]
            self._texts[roots] = texts[:count]

    def _forget(self) -> None:
        self._size_bytes = 0
        self._texts = np.full(FIRST_SIZE, None, dtype=np.object_)
        self._revisions = np.full(FIRST_SIZE, _NEVER, dtype=np.int64)
        self._sizes = np.zeros(FIRST_SIZE, dtype=np.int64)

    def _cover(self, roots: Rows32) -> None:
        size = int(roots.max(initial=0)) + 1
        if size > len(self._texts):
            self._texts = grown(self._texts, size, None)
            self._revisions = grown(self._revisions, size, _NEVER)
            self._sizes = grown(self._sizes, size, 0)
