"""A number for each tree, which is another one as soon as anything in the tree is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from scheduler_lib.fleet.arrays import FIRST_SIZE, Ints, grown
from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.fleet.journal import Journal
from scheduler_lib.fleet.state import State

_ROWS = "rows"
_TRAITS = "traits"

# Where a journal stood: its line of history, and how far on it.
_Moment = tuple[object, int]


class Revisions:
    """The revisions of the trees of one fleet or view, at one moment.

    What counts: who is in the tree and where, their uuids, inventories, usage and traits. Numbers
    are never used twice, not even by the views of a fleet: two trees at one root's row with the
    same number are the same tree, whoever looks at it.

    :ivar numbers: the number of each tree, by the root's row.
    """

    __slots__ = ("_moments", "numbers")

    def __init__(self, moments: Mapping[str, _Moment], numbers: Ints) -> None:
        self._moments = moments
        self.numbers = numbers

    def after(self, state: State) -> Revisions:
        """Return the revisions as they are now; these if nothing moved."""
        touched = []
        for name, journal in _journals(state):
            token, head = self._moments.get(name, (journal.token, 0))
            if name in self._moments and token is journal.token and head == journal.head:
                continue
            rows = journal.since(token, head)
            if rows is None:
                return begun(state)
            touched.append(rows)
        if not touched:
            return self
        number = state.versions.fresh()
        numbers = grown(self.numbers, len(state.rows), number)
        if numbers is self.numbers:
            numbers = numbers.copy()
        roots = state.rows.root[np.concatenate(touched)]
        # A row that is gone has no root.
        numbers[roots[roots >= 0]] = number
        return Revisions(_moments(state), numbers)


def begun(state: State) -> Revisions:
    """Return numbers that no tree had before."""
    numbers = np.full(max(len(state.rows), FIRST_SIZE), state.versions.fresh(), dtype=np.int64)
    return Revisions(_moments(state), numbers)


def revisions(fleet: Fleet) -> Ints:
    """Return the revision of each tree as it is now, by the root's row."""
    state = fleet.state

    def follow(before: Revisions | None) -> Revisions:
        return begun(state) if before is None else before.after(state)

    return fleet.followed("revisions", follow).numbers


def _journals(state: State) -> Iterator[tuple[str, Journal]]:
    yield _ROWS, state.rows.moves
    yield _TRAITS, state.traits.moves
    for name, stock in state.stocks.items():
        yield f"stock:{name}", stock.moves


def _moments(state: State) -> dict[str, _Moment]:
    return {name: (journal.token, journal.head) for name, journal in _journals(state)}
