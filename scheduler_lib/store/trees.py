"""Trees of providers: what has to be written so that the stored tree becomes the reported one.

Pure: the stored providers and the wanted ones in, a :class:`TreeChange` out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scheduler_lib.exceptions import DuplicateHost, HostInUse
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.naming import ResourceName


@dataclass(frozen=True, slots=True)
class StoredStock:
    """One inventory as it is stored."""

    id: int
    inventory: Inventory
    used: int


@dataclass(slots=True)
class StoredProvider:
    """One provider as it is stored."""

    id: int
    uuid: str
    name: str
    root_id: int
    parent_id: int | None
    stocks: dict[str, StoredStock] = field(default_factory=dict)
    traits: set[str] = field(default_factory=set)
    aggregates: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class WantedProvider:
    """One provider as it shall be.

    :ivar inventories: all of them; a class in `keep` stays even if it is not among these.
    :ivar traits: all of them; None leaves them as they are. So it is with aggregates.
    :ivar parent_uuid: None for a root.
    """

    uuid: str
    name: str
    parent_uuid: str | None
    inventories: Mapping[str, Inventory]
    traits: frozenset[str] | None = None
    aggregates: frozenset[str] | None = None
    keep: frozenset[str] = frozenset()


@dataclass(slots=True)
class TreeChange:
    """What has to be written; empty when nothing changes."""

    insert: list[WantedProvider] = field(default_factory=list)
    move: list[WantedProvider] = field(default_factory=list)
    remove: list[StoredProvider] = field(default_factory=list)
    insert_inventories: list[tuple[str, str, Inventory]] = field(default_factory=list)
    update_inventories: list[tuple[int, Inventory]] = field(default_factory=list)
    delete_inventories: list[int] = field(default_factory=list)
    add_traits: list[tuple[str, str]] = field(default_factory=list)
    drop_traits: list[tuple[str, str]] = field(default_factory=list)
    add_aggregates: list[tuple[str, str]] = field(default_factory=list)
    drop_aggregates: list[tuple[str, str]] = field(default_factory=list)
    changed: dict[str, None] = field(default_factory=dict)

    def add(self, other: TreeChange) -> None:
        """Take in what another tree needs."""
        for name in self.__slots__:
            mine, theirs = getattr(self, name), getattr(other, name)
            mine.update(theirs) if name == "changed" else mine.extend(theirs)


def plan(
    host: ResourceName,
    stored: Mapping[str, StoredProvider],
    wanted: Sequence[WantedProvider],
    *,
    whole: bool,
) -> TreeChange:
    """Return what has to be written.

    :param stored: the tree's providers, by uuid.
    :param wanted: the providers as they shall be, parents first.
    :param whole: whether stored providers that are not wanted go.
    :raises HostInUse: when what would go still has allocations.
    """
    change = TreeChange()
    uuids = {provider.id: provider.uuid for provider in stored.values()}
    for provider in wanted:
        before = stored.get(provider.uuid)
        if before is None:
            change.insert.append(provider)
            change.changed[provider.uuid] = None
            before = StoredProvider(0, provider.uuid, provider.name, 0, None)
        elif (before.name, uuids.get(before.parent_id or 0)) != (
            provider.name,
            provider.parent_uuid,
        ):
            change.move.append(provider)
            change.changed[provider.uuid] = None
        _plan_inventories(change, host, before, provider)
        _plan_names(change, before, provider)
    if whole:
        kept = {provider.uuid for provider in wanted}
        gone = [provider for uuid, provider in stored.items() if uuid not in kept]
        for provider_gone in gone:
            _check_unused(host, provider_gone, provider_gone.stocks)
        change.remove.extend(children_first(gone))
    return change


def _plan_inventories(
    change: TreeChange, host: ResourceName, before: StoredProvider, wanted: WantedProvider
) -> None:
    gone = before.stocks.keys() - wanted.inventories.keys() - wanted.keep
    _check_unused(host, before, sorted(gone))
    change.delete_inventories.extend(before.stocks[name].id for name in sorted(gone))
    for name, inventory in wanted.inventories.items():
        stock = before.stocks.get(name)
        if stock is None:
            change.insert_inventories.append((wanted.uuid, name, inventory))
        elif stock.inventory != inventory:
            change.update_inventories.append((stock.id, inventory))
        else:
            continue
        change.changed[wanted.uuid] = None
    if gone:
        change.changed[wanted.uuid] = None


def _plan_names(change: TreeChange, before: StoredProvider, wanted: WantedProvider) -> None:
    uuid = wanted.uuid
    for shall, is_, add, drop in (
        (wanted.traits, before.traits, change.add_traits, change.drop_traits),
        (wanted.aggregates, before.aggregates, change.add_aggregates, change.drop_aggregates),
    ):
        if shall is None or shall == is_:
            continue
        add.extend((uuid, name) for name in sorted(shall - is_))
        drop.extend((uuid, name) for name in sorted(is_ - shall))
        change.changed[uuid] = None


def _check_unused(host: ResourceName, provider: StoredProvider, classes: Iterable[str]) -> None:
    for name in classes:
        used = provider.stocks[name].used
        if used:
            raise HostInUse(
                f"{host} no longer reports {name} of {provider.name}, but {used} are allocated.",
                host=host.host,
                node=host.node,
                provider=provider.uuid,
                resource_class=name,
                used=used,
            )


def children_first(gone: list[StoredProvider]) -> list[StoredProvider]:
    """Return providers, children before their parents."""
    parents = {provider.id: provider.parent_id for provider in gone}

    def depth(provider: StoredProvider) -> int:
        steps, above = 0, provider.parent_id
        while above in parents:
            steps, above = steps + 1, parents[above]
        return steps

    return sorted(gone, key=depth, reverse=True)


def check_names(
    host: ResourceName,
    wanted: Iterable[WantedProvider],
    owners: Mapping[str, str],
    named: Mapping[str, str],
) -> None:
    """Go on only with names and uuids that no other tree has.

    :param owners: name to uuid of the stored providers with a wanted name.
    :param named: uuid to name of the stored providers with the uuid of one to insert.
    :raises DuplicateHost: naming both.
    """
    for provider in wanted:
        owner = owners.get(provider.name, provider.uuid)
        if owner != provider.uuid:
            raise duplicate(host, provider.name, owner, provider.uuid)
        if provider.uuid in named:
            raise duplicate(host, named[provider.uuid], provider.uuid, provider.uuid)


def duplicate(host: ResourceName, stored_name: str, stored: str, reported: str) -> DuplicateHost:
    """Return the error for a name or a uuid that belongs to another provider."""
    return DuplicateHost(
        f"{host} is reported with uuid {reported}, but {stored_name!r} is stored with uuid "
        f"{stored}.",
        host=host.host,
        node=host.node,
        stored=stored,
        reported=reported,
        stored_name=stored_name,
    )
