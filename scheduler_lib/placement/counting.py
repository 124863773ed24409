"""What is given of all that was found: each candidate once, and no more than are wanted."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lib.placement.pattern import Pattern
from scheduler_lib.placement.solver import Tick
from scheduler_lib.placement.walk import Found

_BUNDLES_A_TICK = 64


def once(found: Iterator[Found], shared: frozenset[int], tick: Tick) -> Iterator[Found]:
    """Leave out what another tree gave already; only sharing providers make that happen.

    :param shared: the rows of the sharing providers.
    :param tick: is called now and then: nothing may be left of thousands of patterns.
    """
    given: set[tuple[object, ...]] = set()
    seen: set[tuple[object, ...]] = set()
    named: dict[Pattern, list[int]] = {}
    for number, (rows, patterns) in enumerate(found):
        if number % _BUNDLES_A_TICK == 0:
            tick()
        kept = []
        for pattern in patterns:
            givers = [rows[place] for place in pattern.places]
            if shared.issuperset(givers):
                # Most repeat themselves by the same pattern, which is seen sooner.
                places = named.get(pattern)
                if places is None:
                    places = named[pattern] = pattern.named()
                way = (pattern, *[rows[place] for place in places])
                if way in seen:
                    continue
                seen.add(way)
                identity = pattern.candidate(rows).identity()
                if identity in given:
                    continue
                given.add(identity)
            kept.append(pattern)
        if len(kept) == len(patterns):
            yield rows, patterns
        elif kept:
            yield rows, tuple(kept)


def cut(found: Iterator[Found], limit: int) -> Iterator[Found]:
    """Stop after so many candidates."""
    if limit <= 0:
        return
    for rows, patterns in found:
        if len(patterns) >= limit:
            yield rows, patterns[:limit]
            return
        limit -= len(patterns)
        yield rows, patterns
