"""What a search gives: ways to serve a request, and why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scheduler_lib.model.decision import ReasonKind


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to serve a request from one tree and the providers that share with it.

    :ivar root_row: the root of the tree it belongs to.
    :ivar amounts: (provider row, resource class, units), summed per provider and class, by row.
    :ivar mappings: the rows of the providers that serve each group, by suffix.
    """

    root_row: int
    amounts: tuple[tuple[int, str, int], ...]
    mappings: Mapping[str, tuple[int, ...]]

    def identity(self) -> tuple[object, ...]:
        """Return what makes two candidates one: amounts and mappings, whatever the tree."""
        return (self.amounts, tuple(sorted(self.mappings.items())))


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One reason why a tree cannot serve a request.

    :ivar check: the resource class, the trait, or the rule it is about.
    :ivar kind: how final it is.
    :ivar message: one sentence with the numbers.
    :ivar group: the group's suffix; ``""`` for the unsuffixed one and for the whole request.
    :ivar asked: what was asked, in units; None where there is no amount.
    :ivar free: the most that is left; None where there is no amount.
    :ivar limit: the most there would be, were everything empty; None where there is no amount.
    """

    check: str
    kind: ReasonKind
    message: str
    group: str = ""
    asked: int | None = None
    free: int | None = None
    limit: int | None = None
