"""Reshapes: inventories and the claims on them, moved together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from scheduler_lib.exceptions import (
    GenerationConflict,
    InvalidRequest,
    InventoryInUse,
)
from scheduler_lib.model.allocation import Claim, Receipt
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.naming import checked_symbol, checked_uuid
from scheduler_lib.store import changes, class_names, drafts, ledger, provider_rows, tree_rows
from scheduler_lib.store.database import Database
from scheduler_lib.store.drafts import Draft
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import KeyedStatement
from scheduler_lib.store.schema import INVENTORIES
from scheduler_lib.store.schema.changes import PROVIDER
from scheduler_lib.store.session import Session
from scheduler_lib.store.trees import StoredProvider, TreeChange

_IN_USE = KeyedStatement(
    lambda keys: (
        sa.select(INVENTORIES.c.id)
        .where(INVENTORIES.c.id.in_(keys), INVENTORIES.c.used > 0)
        .order_by(INVENTORIES.c.id)
    )
)

Wanted = Mapping[str, tuple[int, Mapping[str, Inventory]]]


class Reshapes:
    """Writes reshapes."""

    def __init__(self, database: Database, names: Names, pruning: changes.Pruning) -> None:
        self._database = database
        self._names = names
        self._pruning = pruning

    def write(self, inventories: Wanted, claims: Sequence[Claim], deadline: Deadline) -> Receipt:
        """Replace the inventories of providers and the claims of consumers, all or nothing.

        Classes that are in use may go, if the claims move their consumers away. As in Placement,
        a provider's generation counts twice for its inventories (once if it is to have none), and
        once more if a claim names it, or empties one of its consumers.

        :param inventories: by provider uuid: the generation it was read at, and all it shall have.
        :param claims: of every consumer that is touched, whole.
        :returns: the usages after it, the feed's rows, and consumers that hold nothing any more.
        :raises InvalidRequest: when a claim cannot mean anything.
        :raises ProviderNotFound: when a provider is not there.
        :raises ResourceClassNotFound: when nobody made a class.
        :raises GenerationConflict: of kind ``provider`` or ``consumer``: somebody wrote first.
        :raises ClaimConflict: when a claim asks for more, and it is not there.
        :raises InventoryInUse: when something is still held of a class that shall go.
        """
        wanted = _checked(inventories)
        by_consumer = drafts.checked(claims)

        def work(session: Session) -> Receipt:
            receipt = self._write(session, wanted, by_consumer)
            self._pruning.run(session)
            return receipt

        return self._database.write(work, deadline, "writing a reshape")

    def _write(self, session: Session, wanted: Wanted, claims: Mapping[str, Claim]) -> Receipt:
        drafted = drafts.draft(session, self._names, claims) if claims else None
        if drafted is not None:
            # Whoever writes limits anew, and who holds what, has to make them fit.
            drafted.strict = True
        stored = self._lock(session, wanted, drafted)
        given = {name for _, inventories in wanted.values() for name in inventories}
        class_names.check_all(session, self._names, given)
        # Those that shall go stay until the claims have moved what is held of them.
        self._put(session, wanted, stored)
        receipt = Receipt() if drafted is None else drafts.settle(session, self._names, drafted)
        self._drop(session, wanted, stored)
        _bump(session, wanted, stored)
        told = changes.append(session, wanted, PROVIDER)
        return Receipt(receipt.usages, (*receipt.change_ids, *told), receipt.released)

    def _lock(
        self, session: Session, wanted: Wanted, drafted: Draft | None
    ) -> Mapping[str, StoredProvider]:
        """Lock every provider that is touched; return those whose inventories are replaced."""
        touched = {place[0] for place in drafted.entries} if drafted is not None else set()
        ledger.lock(session, [*(touched | wanted.keys())])
        heads = provider_rows.find(session, list(wanted)) if wanted else {}
        for uuid, (generation, _) in wanted.items():
            if uuid not in heads:
                raise provider_rows.not_found(uuid)
            if heads[uuid].generation != generation:
                raise _overtaken(uuid, generation, heads[uuid].generation)
        stored = {
            uuid: StoredProvider(head.id, uuid, "", head.root_id, head.parent_id)
            for uuid, head in heads.items()
        }
        tree_rows.fill(session, self._names, stored.values(), traits=False, aggregates=False)
        return stored

    def _put(self, session: Session, wanted: Wanted, stored: Mapping[str, StoredProvider]) -> None:
        change = TreeChange()
        for uuid, (_, inventories) in wanted.items():
            stocks = stored[uuid].stocks
            for name, inventory in inventories.items():
                if name not in stocks:
                    change.insert_inventories.append((uuid, name, inventory))
                elif stocks[name].inventory != inventory:
                    change.update_inventories.append((stocks[name].id, inventory))
        ids = {uuid: (provider.id, provider.root_id) for uuid, provider in stored.items()}
        tree_rows.write_inventories(session, self._names, change, ids)

    def _drop(self, session: Session, wanted: Wanted, stored: Mapping[str, StoredProvider]) -> None:
        """Remove the inventories that shall go, now that nothing is held of them."""
        gone = {
            stock.id: (uuid, name)
            for uuid, (_, inventories) in wanted.items()
            for name, stock in stored[uuid].stocks.items()
            if name not in inventories
        }
        if in_use := [row[0] for row in session.rows_of(_IN_USE, list(gone))]:
            uuid = gone[in_use[0]][0]
            raise _still_held(uuid, sorted(gone[i][1] for i in in_use if gone[i][0] == uuid))
        tree_rows.write_inventories(
            session, self._names, TreeChange(delete_inventories=list(gone)), {}
        )


def _bump(session: Session, wanted: Wanted, stored: Mapping[str, StoredProvider]) -> None:
    by_count: dict[int, list[int]] = defaultdict(list)
    for uuid, (_, inventories) in wanted.items():
        by_count[2 if inventories else 1].append(stored[uuid].id)
    for count, ids in by_count.items():
        ledger.bump(session, ids, by=count)


def _checked(inventories: Wanted) -> Wanted:
    checked: dict[str, tuple[int, Mapping[str, Inventory]]] = {}
    for provider, (generation, wanted) in inventories.items():
        uuid = checked_uuid(provider, "inventories", InvalidRequest)
        if uuid in checked:
            raise InvalidRequest(f"Provider {uuid} is named twice.", field="inventories")
        for name in wanted:
            checked_symbol(name, "inventories", InvalidRequest)
        checked[uuid] = (generation, wanted)
    return checked


def _overtaken(uuid: str, expected: int, found: int) -> GenerationConflict:
    return GenerationConflict(
        f"Provider {uuid} is at generation {found}; it was expected at {expected}.",
        kind="provider",
        uuid=uuid,
        expected=expected,
        found=found,
    )


def _still_held(uuid: str, classes: Sequence[str]) -> InventoryInUse:
    return InventoryInUse(
        f"{', '.join(classes)} of {uuid} cannot go: something is still held of it.",
        provider=uuid,
        resource_classes=list(classes),
    )
