"""The answer: who goes where, and why."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scheduler_lib.model.allocation import Allocations


class ReasonKind(enum.Enum):
    """How final a refusal is."""

    NEVER = "never"
    """This host cannot serve the request, however empty it were."""
    NOT_NOW = "not now"
    """It could, were it less full."""
    OFF = "off"
    """It is disabled, down, or its report is too old or incomplete."""
    EXCLUDED = "excluded"
    """The request itself leaves it out."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One check that one host failed.

    :ivar check: the filter's name, or the resource class or trait it is about.
    :ivar kind: how final it is.
    :ivar message: one sentence with the numbers.
    :ivar asked: what was asked, in whole units; None where there is no amount.
    :ivar free: what the host has left; None where there is no amount.
    :ivar limit: what it could give at most, empty; None where there is no amount.
    """

    host: str
    node: str
    check: str
    kind: ReasonKind
    message: str
    asked: int | None = None
    free: int | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class StageCount:
    """How many hosts entered a check, and how many passed it."""

    check: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Score:
    """What one weigher said of one host: raw, normalised to 0..1, and times its multiplier."""

    weigher: str
    raw: float
    normalised: float
    weighted: float


@dataclass(frozen=True, slots=True)
class Destination:
    """A chosen host, and what to claim there or what was claimed.

    :ivar host: the service host's name.
    :ivar node: the hypervisor's name.
    :ivar provider_uuid: the host's root provider.
    :ivar allocations: amounts by provider uuid and resource class.
    :ivar mappings: which providers serve each group, by suffix.
    :ivar limits: the amounts the host may be filled to, as Nova's filters named them.
    :ivar availability_zone: the zone the host is in.
    :ivar score: the host's weight when it was chosen.
    :ivar claimed: whether the allocations are written.
    """

    host: str
    node: str
    provider_uuid: str
    allocations: Allocations
    mappings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    limits: Mapping[str, object] = field(default_factory=dict)
    availability_zone: str | None = None
    score: float = 0.0
    claimed: bool = False

    @property
    def nodename(self) -> str:
        """The hypervisor's name, as Nova's dictionaries call it."""
        return self.node

    def as_dict(self) -> dict[str, object]:
        """Return the form that callers of the first scheduler client know."""
        return {"host": self.host, "nodename": self.node, "limits": dict(self.limits)}


@dataclass(frozen=True, slots=True)
class Selection:
    """One instance's destination and the next best hosts, in order."""

    consumer_uuid: str
    destination: Destination
    alternates: tuple[Destination, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, and what led to it.

    :ivar selections: one for each consumer, in the request's order; empty when nothing fits.
    :ivar counts: how many hosts each check left, in the order the checks ran.
    :ivar refused_claims: claims that were lost to somebody else on the way.
    :ivar replayed: the answer was recorded under the request key, and is given again.
    :ivar reason: one sentence; empty when every consumer has a destination.
    """

    selections: tuple[Selection, ...] = ()
    counts: tuple[StageCount, ...] = ()
    refused_claims: int = 0
    replayed: bool = False
    reason: str = ""
    _reasons: Callable[[], tuple[Reason, ...]] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def destinations(self) -> tuple[Destination, ...]:
        """The chosen hosts, in the request's order."""
        return tuple(selection.destination for selection in self.selections)

    def reasons(self) -> tuple[Reason, ...]:
        """Return every failed check of every host that was refused, host by host.

        Worked out when it is first asked for; empty when the decision does not carry it.
        """
        return () if self._reasons is None else self._reasons()

    def __getstate__(self) -> tuple[object, ...]:
        # Reasons may hold a view of the fleet: they become plain values on the way out.
        reasons = self.reasons()
        plain = (self.selections, self.counts, self.refused_claims, self.replayed, self.reason)
        return (*plain, reasons)

    def __setstate__(self, state: tuple[object, ...]) -> None:
        names = ("selections", "counts", "refused_claims", "replayed", "reason")
        for name, value in zip(names, state[:-1], strict=True):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_reasons", _Known(state[-1]))


@dataclass(frozen=True, slots=True)
class _Known:
    reasons: object

    def __call__(self) -> tuple[Reason, ...]:
        return self.reasons  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class HostVerdict:
    """What the scheduler says of one host for one request.

    :ivar reasons: every check it fails; empty when it fits.
    :ivar scores: what each weigher says, when it fits.
    :ivar total: the sum of the weighted scores.
    """

    host: str
    node: str
    reasons: tuple[Reason, ...] = ()
    scores: tuple[Score, ...] = ()
    total: float = 0.0

    @property
    def fits(self) -> bool:
        """Whether the request fits there now."""
        return not self.reasons


@dataclass(frozen=True, slots=True)
class Explanation:
    """One verdict for every host: those that fit best first, then the others by name."""

    verdicts: tuple[HostVerdict, ...]
    counts: tuple[StageCount, ...] = ()
