"""Finding, one after another, the ways to give every demand of a request its provider."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scheduler_lib.placement.packing import Packing
from scheduler_lib.placement.plan import Demand

Rooms = dict[str, dict[int, int]]
Check = Callable[[Sequence[int]], bool]
Tick = Callable[[], None]

# The room of a class, the least that one demand asks of it, and all that they ask together.
_Asked = Sequence[tuple[dict[int, int], int, int]]

_MOST_REMEMBERED = 50_000
_STEPS_A_TICK = 256


def no_tick() -> None:
    """Do nothing: the tick of a search that takes as long as it takes."""


class Variable:
    """One demand that one provider must meet.

    :ivar suffix: the group it is of.
    :ivar demand: resource classes and units.
    :ivar options: rows of the providers that can meet it when asked alone, in the order to try.
    :ivar isolated: its provider may serve no other isolated one.
    :ivar needs: the demand, each class with the units its providers may still give.
    """

    __slots__ = ("demand", "isolated", "needs", "options", "suffix")

    def __init__(
        self, suffix: str, demand: Demand, options: Sequence[int], *, isolated: bool
    ) -> None:
        self.suffix = suffix
        self.demand = demand
        self.options = options
        self.isolated = isolated
        self.needs: list[tuple[dict[int, int], int]] = []


class _Standing(NamedTuple):
    """What the variables from some depth on have to do with a provider.

    :ivar profile: which of them it can meet.
    :ivar asked: what these ask of it, class by class.
    """

    row: int
    profile: tuple[int, ...]
    asked: _Asked


class Solver:
    """Depth-first over the variables, in their order.

    What made a branch fail is remembered up to the exchange of equal providers, so that equal
    devices don't multiply the work of finding out that a request does not fit.

    :param rooms: units that may still be given, by class and row; as before when a walk ends.
    :param checks: after which variable which condition on the rows chosen so far must hold.
    :param near: sets of variables whose checks look at the set of rows chosen for them.
    :param free_from: from that variable on, checks look at nothing else.
    :param tick: is called at first and every few hundred steps; what it raises ends the search.
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        rooms: Rooms,
        checks: dict[int, list[Check]],
        near: Sequence[Sequence[int]] = (),
        free_from: int = 0,
        tick: Tick = no_tick,
    ) -> None:
        self._variables = variables
        self._rooms = rooms
        self._checks = checks
        self._near = near
        self._free_from = free_from
        self._tick = tick
        self._packing = Packing(variables, rooms)
        self._taken: set[int] = set()
        self._failed: set[tuple[object, ...]] = set()
        self._stumbled = False
        self._standings: dict[int, list[_Standing]] = {}
        for variable in variables:
            variable.needs = [(rooms[name], amount) for name, amount in variable.demand]

    def solutions(self) -> Iterator[list[int]]:
        """Give the chosen row for each variable, solution by solution; the list is reused."""
        tick = self._tick
        tick()
        if not self._possible():
            return
        variables = self._variables
        last = len(variables) - 1
        chosen = [-1] * len(variables)
        places = [0] * len(variables)
        fruitful = [False] * (len(variables) + 1)
        depth = steps = 0
        while depth >= 0:
            steps += 1
            if steps % _STEPS_A_TICK == 0:
                tick()
            if chosen[depth] >= 0:
                self._give_back(variables[depth], chosen, depth)
            if not self._choose(depth, chosen, places):
                if not fruitful[depth]:
                    self._remember(depth, chosen)
                depth -= 1
                if depth >= 0 and fruitful[depth + 1]:
                    fruitful[depth] = True
            elif depth == last:
                fruitful[depth] = True
                yield chosen
            elif not (self._stumbled and self._hopeless(depth + 1, chosen)):
                depth += 1
                places[depth] = 0
                fruitful[depth] = False

    def _choose(self, depth: int, chosen: list[int], places: list[int]) -> bool:
        variable, checks, taken = self._variables[depth], self._checks.get(depth), self._taken
        options, needs, isolated = variable.options, variable.needs, variable.isolated
        for place in range(places[depth], len(options)):
            row = options[place]
            if isolated and row in taken:
                continue
            for room, amount in needs:
                if room[row] < amount:
                    break
            else:
                chosen[depth] = row
                if checks is None or all(check(chosen) for check in checks):
                    places[depth] = place + 1
                    for room, amount in needs:
                        room[row] -= amount
                    if isolated:
                        taken.add(row)
                    return True
        chosen[depth] = -1
        return False

    def _give_back(self, variable: Variable, chosen: list[int], depth: int) -> None:
        row = chosen[depth]
        for room, amount in variable.needs:
            room[row] += amount
        if variable.isolated:
            self._taken.discard(row)
        chosen[depth] = -1

    def _possible(self) -> bool:
        """Look at what is needed in any case: providers for each, units in all."""
        # Variables that ask the same share one list of options.
        alike: dict[int, list[Variable]] = {}
        for variable in self._variables:
            if not variable.options:
                return False
            alike.setdefault(id(variable.options), []).append(variable)
        for variables in alike.values():
            if len(variables) > 1 and not self._enough(variables[0], len(variables)):
                return False
        kinds = [variables[0] for variables in alike.values()]
        names = [name for kind in kinds for name, _ in kind.demand]
        # Where no two kinds ask for one class, each has been looked at alone.
        shared = len(set(names)) < len(names)
        return (not shared or self._packing.fits(0)) and self._matchable(0)

    def _enough(self, variable: Variable, count: int) -> bool:
        """Tell whether the options can give one variable's demand that many times."""
        if variable.isolated or not variable.needs:
            return not variable.isolated or len(variable.options) >= count
        for row in variable.options:
            count -= min([room[row] // amount for room, amount in variable.needs])
            if count <= 0:
                return True
        return False

    def _matchable(self, depth: int) -> bool:
        """Tell whether the isolated variables from here on can have a provider each."""
        waiting = [variable for variable in self._variables[depth:] if variable.isolated]
        waiting.sort(key=lambda variable: len(variable.options))
        if all(
            len(variable.options) - len(self._taken) > before
            for before, variable in enumerate(waiting)
        ):
            return not self._stumbled or all(self._open(variable) for variable in waiting)
        holder: dict[int, int] = {}
        options = [self._open(variable) for variable in waiting]
        return all(_placed(number, options, holder, set()) for number in range(len(waiting)))

    def _open(self, variable: Variable) -> list[int]:
        return [
            row
            for row in variable.options
            if row not in self._taken
            and all(self._rooms[name][row] >= amount for name, amount in variable.demand)
        ]

    def _hopeless(self, depth: int, chosen: Sequence[int]) -> bool:
        if not self._matchable(depth):
            return True
        if depth >= self._free_from and self._state(depth, chosen) in self._failed:
            return True
        return not self._packing.fits(depth)

    def _remember(self, depth: int, chosen: Sequence[int]) -> None:
        self._stumbled = True
        if depth >= self._free_from and len(self._failed) < _MOST_REMEMBERED:
            self._failed.add(self._state(depth, chosen))

    def _state(self, depth: int, chosen: Sequence[int]) -> tuple[object, ...]:
        """Return all that the variables from here on depend on."""
        taken = self._taken
        # Less than any of them asks is nothing, more than all of them ask is enough.
        states = [
            (
                profile,
                row in taken,
                *[0 if room[row] < least else min(room[row], most) for room, least, most in asked],
            )
            for row, profile, asked in self._standing(depth)
        ]
        if self._near:
            # Where a provider stands matters: equal ones cannot be exchanged.
            so_far = [
                frozenset(chosen[place] for place in places if place < depth)
                for places in self._near
            ]
            return (depth, *states, *so_far)
        states.sort()
        return (depth, *states)

    def _standing(self, depth: int) -> list[_Standing]:
        known = self._standings.get(depth)
        if known is None:
            able: dict[int, list[int]] = {}
            for number, variable in enumerate(self._variables[depth:]):
                for row in variable.options:
                    able.setdefault(row, []).append(number)
            known = self._standings[depth] = [
                _Standing(row, tuple(numbers), self._asked(depth, numbers))
                for row, numbers in able.items()
            ]
        return known

    def _asked(
        self, depth: int, numbers: Sequence[int]
    ) -> Sequence[tuple[dict[int, int], int, int]]:
        """Return what some of the variables from a depth on ask."""
        amounts: dict[str, list[int]] = {}
        for number in numbers:
            for name, amount in self._variables[depth + number].demand:
                amounts.setdefault(name, []).append(amount)
        return [
            (self._rooms[name], min(asked), sum(asked)) for name, asked in sorted(amounts.items())
        ]


def _placed(number: int, options: list[list[int]], holder: dict[int, int], seen: set[int]) -> bool:
    """Give a variable a provider, moving others on if need be (augmenting paths)."""
    for row in options[number]:
        if row in seen:
            continue
        seen.add(row)
        if row not in holder or _placed(holder[row], options, holder, seen):
            holder[row] = number
            return True
    return False
