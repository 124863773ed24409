"""Finding, one after another, the ways to give every demand of a request its provider."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from scheduler_lib.placement.plan import Demand

Rooms = dict[str, dict[int, int]]
Check = Callable[[Sequence[int]], bool]

_MOST_REMEMBERED = 50_000


class Variable:
    """One demand that one provider must meet.

    :ivar suffix: the group it is of.
    :ivar demand: resource classes and units.
    :ivar options: rows of the providers that can meet it when asked alone, in the order to try.
    :ivar isolated: its provider may serve no other isolated one.
    """

    __slots__ = ("demand", "isolated", "options", "suffix")

    def __init__(
        self, suffix: str, demand: Demand, options: Sequence[int], *, isolated: bool
    ) -> None:
        self.suffix = suffix
        self.demand = demand
        self.options = options
        self.isolated = isolated


class Solver:
    """Depth-first over the variables, in their order.

    What made a branch fail is remembered up to the exchange of equal providers, so that equal
    devices don't multiply the work of finding out that a request does not fit.

    :param rooms: units that may still be given, by class and row; as before when a walk ends.
    :param checks: after which variable which condition on the rows chosen so far must hold.
    :param free_from: variables from there on look at nothing but rooms and isolation.
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        rooms: Rooms,
        checks: dict[int, list[Check]],
        free_from: int,
    ) -> None:
        self._variables = variables
        self._rooms = rooms
        self._checks = checks
        self._free_from = free_from
        self._taken: set[int] = set()
        self._failed: set[tuple[object, ...]] = set()
        self._stumbled = False
        self._profiles: dict[int, list[tuple[int, tuple[int, ...]]]] = {}

    def solutions(self) -> Iterator[list[int]]:
        """Give the chosen row for each variable, solution by solution; the list is reused."""
        if not self._possible():
            return
        variables = self._variables
        last = len(variables) - 1
        chosen = [-1] * len(variables)
        places = [0] * len(variables)
        fruitful = [False] * (len(variables) + 1)
        depth = 0
        while depth >= 0:
            if chosen[depth] >= 0:
                self._give_back(variables[depth], chosen, depth)
            if not self._choose(depth, chosen, places):
                if not fruitful[depth]:
                    self._remember(depth)
                depth -= 1
                if depth >= 0 and fruitful[depth + 1]:
                    fruitful[depth] = True
            elif depth == last:
                fruitful[depth] = True
                yield chosen
            elif not (self._stumbled and self._hopeless(depth + 1)):
                depth += 1
                places[depth] = 0
                fruitful[depth] = False

    def _choose(self, depth: int, chosen: list[int], places: list[int]) -> bool:
        variable, checks = self._variables[depth], self._checks.get(depth)
        options = variable.options
        for place in range(places[depth], len(options)):
            row = options[place]
            if variable.isolated and row in self._taken:
                continue
            if any(self._rooms[name][row] < amount for name, amount in variable.demand):
                continue
            chosen[depth] = row
            if checks is not None and not all(check(chosen) for check in checks):
                continue
            for name, amount in variable.demand:
                self._rooms[name][row] -= amount
            if variable.isolated:
                self._taken.add(row)
            places[depth] = place + 1
            return True
        chosen[depth] = -1
        return False

    def _give_back(self, variable: Variable, chosen: list[int], depth: int) -> None:
        row = chosen[depth]
        for name, amount in variable.demand:
            self._rooms[name][row] += amount
        if variable.isolated:
            self._taken.discard(row)
        chosen[depth] = -1

    def _possible(self) -> bool:
        """Look at what is needed in any case: providers for each, units in all."""
        needed: dict[str, int] = {}
        givers: dict[str, set[int]] = {}
        repeated: dict[tuple[Demand, int], tuple[int, Variable]] = {}
        for variable in self._variables:
            if not variable.options:
                return False
            for name, amount in variable.demand:
                needed[name] = needed.get(name, 0) + amount
                givers.setdefault(name, set()).update(variable.options)
            key = (variable.demand, id(variable.options))
            repeated[key] = (repeated.get(key, (0, variable))[0] + 1, variable)
        for name, amount in needed.items():
            room = self._rooms[name]
            if sum(room[row] for row in givers[name]) < amount:
                return False
        for count, variable in repeated.values():
            if count > 1 and variable.demand and self._times(variable, count) < count:
                return False
        return self._matchable(0)

    def _times(self, variable: Variable, enough: int) -> int:
        times = 0
        for row in variable.options:
            each = min(self._rooms[name][row] // amount for name, amount in variable.demand)
            times += min(each, 1) if variable.isolated else each
            if times >= enough:
                break
        return times

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

    def _hopeless(self, depth: int) -> bool:
        if not self._matchable(depth):
            return True
        return depth >= self._free_from and self._state(depth) in self._failed

    def _remember(self, depth: int) -> None:
        self._stumbled = True
        if depth >= self._free_from and len(self._failed) < _MOST_REMEMBERED:
            self._failed.add(self._state(depth))

    def _state(self, depth: int) -> tuple[object, ...]:
        rooms, taken = self._rooms, self._taken
        names = sorted({name for item in self._variables[depth:] for name, _ in item.demand})
        states = [
            (profile, row in taken, *(rooms[name].get(row, -1) for name in names))
            for row, profile in self._profile(depth)
        ]
        states.sort()
        return (depth, *states)

    def _profile(self, depth: int) -> list[tuple[int, tuple[int, ...]]]:
        known = self._profiles.get(depth)
        if known is None:
            member_of: dict[int, list[int]] = {}
            for number, variable in enumerate(self._variables[depth:]):
                for row in variable.options:
                    member_of.setdefault(row, []).append(number)
            known = [(row, tuple(numbers)) for row, numbers in member_of.items()]
            self._profiles[depth] = known
        return known


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
