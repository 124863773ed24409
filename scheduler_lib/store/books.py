"""The invariant of the books, checked: what is used is what is allocated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa

from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.inventory import capacity
from scheduler_lib.store.database import Database
from scheduler_lib.store.prepared import Statement
from scheduler_lib.store.schema import (
    ALLOCATIONS,
    COMPUTE_NODES,
    CONSUMERS,
    INVENTORIES,
    PROVIDER_AGGREGATES,
    PROVIDER_TRAITS,
    RESOURCE_CLASSES,
    RESOURCE_PROVIDERS,
    TRAITS,
)
from scheduler_lib.store.session import Session

_RP, _INV = RESOURCE_PROVIDERS, INVENTORIES
_SUM = sa.func.coalesce(sa.func.sum(ALLOCATIONS.c.used), 0)
_USED = Statement(
    sa.select(
        _RP.c.uuid, RESOURCE_CLASSES.c.name, _INV.c.used, _INV.c.capacity, _INV.c.total,
        _INV.c.reserved, _INV.c.allocation_ratio, _SUM,
    )
    .select_from(_INV)
    .outerjoin(_RP, _RP.c.id == _INV.c.resource_provider_id)
    .outerjoin(RESOURCE_CLASSES, RESOURCE_CLASSES.c.id == _INV.c.resource_class_id)
    .outerjoin(
        ALLOCATIONS,
        sa.and_(
            ALLOCATIONS.c.resource_provider_id == _INV.c.resource_provider_id,
            ALLOCATIONS.c.resource_class_id == _INV.c.resource_class_id,
        ),
    )
    .group_by(
        _INV.c.id, _RP.c.uuid, RESOURCE_CLASSES.c.name, _INV.c.used, _INV.c.capacity,
        _INV.c.total, _INV.c.reserved, _INV.c.allocation_ratio,
    )
)  # fmt: skip
_UNBACKED = Statement(
    sa.select(ALLOCATIONS.c.consumer_id, _RP.c.uuid, RESOURCE_CLASSES.c.name, ALLOCATIONS.c.used)
    .select_from(ALLOCATIONS)
    .outerjoin(_RP, _RP.c.id == ALLOCATIONS.c.resource_provider_id)
    .outerjoin(RESOURCE_CLASSES, RESOURCE_CLASSES.c.id == ALLOCATIONS.c.resource_class_id)
    .outerjoin(
        _INV,
        sa.and_(
            _INV.c.resource_provider_id == ALLOCATIONS.c.resource_provider_id,
            _INV.c.resource_class_id == ALLOCATIONS.c.resource_class_id,
        ),
    )
    .where(_INV.c.id.is_(None))
)
_UNKNOWN_CONSUMERS = Statement(
    sa.select(ALLOCATIONS.c.consumer_id)
    .distinct()
    .outerjoin_from(ALLOCATIONS, CONSUMERS, CONSUMERS.c.uuid == ALLOCATIONS.c.consumer_id)
    .where(CONSUMERS.c.id.is_(None))
)
_EMPTY_CONSUMERS = Statement(
    sa.select(CONSUMERS.c.uuid)
    .outerjoin_from(CONSUMERS, ALLOCATIONS, CONSUMERS.c.uuid == ALLOCATIONS.c.consumer_id)
    .where(ALLOCATIONS.c.id.is_(None))
)
_PARENT, _ROOT = _RP.alias("parent"), _RP.alias("root")
_WRONG_ROOTS = Statement(
    sa.select(_RP.c.uuid)
    .outerjoin_from(_RP, _PARENT, _PARENT.c.id == _RP.c.parent_provider_id)
    .outerjoin(_ROOT, _ROOT.c.id == _RP.c.root_provider_id)
    .where(
        sa.or_(
            _ROOT.c.id.is_(None),
            sa.and_(_RP.c.parent_provider_id.is_(None), _RP.c.root_provider_id != _RP.c.id),
            sa.and_(_RP.c.parent_provider_id.is_not(None), _PARENT.c.id.is_(None)),
            _PARENT.c.root_provider_id != _RP.c.root_provider_id,
        )
    )
)
_LONE_NODES = Statement(
    sa.select(COMPUTE_NODES.c.uuid)
    .outerjoin_from(COMPUTE_NODES, _RP, _RP.c.uuid == COMPUTE_NODES.c.uuid)
    .where(sa.or_(_RP.c.id.is_(None), _RP.c.parent_provider_id.is_not(None)))
)


def _orphans(table: sa.Table) -> Statement:
    column = table.c.resource_provider_id
    return Statement(
        sa.select(column)
        .distinct()
        .outerjoin_from(table, _RP, _RP.c.id == column)
        .where(_RP.c.id.is_(None))
    )


def _removed(table: sa.Table, column: sa.Column[int], names: sa.Table) -> Statement:
    return Statement(
        sa.select(_RP.c.uuid, names.c.name)
        .select_from(table)
        .join(names, names.c.id == column)
        .join(_RP, _RP.c.id == table.c.resource_provider_id)
        .where(names.c.removed_at.is_not(None))
    )


_REMOVED = (
    _removed(_INV, _INV.c.resource_class_id, RESOURCE_CLASSES),
    _removed(PROVIDER_TRAITS, PROVIDER_TRAITS.c.trait_id, TRAITS),
)
_ORPHANS = {table.name: _orphans(table) for table in (_INV, PROVIDER_TRAITS, PROVIDER_AGGREGATES)}


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One place where the books do not balance.

    :ivar kind: ``usage`` (used is not the sum of the allocations), ``capacity`` (the stored
        capacity is not what total, reserved and ratio give), ``over_capacity`` (more is used than
        there is: lawful only after an operator or a report shrank the inventory), ``allocation``
        (of an inventory that is not there), ``consumer``, ``root``, ``host``, ``orphan``, ``name``
        (that was removed, and that a provider has all the same).
    :ivar subject: the uuid, or the key, of the row.
    :ivar message: one sentence with the numbers.
    """

    kind: str
    subject: str
    message: str


class Books:
    """Checks the invariant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def check(self, deadline: Deadline) -> tuple[Discrepancy, ...]:
        """Return every place where the books do not balance; empty when they do."""
        deadline.check("checking the books")
        checks: tuple[Callable[[Session], list[Discrepancy]], ...] = (
            _inventories, _allocations, _consumers, _trees, _removed_names,
        )  # fmt: skip
        with self._database.snapshot() as session:
            return tuple(found for check in checks for found in check(session))


def _inventories(session: Session) -> list[Discrepancy]:
    found = []
    for uuid, name, used, limit, total, reserved, ratio, allocated in session.rows(_USED):
        subject, what = str(uuid), f"{name} on {uuid}"
        right = capacity(total, reserved, ratio)
        if used != int(allocated):
            told = f"{what}: {used} used, {allocated} allocated."
            found.append(Discrepancy("usage", subject, told))
        if limit != right:
            told = f"{what}: capacity {limit} is stored, {right} is right."
            found.append(Discrepancy("capacity", subject, told))
        if used > limit:
            told = f"{what}: {used} used of {limit}."
            found.append(Discrepancy("over_capacity", subject, told))
    return found


def _allocations(session: Session) -> list[Discrepancy]:
    return [
        Discrepancy("allocation", str(consumer), f"{used} {name} on {uuid}: no such inventory.")
        for consumer, uuid, name, used in session.rows(_UNBACKED)
    ]


def _consumers(session: Session) -> list[Discrepancy]:
    unknown = [
        Discrepancy("consumer", str(row[0]), f"Consumer {row[0]} has allocations, but no row.")
        for row in session.rows(_UNKNOWN_CONSUMERS)
    ]
    empty = [
        Discrepancy("consumer", str(row[0]), f"Consumer {row[0]} has a row, but no allocations.")
        for row in session.rows(_EMPTY_CONSUMERS)
    ]
    return unknown + empty


def _trees(session: Session) -> list[Discrepancy]:
    found = [
        Discrepancy("root", str(row[0]), f"Provider {row[0]} has a wrong root or parent.")
        for row in session.rows(_WRONG_ROOTS)
    ]
    found += [
        Discrepancy("host", str(row[0]), f"Compute node {row[0]} has no root provider.")
        for row in session.rows(_LONE_NODES)
    ]
    for table, statement in _ORPHANS.items():
        found += [
            Discrepancy("orphan", str(row[0]), f"{table} names provider {row[0]}, which is gone.")
            for row in session.rows(statement)
        ]
    return found


def _removed_names(session: Session) -> list[Discrepancy]:
    return [
        Discrepancy("name", str(row[0]), f"Provider {row[0]} has {row[1]}, which was removed.")
        for statement in _REMOVED
        for row in session.rows(statement)
    ]
