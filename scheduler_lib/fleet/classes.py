"""Static classes: the hosts a request may use, as far as amounts don't come into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from scheduler_lib.fleet.arrays import Bools, Rows32
from scheduler_lib.fleet.codes import CodeColumn
from scheduler_lib.fleet.state import State
from scheduler_lib.fleet.versions import ENABLED, HOSTS, ZONES
from scheduler_lib.model.decision import StageCount


@dataclass(frozen=True, slots=True)
class StaticKey:
    """What a host must be, whatever it has left.

    :ivar required: traits the host itself must have.
    :ivar any_of: sets of traits; of each the host must have one.
    :ivar forbidden: traits it must not have.
    :ivar member_of: sets of aggregate uuids; it must be in one of each.
    :ivar forbidden_aggregates: aggregate uuids it must not be in.
    :ivar zone: the availability zone it must be in; None for any.
    :ivar enabled_only: leave out hosts that are disabled or forced down.
    """

    required: frozenset[str] = frozenset()
    any_of: tuple[frozenset[str], ...] = ()
    forbidden: frozenset[str] = frozenset()
    member_of: tuple[frozenset[str], ...] = ()
    forbidden_aggregates: frozenset[str] = frozenset()
    zone: str | None = None
    enabled_only: bool = False
    _hash: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        parts = (self.required, self.any_of, self.forbidden, self.member_of)
        rest = (self.forbidden_aggregates, self.zone, self.enabled_only)
        object.__setattr__(self, "_hash", hash((parts, rest)))

    def __hash__(self) -> int:
        # Worked out once: every decision looks its class up.
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        # String hashes differ from process to process.
        names = ("required", "any_of", "forbidden", "member_of", "forbidden_aggregates")
        parts = tuple(getattr(self, name) for name in names)
        return (StaticKey, (*parts, self.zone, self.enabled_only))

    def aspects(self) -> tuple[str, ...]:
        """Return the aspects of the fleet that the membership depends on."""
        traits = self.required.union(self.forbidden, *self.any_of)
        aggregates = self.forbidden_aggregates.union(*self.member_of)
        return (
            HOSTS,
            *((ZONES,) if self.zone is not None else ()),
            *((ENABLED,) if self.enabled_only else ()),
            *(f"host_trait:{name}" for name in traits),
            *(f"host_aggregate:{uuid}" for uuid in aggregates),
        )


class Members:
    """The hosts of one static class; never changed.

    :ivar slots: host slots, by (host, node).
    :ivar rows: their root rows, in the same order.
    :ivar inverse: position by host slot; -1 for hosts that are not in.
    :ivar counts: how many hosts each check left.
    """

    __slots__ = ("counts", "inverse", "rows", "slots")

    def __init__(
        self, slots: Rows32, rows: Rows32, inverse: Rows32, counts: tuple[StageCount, ...]
    ) -> None:
        self.slots = slots
        self.rows = rows
        self.inverse = inverse
        self.counts = counts


_Check = tuple[str, Callable[[Rows32, Rows32], Bools]]


def build_members(state: State, key: StaticKey) -> Members:
    """Find the hosts of a class: one pass over the columns for each check."""
    hosts = state.hosts
    slots = hosts.order()
    rows = hosts.rows[slots]
    counts = []
    for name, check in _checks(state, key):
        before = len(slots)
        passed = check(slots, rows)
        if not passed.all():
            slots, rows = slots[passed], rows[passed]
        counts.append(StageCount(name, before, len(slots)))
    inverse = np.full(max(hosts.size, 1), -1, dtype=np.int32)
    inverse[slots] = np.arange(len(slots), dtype=np.int32)
    rows = rows.copy()
    rows.flags.writeable = False
    return Members(slots, rows, inverse, tuple(counts))


def _checks(state: State, key: StaticKey) -> Iterator[_Check]:
    hosts, traits, aggregates = state.hosts, state.traits, state.aggregates
    if key.enabled_only:
        yield "disabled", lambda slots, rows: ~hosts.disabled[slots]
        yield "forced_down", lambda slots, rows: ~hosts.forced_down[slots]
    if key.zone is not None:
        code = hosts.zones.code(key.zone)
        yield (
            "availability_zone",
            lambda slots, rows: (hosts.zones.codes[slots] == code) & (code >= 0),
        )
    if key.member_of:
        yield "aggregates", lambda slots, rows: in_one_of_each(aggregates, key.member_of, rows)
    if key.forbidden_aggregates:
        excluded = (key.forbidden_aggregates,)
        yield (
            "forbidden_aggregates",
            lambda slots, rows: ~in_one_of_each(aggregates, excluded, rows),
        )
    for name in sorted(key.required):
        yield f"trait:{name}", lambda slots, rows, name=name: traits.has(name, rows)  # type: ignore[misc]
    for choice in sorted(key.any_of, key=sorted):
        label = f"trait:{'|'.join(sorted(choice))}"
        yield label, lambda slots, rows, choice=choice: traits.has_any(choice, rows)  # type: ignore[misc]
    for name in sorted(key.forbidden):
        yield f"trait:!{name}", lambda slots, rows, name=name: ~traits.has(name, rows)  # type: ignore[misc]


def in_one_of_each(
    aggregates: CodeColumn[frozenset[str]], choices: tuple[frozenset[str], ...], rows: Rows32
) -> Bools:
    """Tell for each of the rows whether it is in one aggregate of each choice."""
    # Few different sets of aggregates exist; each is judged once, and the rows look it up.
    verdicts = np.zeros(len(aggregates) + 1, dtype=np.bool_)
    for code, names in aggregates.items():
        verdicts[code] = all(not names.isdisjoint(choice) for choice in choices)
    aggregates.cover(int(rows.max()) + 1 if len(rows) else 0)
    # A row without aggregates has the code -1, which picks the last verdict: never.
    found: Bools = verdicts[aggregates.codes[rows]]
    return found
