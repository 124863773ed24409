"""One way to serve a request, told by places in a tree: it holds for every tree that is alike."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from scheduler_lib.placement.candidate import Candidate
from scheduler_lib.placement.solver import Variable

Amounts = tuple[tuple[int, str, int], ...]


class Pattern:
    """One way to serve a request from a tree.

    A place is a number in the list of rows that a tree has in reach: its own, the root first, then
    those of providers that share with it.

    :ivar amounts: (place, resource class, units), summed per place and class, by place.
    :ivar mappings: the places that serve each group, by suffix.
    :ivar places: the places that give anything, each once.
    """

    __slots__ = ("amounts", "mappings", "places")

    def __init__(self, amounts: Amounts, mappings: Mapping[str, tuple[int, ...]]) -> None:
        self.amounts = amounts
        self.mappings = mappings
        self.places = tuple(dict.fromkeys([place for place, _, _ in amounts]))

    def named(self) -> list[int]:
        """Return all places that it names, those that give nothing too."""
        return sorted({*self.places, *itertools.chain(*self.mappings.values())})

    def candidate(self, rows: Sequence[int]) -> Candidate:
        """Return the candidate that this is for a tree with these rows in reach."""
        amounts = [(rows[place], name, units) for place, name, units in self.amounts]
        if len(self.places) > 1:
            amounts.sort()
        mappings = {
            suffix: (rows[places[0]],)
            if len(places) == 1
            else tuple(sorted([rows[place] for place in places]))
            for suffix, places in self.mappings.items()
        }
        return Candidate(rows[0], tuple(amounts), mappings)


def summed(
    variables: Sequence[Variable], chosen: Sequence[int]
) -> tuple[Amounts, dict[str, tuple[int, ...]]]:
    """Return what is taken from whom, and who serves which group.

    :param chosen: who meets each variable: rows or places.
    """
    amounts = [
        (who, name, units)
        for variable, who in zip(variables, chosen, strict=True)
        for name, units in variable.demand
    ]
    amounts.sort()
    mappings: dict[str, tuple[int, ...]] = {
        variable.suffix: (who,) for variable, who in zip(variables, chosen, strict=True)
    }
    if len(mappings) < len(variables):
        served: dict[str, set[int]] = {}
        for variable, who in zip(variables, chosen, strict=True):
            served.setdefault(variable.suffix, set()).add(who)
        mappings = {suffix: tuple(sorted(all_of_it)) for suffix, all_of_it in served.items()}
    return _merged(amounts), mappings


def _merged(amounts: list[tuple[int, str, int]]) -> Amounts:
    """Add up what is taken of one class from one provider; all of it is sorted."""
    sums = {(who, name): units for who, name, units in amounts}
    if len(sums) == len(amounts):
        return tuple(amounts)
    sums = dict.fromkeys(sums, 0)
    for who, name, units in amounts:
        sums[who, name] += units
    return tuple([(who, name, units) for (who, name), units in sums.items()])
