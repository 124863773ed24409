"""Inventories of one provider: read, and written by whoever owns it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from scheduler_lib.exceptions import InventoryExists, InventoryInUse, InventoryNotFound
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.record import StockRecord
from scheduler_lib.store import changes, class_names, inventory_rows, ledger, provider_rows
from scheduler_lib.store.database import Database
from scheduler_lib.store.names import Names
from scheduler_lib.store.provider_rows import Head
from scheduler_lib.store.schema.changes import PROVIDER
from scheduler_lib.store.session import Session
from scheduler_lib.store.trees import StoredStock

Stocks = Mapping[str, StoredStock]
# Writes what shall be; tells whether anything is other than it was.
Change = Callable[[Session, Head, Stocks], bool]


class Inventories:
    """Reads and writes what providers have.

    Every write counts a generation of the provider, even if it changes nothing.
    """

    def __init__(self, database: Database, names: Names, pruning: changes.Pruning) -> None:
        self._database = database
        self._names = names
        self._pruning = pruning

    def of(self, provider_uuid: str, deadline: Deadline) -> StockRecord:
        """Return what a provider has, and what of it is used.

        :raises ProviderNotFound: when there is no such provider.
        """
        deadline.check("reading inventories")
        with self._database.snapshot() as session:
            return inventory_rows.record(session, self._names, provider_uuid)

    def replace(
        self,
        provider_uuid: str,
        generation: int,
        inventories: Mapping[str, Inventory],
        deadline: Deadline,
    ) -> StockRecord:
        """Give a provider these inventories, and no others.

        One may become smaller than what is used of it; nothing more of it can be claimed then.

        :param generation: what the provider was read at.
        :param inventories: by resource class.
        :raises ProviderNotFound: when there is no such provider.
        :raises GenerationConflict: when somebody has written to it since.
        :raises ResourceClassNotFound: when a class does not exist.
        :raises InventoryInUse: when one that shall go has allocations.
        """

        def change(session: Session, head: Head, stocks: Stocks) -> bool:
            class_ids = self._class_ids(session, inventories)
            gone = stocks.keys() - inventories.keys()
            _remove(session, head, stocks, gone)
            changed = [
                (stocks[name].id, inventory)
                for name, inventory in inventories.items()
                if name in stocks and stocks[name].inventory != inventory
            ]
            inventory_rows.update(session, changed)
            fresh = [name for name in inventories if name not in stocks]
            inventory_rows.insert(
                session, [(head.id, class_ids[name], inventories[name]) for name in fresh]
            )
            return bool(gone or changed or fresh)

        return self._write(provider_uuid, generation, change, deadline)

    def add(
        self, provider_uuid: str, resource_class: str, inventory: Inventory, deadline: Deadline
    ) -> StockRecord:
        """Give a provider one inventory more, whatever generation it is at.

        :raises ProviderNotFound: when there is no such provider.
        :raises ResourceClassNotFound: when there is no such class.
        :raises InventoryExists: when it has one of the class already.
        """

        def change(session: Session, head: Head, stocks: Stocks) -> bool:
            class_ids = self._class_ids(session, [resource_class])
            if resource_class in stocks:
                raise InventoryExists(
                    f"Provider {provider_uuid} has {resource_class} already.",
                    provider=provider_uuid,
                    resource_class=resource_class,
                )
            inventory_rows.insert(session, [(head.id, class_ids[resource_class], inventory)])
            return True

        return self._write(provider_uuid, None, change, deadline)

    def update(
        self,
        provider_uuid: str,
        generation: int,
        resource_class: str,
        inventory: Inventory,
        deadline: Deadline,
    ) -> StockRecord:
        """Change one inventory; what is used of it stays.

        :param generation: what the provider was read at.
        :raises ProviderNotFound: when there is no such provider.
        :raises GenerationConflict: when somebody has written to it since.
        :raises InventoryNotFound: when it has none of the class, or there is no such class.
        """

        def change(session: Session, head: Head, stocks: Stocks) -> bool:
            _check_there(head, stocks, resource_class)
            stock = stocks[resource_class]
            if stock.inventory == inventory:
                return False
            inventory_rows.update(session, [(stock.id, inventory)])
            return True

        return self._write(provider_uuid, generation, change, deadline)

    def remove(self, provider_uuid: str, resource_class: str, deadline: Deadline) -> StockRecord:
        """Take one inventory away, whatever generation the provider is at.

        :raises ProviderNotFound: when there is no such provider.
        :raises InventoryNotFound: when it has none of the class, or there is no such class.
        :raises InventoryInUse: when it has allocations.
        """

        def change(session: Session, head: Head, stocks: Stocks) -> bool:
            _check_there(head, stocks, resource_class)
            _remove(session, head, stocks, [resource_class])
            return True

        return self._write(provider_uuid, None, change, deadline)

    def remove_all(self, provider_uuid: str, deadline: Deadline) -> StockRecord:
        """Take all inventories away, whatever generation the provider is at.

        :raises ProviderNotFound: when there is no such provider.
        :raises InventoryInUse: when one has allocations.
        """

        def change(session: Session, head: Head, stocks: Stocks) -> bool:
            _remove(session, head, stocks, stocks.keys())
            return bool(stocks)

        return self._write(provider_uuid, None, change, deadline)

    def _write(
        self, provider_uuid: str, generation: int | None, change: Change, deadline: Deadline
    ) -> StockRecord:
        def work(session: Session) -> StockRecord:
            head = provider_rows.lock(session, provider_uuid, generation)
            stocks = inventory_rows.read(session, self._names, [head.id])[head.id]
            changed = change(session, head, stocks)
            ledger.bump(session, [head.id])
            if changed:
                changes.append(session, [provider_uuid], PROVIDER)
            self._pruning.run(session)
            return inventory_rows.record(session, self._names, provider_uuid)

        return self._database.write(work, deadline, "writing inventories")

    def _class_ids(self, session: Session, wanted: Collection[str]) -> Mapping[str, int]:
        """Return the ids of classes that exist, and do so until the end of the transaction."""
        class_ids = self._names.resource_classes.hold(session, wanted)
        for name in wanted:
            if name not in class_ids:
                raise class_names.not_found(name)
        return class_ids


def _check_there(head: Head, stocks: Stocks, resource_class: str) -> None:
    if resource_class not in stocks:
        raise InventoryNotFound(
            f"Provider {head.uuid} has no {resource_class}.",
            provider=head.uuid,
            resource_class=resource_class,
        )


def _remove(session: Session, head: Head, stocks: Stocks, classes: Iterable[str]) -> None:
    gone = sorted(classes)
    used = tuple(name for name in gone if stocks[name].used)
    if used:
        raise InventoryInUse(
            f"{', '.join(used)} of provider {head.uuid} cannot go: some of it is allocated.",
            provider=head.uuid,
            resource_classes=used,
        )
    inventory_rows.delete(session, [stocks[name].id for name in gone])
