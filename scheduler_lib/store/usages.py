"""Usages: what is used of a provider, and what a project uses in all."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import sqlalchemy as sa

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.naming import checked_uuid
from scheduler_lib.model.record import StockRecord, UsageRecord
from scheduler_lib.store import inventory_rows
from scheduler_lib.store.database import Database
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import Statement
from scheduler_lib.store.schema import (
    ALLOCATIONS,
    CONSUMER_TYPES,
    CONSUMERS,
    PROJECTS,
    USERS,
)

# How the consumers that were written without a type are asked for; no type has small letters.
UNKNOWN = "unknown"

_AL = ALLOCATIONS.c


def _of(*filters: sa.ColumnElement[bool]) -> tuple[Statement, Statement]:
    """Return what consumers use by type and class, and how many they are by type."""

    def grouped(*columns: Any, by: tuple[Any, ...]) -> Statement:
        return Statement(
            sa.select(CONSUMER_TYPES.c.name, *columns)
            .select_from(PROJECTS)
            .join(CONSUMERS, CONSUMERS.c.project_id == PROJECTS.c.id)
            .join(USERS, USERS.c.id == CONSUMERS.c.user_id)
            .outerjoin(CONSUMER_TYPES, CONSUMER_TYPES.c.id == CONSUMERS.c.consumer_type_id)
            .join(ALLOCATIONS, _AL.consumer_id == CONSUMERS.c.uuid)
            .where(PROJECTS.c.external_id == sa.bindparam("project_id"), *filters)
            .group_by(CONSUMER_TYPES.c.name, *by)
        )

    class_id = _AL.resource_class_id
    return (
        grouped(class_id, sa.func.sum(_AL.used), by=(class_id,)),
        grouped(sa.func.count(sa.distinct(CONSUMERS.c.id)), by=()),
    )


_USER = USERS.c.external_id == sa.bindparam("user_id")
_TYPES = {
    "any": (),
    "named": (CONSUMER_TYPES.c.name == sa.bindparam("consumer_type"),),
    "none": (CONSUMERS.c.consumer_type_id.is_(None),),
}
_OF_PROJECT = {
    (kind, by_user): _of(*filters, *((_USER,) if by_user else ()))
    for kind, filters in _TYPES.items()
    for by_user in (False, True)
}


class Usages:
    """Reads what is used."""

    def __init__(self, database: Database, names: Names) -> None:
        self._database = database
        self._names = names

    def of_provider(self, provider_uuid: str, deadline: Deadline) -> StockRecord:
        """Return what a provider has, and what of it is used.

        :raises ProviderNotFound: when there is no such provider.
        """
        uuid = checked_uuid(provider_uuid, "provider_uuid", InvalidRequest)
        deadline.check("reading a provider's usage")
        with self._database.snapshot() as session:
            return inventory_rows.record(session, self._names, uuid)

    def of_project(
        self,
        project_id: str,
        deadline: Deadline,
        *,
        user_id: str | None = None,
        consumer_type: str | None = None,
    ) -> list[UsageRecord]:
        """Return what the consumers of a project use, one record for each type of consumers.

        :param user_id: only of consumers that are booked on this user; None for all.
        :param consumer_type: only of this type, or ``"unknown"`` for those without one; None for
            all.
        :returns: in the order of types, those without one last; empty when nothing is used.
        """
        kind = "any" if consumer_type is None else "none" if consumer_type == UNKNOWN else "named"
        sums, counts = _OF_PROJECT[kind, user_id is not None]
        given = {"project_id": project_id, "user_id": user_id, "consumer_type": consumer_type}
        deadline.check("reading a project's usage")
        with self._database.snapshot() as session:
            rows = session.rows(sums, given)
            consumer_counts: dict[str | None, int] = dict(session.rows(counts, given))
            classes = self._names.resource_classes.names(session, (row[1] for row in rows))
        resources: dict[str | None, dict[str, int]] = defaultdict(dict)
        for name, class_id, used in rows:
            # One of the servers gives sums as decimals.
            resources[name][classes[class_id]] = int(used)
        return [
            UsageRecord(name, resources[name], consumer_counts[name])
            for name in sorted(resources, key=lambda name: (name is None, name or ""))
        ]
