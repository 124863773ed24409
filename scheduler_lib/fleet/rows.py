"""The row of every provider: its uuid, its name, its place in a tree."""

from __future__ import annotations

import numpy as np

from scheduler_lib.exceptions import ProviderNotFound
from scheduler_lib.fleet.arrays import FIRST_SIZE, Bools, Rows32, Texts, grown
from scheduler_lib.fleet.journal import Journal

NONE = -1
_UUID_BYTES = 36


class Rows:
    """Rows by number. A row whose provider is gone is used again.

    A provider may be named as a parent or root before it arrives: its row then exists, not alive.

    :ivar uuid_bytes: the uuids again, as a column of 36 characters each: it is right for uuids in
        their canonical form alone.
    :ivar moves: journal of the roots of trees that a provider came into, left, or changed in.
    """

    __slots__ = (
        "_first_child",
        "_free",
        "_next_sibling",
        "alive",
        "moves",
        "names",
        "parent",
        "root",
        "row_of",
        "uuid_bytes",
        "uuids",
    )

    def __init__(self) -> None:
        self.uuids: list[str] = []
        self.uuid_bytes: Texts = np.zeros(FIRST_SIZE, dtype=f"S{_UUID_BYTES}")
        self.names: list[str] = []
        self.row_of: dict[str, int] = {}
        self.parent: Rows32 = np.full(FIRST_SIZE, NONE, dtype=np.int32)
        self.root: Rows32 = np.full(FIRST_SIZE, NONE, dtype=np.int32)
        self.alive: Bools = np.zeros(FIRST_SIZE, dtype=np.bool_)
        self._first_child: Rows32 = np.full(FIRST_SIZE, NONE, dtype=np.int32)
        self._next_sibling: Rows32 = np.full(FIRST_SIZE, NONE, dtype=np.int32)
        self._free: list[int] = []
        self.moves = Journal()

    def __len__(self) -> int:
        return len(self.uuids)

    def find(self, uuid: str) -> int:
        """Return the row of a provider that is there.

        :raises ProviderNotFound: when it is not.
        """
        row = self.row_of.get(uuid, NONE)
        if row < 0 or not self.alive[row]:
            raise ProviderNotFound(f"No provider has the uuid {uuid}.", provider=uuid)
        return row

    def claim(self, uuid: str) -> int:
        """Return a provider's row, making one if need be."""
        row = self.row_of.get(uuid)
        if row is not None:
            return row
        if self._free:
            row = self._free.pop()
            self.uuids[row] = uuid
        else:
            row = len(self.uuids)
            self.uuids.append(uuid)
            self.names.append("")
            if row >= len(self.root):
                self._grow(row + 1)
        self.uuid_bytes[row] = uuid
        self.root[row] = row
        self.row_of[uuid] = row
        return row

    def place(self, row: int, name: str, parent: int, root: int) -> bool:
        """Put a row where it belongs; tell whether anything changed."""
        if (
            self.alive[row]
            and self.parent[row] == parent
            and self.root[row] == root
            and self.names[row] == name
        ):
            return False
        if parent not in (NONE, root) and self.parent[parent] == NONE and not self.alive[parent]:
            # The parent has not arrived: until it does, it hangs on the root, so that the root's
            # row is not given away while this tree needs it.
            self._hang(parent, root)
        self._hang(row, parent)
        if self.root[row] != root:
            self.moves.add(int(self.root[row]))
        self.moves.add(root)
        self.root[row] = root
        self.names[row] = name
        self.alive[row] = True
        return True

    def remove(self, row: int) -> None:
        """Take a provider away; its row is free once nothing hangs on it."""
        self.moves.add(int(self.root[row]))
        self.alive[row] = False
        while row != NONE and not self.alive[row] and self._first_child[row] == NONE:
            parent = int(self.parent[row])
            self._unhang(row)
            del self.row_of[self.uuids[row]]
            self.uuids[row] = self.names[row] = ""
            self.root[row] = NONE
            self._free.append(row)
            row = parent

    def tree(self, root: int) -> list[int]:
        """Return the rows of a tree: the root, then depth-first by name."""
        found: list[int] = []
        pending = [root]
        while pending:
            row = pending.pop()
            if self.alive[row]:
                found.append(row)
            children = self._children(row)
            if len(children) > 1:
                children.sort(key=self._order, reverse=True)
            pending += children
        return found

    def bear(self, roots: Rows32) -> Bools:
        """Tell for each of these rows whether anything hangs on it."""
        found: Bools = self._first_child[roots] != NONE
        return found

    def below(self, roots: Rows32) -> Rows32:
        """Return all rows that hang on these, however deep; some may not be alive."""
        found = [roots[:0]]
        level = roots
        while len(level):
            heads = self._first_child[level]
            level = heads = heads[heads != NONE]
            while len(heads):
                found.append(heads)
                heads = self._next_sibling[heads]
                heads = heads[heads != NONE]
                level = np.concatenate((level, heads))
        return np.concatenate(found)

    def copy(self) -> Rows:
        """Return rows of its own with the same values."""
        clone = Rows()
        clone.uuids, clone.names = self.uuids[:], self.names[:]
        clone.row_of, clone._free = dict(self.row_of), self._free[:]
        for name in ("uuid_bytes", "parent", "root", "alive", "_first_child", "_next_sibling"):
            setattr(clone, name, getattr(self, name).copy())
        clone.moves = self.moves.fork()
        return clone

    def _order(self, row: int) -> tuple[str, str]:
        return self.names[row], self.uuids[row]

    def _children(self, row: int) -> list[int]:
        found = []
        child = int(self._first_child[row])
        while child != NONE:
            found.append(child)
            child = int(self._next_sibling[child])
        return found

    def _hang(self, row: int, parent: int) -> None:
        if self.parent[row] == parent:
            return
        self._unhang(row)
        self.parent[row] = parent
        if parent != NONE:
            self._next_sibling[row] = self._first_child[parent]
            self._first_child[parent] = row

    def _unhang(self, row: int) -> None:
        parent = int(self.parent[row])
        if parent == NONE:
            return
        after = int(self._next_sibling[row])
        child = int(self._first_child[parent])
        if child == row:
            self._first_child[parent] = after
        else:
            while self._next_sibling[child] != row:
                child = int(self._next_sibling[child])
            self._next_sibling[child] = after
        self._next_sibling[row] = self.parent[row] = NONE

    def _grow(self, size: int) -> None:
        self.uuid_bytes = grown(self.uuid_bytes, size, b"")
        self.parent = grown(self.parent, size, NONE)
        self.root = grown(self.root, size, NONE)
        self.alive = grown(self.alive, size, False)
        self._first_child = grown(self._first_child, size, NONE)
        self._next_sibling = grown(self._next_sibling, size, NONE)
