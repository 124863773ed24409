"""Providers as they are stored, and the changes that bring a fleet up to date."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scheduler_lib.model.inventory import Inventory

MISC_SHARES_VIA_AGGREGATE = "MISC_SHARES_VIA_AGGREGATE"
COMPUTE_STATUS_DISABLED = "COMPUTE_STATUS_DISABLED"


@dataclass(frozen=True, slots=True)
class Stock:
    """One inventory and how much of it is used, in whole units."""

    inventory: Inventory
    used: int = 0


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What filters and weighers may read of a compute node.

    :ivar host: the service host's name.
    :ivar node: the hypervisor's name.
    :ivar numbers: numeric columns of ``compute_nodes``, by column name; absent when never reported.
    :ivar texts: text columns of ``compute_nodes`` (JSON columns as their text), by column name.
    :ivar availability_zone: the zone it is in; None for the default one.
    :ivar disabled: its service is switched off.
    :ivar disabled_reason: why, in the operator's words.
    :ivar forced_down: its service was declared dead.
    :ivar last_seen_up: its last heartbeat, seconds since 1970 UTC; None if it never sent one.
    """

    host: str
    node: str
    numbers: Mapping[str, float]
    texts: Mapping[str, str]
    availability_zone: str | None = None
    disabled: bool = False
    disabled_reason: str | None = None
    forced_down: bool = False
    last_seen_up: float | None = None


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider, whole: what it has, what it is, where it stands.

    :ivar root_uuid: the root of its tree; its own uuid for a root.
    :ivar stocks: resource class to inventory and usage.
    :ivar facts: the compute node's facts, for a root that is one.
    """

    uuid: str
    name: str
    root_uuid: str
    parent_uuid: str | None = None
    generation: int = 0
    stocks: Mapping[str, Stock] = None  # type: ignore[assignment]
    traits: frozenset[str] = frozenset()
    aggregates: frozenset[str] = frozenset()
    facts: HostFacts | None = None

    def __post_init__(self) -> None:
        if self.stocks is None:
            object.__setattr__(self, "stocks", {})


@dataclass(frozen=True, slots=True)
class ProviderChanged:
    """A provider that is new, or of which anything may have changed."""

    provider: Provider


@dataclass(frozen=True, slots=True)
class ProviderRemoved:
    """A provider that is no longer there."""

    uuid: str


@dataclass(frozen=True, slots=True)
class UsageChanged:
    """New usage of one inventory, in whole units; everything else as before."""

    provider_uuid: str
    resource_class: str
    used: int


Change = ProviderChanged | ProviderRemoved | UsageChanged
