"""The ledger: how full each inventory is, changed under the provider's lock.

Whoever changes usage or inventories locks the providers first, all in the same order, then reads
what they have. So what is read is what is changed, claims never wait for each other in a circle,
and one that fits is never refused because a neighbour wrote at the same time. The order is that of
the ids on PostgreSQL; MariaDB locks rows as it finds them, so there it is that of the uuids.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from scheduler_lib.exceptions import ClaimConflict
from scheduler_lib.model.allocation import Usage
from scheduler_lib.store import provider_rows
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import KeyedStatement, Statement
from scheduler_lib.store.schema import INVENTORIES, RESOURCE_PROVIDERS
from scheduler_lib.store.session import Session

_BY_UUID = "FORCE INDEX (uq_resource_providers_uuid)"
_LOCK = KeyedStatement(
    lambda keys: (
        sa.select(RESOURCE_PROVIDERS.c.uuid, RESOURCE_PROVIDERS.c.id)
        .where(RESOURCE_PROVIDERS.c.uuid.in_(keys))
        .with_hint(RESOURCE_PROVIDERS, _BY_UUID, "mysql")
        .with_hint(RESOURCE_PROVIDERS, _BY_UUID, "mariadb")
        .order_by(RESOURCE_PROVIDERS.c.id)
        .with_for_update()
    )
)
_READ = KeyedStatement(
    lambda keys: (
        sa.select(
            RESOURCE_PROVIDERS.c.uuid,
            RESOURCE_PROVIDERS.c.id,
            INVENTORIES.c.resource_class_id,
            INVENTORIES.c.id,
            INVENTORIES.c.used,
            INVENTORIES.c.capacity,
            INVENTORIES.c.min_unit,
            INVENTORIES.c.max_unit,
            INVENTORIES.c.step_size,
        )
        .join_from(
            RESOURCE_PROVIDERS,
            INVENTORIES,
            INVENTORIES.c.resource_provider_id == RESOURCE_PROVIDERS.c.id,
            isouter=True,
        )
        .where(RESOURCE_PROVIDERS.c.uuid.in_(keys))
    )
)
_DELTA = sa.bindparam("delta", type_=sa.BigInteger())
_BOOK = Statement(
    sa.update(INVENTORIES)
    .where(INVENTORIES.c.id == sa.bindparam("inventory_id"))
    .where(sa.or_(_DELTA <= 0, INVENTORIES.c.used + _DELTA <= INVENTORIES.c.capacity))
    .values(used=INVENTORIES.c.used + _DELTA)
)
_BUMP = KeyedStatement(
    lambda keys: (
        sa.update(RESOURCE_PROVIDERS)
        .where(RESOURCE_PROVIDERS.c.id.in_(keys))
        .values(
            generation=RESOURCE_PROVIDERS.c.generation + sa.bindparam("by", type_=sa.Integer()),
            updated_at=sa.bindparam("updated_at"),
        )
    )
)

Place = tuple[str, int]  # provider uuid, resource class id


class Account(NamedTuple):
    """One inventory, as a claim sees it."""

    id: int
    used: int
    capacity: int
    min_unit: int
    max_unit: int
    step_size: int


class Entry(NamedTuple):
    """What one inventory is asked for.

    :ivar delta: what is used more (or less) in all, in whole units.
    :ivar amounts: what single consumers ask anew; each must suit min_unit, max_unit, step_size.
    """

    delta: int
    amounts: tuple[int, ...] = ()


def lock(session: Session, provider_uuids: Sequence[str]) -> dict[str, int]:
    """Lock providers; return the ids of those that exist."""
    return dict(session.rows_of(_LOCK, sorted(provider_uuids)))


def bump(session: Session, provider_ids: Sequence[int], by: int = 1) -> None:
    """Count a generation more for providers, or several."""
    session.run_for(_BUMP, sorted(provider_ids), {"updated_at": session.moment, "by": by})


def check_providers(session: Session, provider_uuids: Collection[str]) -> None:
    """Go on only when all of these providers are there.

    :raises ProviderNotFound: for one that is not.
    """
    uuids = sorted(provider_uuids)
    _check_all(uuids, {row[0] for row in session.rows_of(_READ, uuids)})


def book(
    session: Session, names: Names, entries: Mapping[Place, Entry]
) -> tuple[dict[str, int], tuple[Usage, ...]]:
    """Change usages, all or none.

    :param entries: what is asked, by provider and resource class.
    :returns: the providers' ids, and the usages after it.
    :raises ProviderNotFound: for a provider that is not there.
    :raises ClaimConflict: for an inventory that is not there, too full, or not sold in such units.
    """
    ids, accounts = _read(session, sorted({uuid for uuid, _ in entries}))
    classes = names.resource_classes.names(session, (class_id for _, class_id in entries))
    rows, usages = [], []
    for place, entry in entries.items():
        uuid, class_id = place
        account = accounts.get(place)
        if account is None or not _fits(account, entry):
            raise refusal(uuid, classes[class_id], entry, account)
        usages.append(Usage(uuid, classes[class_id], account.used + entry.delta))
        if entry.delta:
            rows.append({"inventory_id": account.id, "delta": entry.delta})
    rows.sort(key=lambda row: row["inventory_id"])
    if session.run_many(_BOOK, rows) != len(rows):
        # Only somebody who writes past this library can have changed a locked row.
        place, entry = next(iter(entries.items()))
        raise refusal(place[0], classes[place[1]], entry, accounts.get(place))
    return ids, tuple(usages)


def _read(
    session: Session, provider_uuids: Sequence[str]
) -> tuple[dict[str, int], dict[Place, Account]]:
    """Return the ids of providers, which stay locked, and what they have."""
    # SQLite has one writer: there is nobody to lock anything against.
    if session.dialect_name != "sqlite":
        _check_all(provider_uuids, lock(session, provider_uuids))
    rows = session.rows_of(_READ, provider_uuids)
    ids = {row[0]: row[1] for row in rows}
    _check_all(provider_uuids, ids)
    return ids, {(row[0], row[2]): Account._make(row[3:]) for row in rows}


def _check_all(provider_uuids: Sequence[str], found: Container[str]) -> None:
    for uuid in provider_uuids:
        if uuid not in found:
            raise provider_rows.not_found(uuid)


def _fits(account: Account, entry: Entry) -> bool:
    if entry.delta > 0 and account.used + entry.delta > account.capacity:
        return False
    return _suits(account, entry)


def _suits(account: Account, entry: Entry) -> bool:
    for amount in entry.amounts:
        if not account.min_unit <= amount <= account.max_unit or amount % account.step_size:
            return False
    return True


def refusal(uuid: str, name: str, entry: Entry, account: Account | None) -> ClaimConflict:
    """Return the error for an inventory that cannot give what is asked."""
    used, capacity = (account.used, account.capacity) if account else (0, 0)
    if account is None:
        why, told = "inventory", f"Provider {uuid} has no {name}."
    elif not _suits(account, entry):
        why = "units"
        told = (
            f"{name} on {uuid} is given in amounts of {account.min_unit} to {account.max_unit} "
            f"in steps of {account.step_size}; asked: {', '.join(map(str, entry.amounts))}."
        )
    else:
        why = "capacity"
        told = f"{entry.delta} {name} more do not fit on {uuid}: {used} of {capacity} are used."
    return ClaimConflict(
        told,
        provider=uuid,
        resource_class=name,
        asked=entry.delta,
        used=used,
        capacity=capacity,
        why=why,
    )
