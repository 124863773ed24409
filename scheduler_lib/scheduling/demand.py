"""What has been asked lately: the shapes of requests, and how often each came.

A weigher that keeps leftovers useful must know useful for what. The scheduler notes every request
that it decides; old ones fade, so that the mix follows the traffic.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple, TypeVar

from scheduler_lib.model.request import UNSUFFIXED, Request, ResourceGroup

# Traits as conditions: one of each set must be there.
Conditions = tuple[frozenset[str], ...]

# Rare shapes cost as much to look at as common ones, and move nothing.
_COVER = 0.95
_GROWTH = 1.25
_LIMIT = 512
_FADE_AFTER = 16_384


class DeviceNeed(NamedTuple):
    """So many providers that each give so much of one class, and meet the conditions."""

    resource_class: str
    amount: int
    quantity: int
    conditions: Conditions


class Shape(NamedTuple):
    """What a request asks, without who asks it."""

    own: tuple[tuple[str, int], ...]
    devices: tuple[DeviceNeed, ...]

    @classmethod
    def of(cls, request: Request) -> Shape:
        """Return the shape of a request."""
        own: tuple[tuple[str, int], ...] = ()
        needs: dict[tuple[str, int, Conditions], int] = {}
        for suffix, group in request.groups.items():
            if suffix == UNSUFFIXED:
                own = tuple(group.resources.items())
            else:
                for resource_class, amount in group.resources.items():
                    need = (resource_class, amount, _conditions(group))
                    needs[need] = needs.get(need, 0) + 1
        devices = (DeviceNeed(*need[:2], count, need[2]) for need, count in needs.items())
        return cls(own, tuple(devices))


Usual = tuple[tuple[Shape, float], ...]

_Derived = TypeVar("_Derived")


class Demand:
    """Shapes and how often they were asked; bounded, and fading."""

    def __init__(self) -> None:
        self._counts: dict[Shape, float] = {}
        self._total = 0.0
        self._usual: Usual = ()
        self._usual_at = 0.0
        self._derived: dict[Hashable, object] = {}

    def note(self, request: Request) -> None:
        """Count one request, for as many instances as it is."""
        shape = Shape.of(request)
        self._counts[shape] = self._counts.get(shape, 0.0) + len(request.consumers)
        self._total += len(request.consumers)
        if self._total > _FADE_AFTER or len(self._counts) > _LIMIT:
            self._fade()

    def usual(self) -> Usual:
        """Return the commonest shapes with their shares of all that was asked.

        The same object is returned until the demand has grown by a quarter: what is worked out
        from it can be kept that long.
        """
        if not self._usual_at <= self._total <= self._usual_at * _GROWTH:
            self._usual = self._commonest()
            self._usual_at = self._total
            self._derived = {}
        return self._usual

    def derived(self, key: Hashable, build: Callable[[Usual], _Derived]) -> _Derived:
        """Return what is worked out of the usual demand, kept until that changes.

        :param key: names the answer, and its type.
        :param build: gives it.
        """
        usual = self.usual()
        known = self._derived.get(key)
        if known is None:
            known = self._derived[key] = build(usual)
        return known  # type: ignore[return-value]

    def _commonest(self) -> Usual:
        covered = 0.0
        found = []
        for shape, count in sorted(self._counts.items(), key=lambda item: -item[1]):
            if covered >= _COVER * self._total:
                break
            covered += count
            found.append((shape, count / self._total))
        return tuple(found)

    def _fade(self) -> None:
        kept = sorted(self._counts.items(), key=lambda item: -item[1])[: _LIMIT // 2]
        self._counts = {shape: count / 2 for shape, count in kept if count > 1}
        self._total = sum(self._counts.values())
        self._usual_at = 0.0


def _conditions(group: ResourceGroup) -> Conditions:
    required = (frozenset((name,)) for name in sorted(group.required))
    return (*required, *group.any_of)
