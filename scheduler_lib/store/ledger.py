"""The ledger: how full each inventory is, changed under the provider's lock.

Whoever changes usage or inventories locks the providers first, in order of their ids, then reads
what they have. So what is read is what is changed, two transactions never wait for each other in a
circle, and a claim that fits is never refused because a neighbour wrote at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from scheduler_lib.exceptions import ClaimConflict, ProviderNotFound
from scheduler_lib.model.allocation import Usage
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import KeyedStatement, Statement
from scheduler_lib.store.schema import INVENTORIES, RESOURCE_PROVIDERS
from scheduler_lib.store.session import Session

_LOCK = KeyedStatement(
    lambda keys: (
        sa.select(RESOURCE_PROVIDERS.c.uuid, RESOURCE_PROVIDERS.c.id)
        .where(RESOURCE_PROVIDERS.c.uuid.in_(keys))
        .order_by(RESOURCE_PROVIDERS.c.id)
        .with_for_update()
    )
)
_READ = KeyedStatement(
    lambda keys: sa.select(
        INVENTORIES.c.resource_provider_id,
        INVENTORIES.c.resource_class_id,
        INVENTORIES.c.id,
        INVENTORIES.c.used,
        INVENTORIES.c.capacity,
        INVENTORIES.c.min_unit,
        INVENTORIES.c.max_unit,
        INVENTORIES.c.step_size,
    ).where(INVENTORIES.c.resource_provider_id.in_(keys))
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
            generation=RESOURCE_PROVIDERS.c.generation + 1, updated_at=sa.bindparam("updated_at")
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


@dataclass(frozen=True, slots=True)
class Entry:
    """What one inventory is asked for.

    :ivar delta: what is used more (or less) in all, in whole units.
    :ivar amounts: what single consumers ask anew; each must suit min_unit, max_unit, step_size.
    """

    delta: int
    amounts: tuple[int, ...] = ()


def lock(session: Session, provider_uuids: Sequence[str]) -> dict[str, int]:
    """Lock providers; return the ids of those that exist."""
    return dict(session.rows_of(_LOCK, sorted(provider_uuids)))


def bump(session: Session, provider_ids: Sequence[int]) -> None:
    """Count a generation more for providers."""
    session.run_for(_BUMP, sorted(provider_ids), {"updated_at": session.moment})


def book(
    session: Session, names: Names, entries: Mapping[Place, Entry]
) -> tuple[dict[str, int], tuple[Usage, ...]]:
    """Change usages, all or none.

    :param entries: what is asked, by provider and resource class.
    :returns: the providers' ids, and the usages after it.
    :raises ProviderNotFound: for a provider that is not there.
    :raises ClaimConflict: for an inventory that is not there, too full, or not sold in such units.
    """
    ids = lock(session, tuple({uuid for uuid, _ in entries}))
    for uuid, _ in entries:
        if uuid not in ids:
            raise ProviderNotFound(f"There is no provider {uuid}.", provider=uuid)
    accounts = {
        (row[0], row[1]): Account(*row[2:]) for row in session.rows_of(_READ, list(ids.values()))
    }
    classes = names.resource_classes.names(session, (class_id for _, class_id in entries))
    rows, usages = [], []
    for place, entry in entries.items():
        uuid, class_id = place
        account = accounts.get((ids[uuid], class_id))
        if account is None or not _fits(account, entry):
            raise refusal(uuid, classes[class_id], entry, account)
        usages.append(Usage(uuid, classes[class_id], account.used + entry.delta))
        if entry.delta:
            rows.append({"inventory_id": account.id, "delta": entry.delta})
    rows.sort(key=lambda row: row["inventory_id"])
    if session.run_many(_BOOK, rows) != len(rows):
        # Only somebody who writes past this library can have changed a locked row.
        place, entry = next(iter(entries.items()))
        raise refusal(place[0], classes[place[1]], entry, accounts.get((ids[place[0]], place[1])))
    return ids, tuple(usages)


def _fits(account: Account, entry: Entry) -> bool:
    if entry.delta > 0 and account.used + entry.delta > account.capacity:
        return False
    return all(
        account.min_unit <= amount <= account.max_unit and amount % account.step_size == 0
        for amount in entry.amounts
    )


def refusal(uuid: str, name: str, entry: Entry, account: Account | None) -> ClaimConflict:
    """Return the error for an inventory that cannot give what is asked."""
    used, capacity = (account.used, account.capacity) if account else (0, 0)
    if account is None:
        told = f"Provider {uuid} has no {name}."
    elif entry.delta > 0 and used + entry.delta > capacity:
        told = f"{entry.delta} {name} more do not fit on {uuid}: {used} of {capacity} are used."
    else:
        told = (
            f"{name} on {uuid} is given in amounts of {account.min_unit} to {account.max_unit} "
            f"in steps of {account.step_size}; asked: {', '.join(map(str, entry.amounts))}."
        )
    return ClaimConflict(
        told,
        provider=uuid,
        resource_class=name,
        asked=entry.delta,
        used=used,
        capacity=capacity,
    )
