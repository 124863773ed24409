"""Whether what is still asked for can be had at all, found by counting, without a search."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple, Protocol

from scheduler_lib.placement.plan import Demand


class Asking(Protocol):
    """A demand, and the rows of the providers that can meet it."""

    @property
    def demand(self) -> Demand:
        """Resource classes and units."""

    @property
    def options(self) -> Sequence[int]:
        """Rows of providers."""


class _Share(NamedTuple):
    """What is asked of one class.

    :ivar sums: the biggest amount, the two biggest ones together, ...; 0 before them.
    :ivar ends: how many amounts are at least as big as one of them, for each that differs.
    """

    room: Mapping[int, int]
    givers: Sequence[int]
    sums: Sequence[int]
    ends: Sequence[int]


class Packing:
    """Counts how many demands each provider can meet at most.

    Of a number of demands, a provider meets no more than it has room for when it gets the smallest
    of them. Where all providers together meet fewer than there are, there is no way.

    :param asking: the demands, in the order in which they are met.
    :param rooms: units that may still be given, by class and row.
    """

    def __init__(self, asking: Sequence[Asking], rooms: Mapping[str, Mapping[int, int]]) -> None:
        self._asking = asking
        self._rooms = rooms
        self._shares: dict[int, list[_Share]] = {}

    def fits(self, first: int) -> bool:
        """Tell whether all demands from that one on may fit; False is final."""
        shares = self._shares.get(first)
        if shares is None:
            shares = self._shares[first] = self._shared(first)
        return all(map(_fits, shares))

    def _shared(self, first: int) -> list[_Share]:
        """Return what is asked of each class that several demands ask for."""
        amounts: dict[str, list[int]] = {}
        givers: dict[str, set[int]] = {}
        for item in self._asking[first:]:
            for name, amount in item.demand:
                amounts.setdefault(name, []).append(amount)
                givers.setdefault(name, set()).update(item.options)
        return [
            _share(self._rooms[name], sorted(givers[name]), sorted(asked, reverse=True))
            for name, asked in amounts.items()
            if len(asked) > 1
        ]


def _share(room: Mapping[int, int], givers: Sequence[int], amounts: Sequence[int]) -> _Share:
    """Return what is asked of a class.

    :param amounts: the biggest first.
    """
    last = len(amounts)
    ends = [n for n in range(1, last + 1) if n == last or amounts[n] < amounts[n - 1]]
    return _Share(room, givers, list(accumulate(amounts, initial=0)), ends)


def _fits(share: _Share) -> bool:
    room, givers, sums, ends = share
    free = [room[row] for row in givers]
    return sum(free) >= sums[-1] and all(_biggest_fit(free, sums, count) for count in ends)


def _biggest_fit(free: Sequence[int], sums: Sequence[int], count: int) -> bool:
    """Tell whether there is room for that many of the biggest amounts."""
    left = count
    for units in free:
        left -= count - bisect_left(sums, sums[count] - units, 0, count)
        if left <= 0:
            return True
    return False
