"""Providers of another database, with all they have, written into ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from scheduler_lib.exceptions import DuplicateProvider, GenerationConflict, InvalidInput
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.naming import checked_uuid
from scheduler_lib.store import changes, ledger
from scheduler_lib.store.import_source import INVENTORY_FIELDS, PAIRS, Source, SourceProvider
from scheduler_lib.store.prepared import KeyedStatement
from scheduler_lib.store.schema import (
    INVENTORIES,
    RESOURCE_CLASSES,
    RESOURCE_PROVIDERS,
    TRAITS,
)
from scheduler_lib.store.schema import PLACEMENT_AGGREGATES as AGGREGATES
from scheduler_lib.store.schema.changes import PROVIDER
from scheduler_lib.store.session import Session

Ids = Mapping[str, Mapping[int, int]]  # our ids by theirs, by the table's name

_RP = RESOURCE_PROVIDERS
_STORED = KeyedStatement(
    lambda keys: sa.select(
        _RP.c.uuid, _RP.c.id, _RP.c.name, _RP.c.generation, _RP.c.root_provider_id,
        _RP.c.parent_provider_id,
    ).where(_RP.c.uuid.in_(keys))
)  # fmt: skip
_OWNERS = KeyedStatement(lambda keys: sa.select(_RP.c.name, _RP.c.uuid).where(_RP.c.name.in_(keys)))
_OWN_ROOT = KeyedStatement(
    lambda keys: sa.update(_RP).where(_RP.c.uuid.in_(keys)).values(root_provider_id=_RP.c.id)
)
_STOCKS = KeyedStatement(
    lambda keys: sa.select(
        INVENTORIES.c.resource_provider_id, INVENTORIES.c.resource_class_id, INVENTORIES.c.id,
        *(INVENTORIES.c[name] for name in INVENTORY_FIELDS),
    ).where(INVENTORIES.c.resource_provider_id.in_(keys))
)  # fmt: skip
_PAIRS = {
    table.name: KeyedStatement(
        lambda keys, table=table, column=column: sa.select(  # type: ignore[misc]
            table.c.resource_provider_id, table.c[column]
        ).where(table.c.resource_provider_id.in_(keys))
    )
    for table, column in PAIRS
}
_NAMED = {"trait_id": TRAITS.name, "aggregate_id": AGGREGATES.name}


def uuid_of(value: str, what: str) -> str:
    """Return a uuid of the source in our form.

    :raises InvalidInput: when it is none.
    """
    return checked_uuid(value, what, InvalidInput)


def check(session: Session, providers: Sequence[SourceProvider]) -> None:
    """Go on only if the source's providers are none of somebody else's here.

    :raises DuplicateProvider: for a name that another uuid has here.
    :raises GenerationConflict: for a provider that was written here since it was copied.
    """
    uuids = {provider.name: uuid_of(provider.uuid, "provider") for provider in providers}
    for name, owner in session.rows_of(_OWNERS, list(uuids)):
        if uuids.get(name, owner) != owner:
            raise DuplicateProvider(
                f"The provider {name!r} is {owner} here, and {uuids[name]} in the source.",
                field="name",
                value=name,
                hint="Rename or delete one of them first; nothing was changed.",
            )
    generations = {uuids[provider.name]: provider.generation for provider in providers}
    for uuid, _, name, found, *_ in session.rows_of(_STORED, list(generations)):
        if found > generations[uuid]:
            raise GenerationConflict(
                f"{name!r} is at generation {found} here, and only at {generations[uuid]} in the "
                "source: it was written here since. Nothing was changed.",
                kind="provider",
                uuid=uuid,
                expected=generations[uuid],
                found=found,
                hint="Copy before the switch, not after it.",
            )


class ProviderBatch:
    """Some providers, parents first.

    :param ids: ours by the source's, by the table's name; those of providers are added to.
    :param roots: our ids of roots, by our ids of providers; added to.
    """

    def __init__(
        self,
        source: Source,
        providers: Sequence[SourceProvider],
        ids: dict[str, dict[int, int]],
        roots: dict[int, int],
    ) -> None:
        self._providers = {uuid_of(p.uuid, "provider"): p for p in providers}
        self._ids = ids
        self._roots = roots
        keys = [provider.id for provider in providers]
        self._inventories = source.inventories(keys)
        self._pairs = {table.name: source.pairs(table, column, keys) for table, column in PAIRS}

    def write(self, session: Session) -> int:
        """Write what is new or differs; return how many providers that were."""
        ledger.lock(session, list(self._providers))
        changed = self._write_rows(session)
        changed |= self._write_inventories(session)
        for table, column in PAIRS:
            changed |= self._write_pairs(session, table, column)
        told = {p.id: uuid for uuid, p in self._providers.items()}
        changes.append(session, sorted(told[id_] for id_ in changed), PROVIDER)
        return len(changed)

    def _write_rows(self, session: Session) -> set[int]:
        """Write the providers themselves; return the source's ids of those that were."""
        stored = {row[0]: row[1:] for row in session.rows_of(_STORED, list(self._providers))}
        known = self._ids[_RP.name]
        changed = set()
        for uuid, provider in self._providers.items():
            parent_id = None if provider.parent_id is None else known[provider.parent_id]
            root_id = None if parent_id is None else self._roots[parent_id]
            row = {
                "name": provider.name,
                "generation": provider.generation,
                "root_provider_id": root_id,
                "parent_provider_id": parent_id,
                "created_at": provider.created_at,
                "updated_at": provider.updated_at,
            }
            found = stored.get(uuid)
            if found is None:
                session.core(sa.insert(_RP), [{**row, "uuid": uuid}])
                if parent_id is None:
                    session.run_for(_OWN_ROOT, [uuid])
                found = session.rows_of(_STORED, [uuid])[0][1:]
                changed.add(provider.id)
            elif found[1:] != (
                provider.name, provider.generation, root_id or found[0], parent_id,
            ):  # fmt: skip
                row["root_provider_id"] = root_id or found[0]
                session.core(sa.update(_RP).where(_RP.c.id == found[0]).values(row))
                changed.add(provider.id)
            known[provider.id] = found[0]
            self._roots[found[0]] = root_id or found[0]
        return changed

    def _write_inventories(self, session: Session) -> set[int]:
        providers, classes = self._ids[_RP.name], self._ids[RESOURCE_CLASSES.name]
        ours = [providers[provider.id] for provider in self._providers.values()]
        stored = {row[:2]: row[2:] for row in session.rows_of(_STOCKS, ours)}
        insert, update, changed = [], [], set()
        for provider_id, class_id, *fields, created_at, updated_at in self._inventories:
            inventory = Inventory(*fields)
            row = dict(zip(INVENTORY_FIELDS, fields, strict=True))
            row |= {"capacity": inventory.capacity, "created_at": created_at}
            row |= {"updated_at": updated_at}
            place = providers[provider_id], classes[class_id]
            found = stored.get(place)
            if found is None:
                names = ("resource_provider_id", "resource_class_id")
                insert.append({**row, "used": 0, **dict(zip(names, place, strict=True))})
            elif Inventory(*found[1:]) != inventory:
                update.append({**row, "id_": found[0]})
            else:
                continue
            changed.add(provider_id)
        if insert:
            session.core(sa.insert(INVENTORIES), insert)
        for row in update:
            where = INVENTORIES.c.id == row.pop("id_")
            session.core(sa.update(INVENTORIES).where(where).values(row))
        return changed

    def _write_pairs(self, session: Session, table: sa.Table, column: str) -> set[int]:
        providers, named = self._ids[_RP.name], self._ids[_NAMED[column]]
        ours = [providers[provider.id] for provider in self._providers.values()]
        stored = {tuple(row) for row in session.rows_of(_PAIRS[table.name], ours)}
        rows: list[dict[str, Any]] = []
        changed = set()
        for provider_id, name_id, created_at, updated_at in self._pairs[table.name]:
            pair = providers[provider_id], named[name_id]
            if pair not in stored:
                rows.append(
                    {
                        "resource_provider_id": pair[0],
                        column: pair[1],
                        "created_at": created_at,
                        "updated_at": updated_at,
                    }
                )
                changed.add(provider_id)
        if rows:
            session.core(sa.insert(table), rows)
        return changed
