"""What the books say of one noun, with its generation and when it was last written.

Moments are seconds since 1970 UTC; None where no row has a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from scheduler_lib.model.provider import Stock


class ProviderRecord(NamedTuple):
    """One provider, without what it has; lists have thousands of them.

    :ivar root_uuid: the root of its tree; its own uuid for a root.
    :ivar generation: counts the writes to what it has.
    """

    uuid: str
    name: str
    generation: int
    root_uuid: str
    parent_uuid: str | None = None
    modified_at: float | None = None


@dataclass(frozen=True, slots=True)
class StockRecord:
    """What one provider has.

    :ivar stocks: resource class to inventory and usage, in whole units.
    """

    generation: int
    stocks: Mapping[str, Stock]
    modified_at: float | None = None


@dataclass(frozen=True, slots=True)
class NamesRecord:
    """The traits, or the aggregates, of one provider.

    :ivar names: names of traits, or uuids of aggregates, sorted.
    """

    generation: int
    names: tuple[str, ...]
    modified_at: float | None = None


@dataclass(frozen=True, slots=True)
class NameRecord:
    """One trait, or one resource class."""

    name: str
    modified_at: float | None = None


@dataclass(frozen=True, slots=True)
class HolderRecord:
    """What one consumer holds of one provider.

    :ivar resources: resource class to amount, in whole units.
    :ivar consumer_generation: the consumer's generation.
    """

    consumer_uuid: str
    resources: Mapping[str, int]
    consumer_generation: int


@dataclass(frozen=True, slots=True)
class HoldersRecord:
    """Who holds what of one provider."""

    generation: int
    holders: tuple[HolderRecord, ...]
    modified_at: float | None = None


@dataclass(frozen=True, slots=True)
class ShareRecord:
    """What one consumer holds of one provider, seen from the consumer.

    :ivar resources: resource class to amount, in whole units.
    :ivar generation: the provider's generation.
    """

    resources: Mapping[str, int]
    generation: int


@dataclass(frozen=True, slots=True)
class ConsumerRecord:
    """One consumer with all it holds.

    :ivar shares: by provider uuid; never empty.
    :ivar consumer_type: None for one that was written without.
    """

    uuid: str
    shares: Mapping[str, ShareRecord]
    project_id: str
    user_id: str
    consumer_type: str | None
    generation: int
    modified_at: float | None = None


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """What the consumers of one type hold together.

    :ivar consumer_type: None for those that were written without.
    :ivar resources: resource class to amount, in whole units.
    :ivar consumer_count: how many consumers there are.
    """

    consumer_type: str | None
    resources: Mapping[str, int]
    consumer_count: int
