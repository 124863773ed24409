"""Who holds what: claims on providers, and what writing one gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# resource class to amount, in whole units, per provider uuid
Allocations = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Claim:
    """One consumer's whole set of allocations; writing it replaces what the consumer held.

    :ivar consumer_uuid: who holds them.
    :ivar allocations: amounts by provider uuid and resource class; empty releases everything.
    :ivar project_id: who they are booked on; None stands for the configured "incomplete" one.
    :ivar user_id: the same, the user.
    :ivar consumer_type: the kind of consumer, as Placement writes it; None leaves the one that is
        stored, and gives a new consumer none.
    :ivar consumer_generation: None = the consumer must hold nothing yet; a number = what was read;
        ``ANY_GENERATION`` = replace whatever there is.
    """

    consumer_uuid: str
    allocations: Allocations
    project_id: str | None = None
    user_id: str | None = None
    consumer_type: str | None = "INSTANCE"
    consumer_generation: int | None = None


ANY_GENERATION = -1


@dataclass(frozen=True, slots=True)
class Usage:
    """What is used of one inventory after a write, in whole units."""

    provider_uuid: str
    resource_class: str
    used: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """What writing claims did.

    :ivar usages: the new usage of every inventory that was touched.
    :ivar change_ids: the rows appended to the change feed, so that the writer need not read them.
    :ivar released: consumers that were there and now hold nothing.
    """

    usages: tuple[Usage, ...] = ()
    change_ids: tuple[int, ...] = ()
    released: tuple[str, ...] = field(default=())
