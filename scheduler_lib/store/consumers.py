"""Consumers: who holds allocations, and on whom they are booked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from scheduler_lib.model.allocation import Claim
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import KeyedStatement, Statement
from scheduler_lib.store.schema import CONSUMERS
from scheduler_lib.store.session import Session

# Stands for a project or user that the caller did not name (Placement's default, too).
INCOMPLETE = "00000000-0000-0000-0000-000000000000"

_LOCK = KeyedStatement(
    lambda keys: (
        sa.select(CONSUMERS.c.uuid, CONSUMERS.c.generation)
        .where(CONSUMERS.c.uuid.in_(keys))
        .order_by(CONSUMERS.c.uuid)
        .with_for_update()
    )
)
_WRITTEN = ("uuid", "project_id", "user_id", "consumer_type_id", "generation", "created_at")
_INSERT = Statement(sa.insert(CONSUMERS).values({name: sa.bindparam(name) for name in _WRITTEN}))
_UPDATE = Statement(
    sa.update(CONSUMERS)
    .where(CONSUMERS.c.uuid == sa.bindparam("uuid_"))
    .values(
        generation=CONSUMERS.c.generation + 1,
        project_id=sa.bindparam("project_id"),
        user_id=sa.bindparam("user_id"),
        consumer_type_id=sa.func.coalesce(
            sa.bindparam("consumer_type_id", type_=sa.Integer()), CONSUMERS.c.consumer_type_id
        ),
        updated_at=sa.bindparam("updated_at"),
    )
)
_DELETE = KeyedStatement(lambda keys: sa.delete(CONSUMERS).where(CONSUMERS.c.uuid.in_(keys)))


def lock(session: Session, uuids: Sequence[str]) -> dict[str, int]:
    """Return the generations of those consumers that exist; they stay locked."""
    return dict(session.rows_of(_LOCK, uuids))


def bookings(
    session: Session, names: Names, claims: Collection[Claim]
) -> dict[str, dict[str, object]]:
    """Return the columns that say on whom claims are booked, by consumer.

    Projects, users and types that are new are made here, before anything else is locked.
    """
    projects, users, types = _names(claims)
    return _columns(
        claims,
        names.projects.make(session, projects),
        names.users.make(session, users),
        names.consumer_types.make(session, types),
    )


def known_bookings(
    session: Session, names: Names, claims: Collection[Claim]
) -> dict[str, dict[str, object]] | None:
    """Return the same where nothing is new; else None, and nothing is made."""
    wanted = _names(claims)
    projects, users, types = found = (
        names.projects.get(session, wanted[0]),
        names.users.get(session, wanted[1]),
        names.consumer_types.get(session, wanted[2]),
    )
    if any(len(ids) < len(asked) for ids, asked in zip(found, wanted, strict=True)):
        return None
    return _columns(claims, projects, users, types)


def _names(claims: Collection[Claim]) -> tuple[set[str], set[str], set[str]]:
    return (
        {claim.project_id or INCOMPLETE for claim in claims},
        {claim.user_id or INCOMPLETE for claim in claims},
        {claim.consumer_type for claim in claims if claim.consumer_type is not None},
    )


def _columns(
    claims: Collection[Claim],
    projects: Mapping[str, int],
    users: Mapping[str, int],
    types: Mapping[str, int],
) -> dict[str, dict[str, object]]:
    return {
        claim.consumer_uuid: {
            "project_id": projects[claim.project_id or INCOMPLETE],
            "user_id": users[claim.user_id or INCOMPLETE],
            "consumer_type_id": types[claim.consumer_type] if claim.consumer_type else None,
        }
        for claim in claims
    }


def insert(session: Session, booked: Mapping[str, Mapping[str, object]]) -> None:
    """Write consumers that are new."""
    common = {"generation": 1, "created_at": session.moment}
    rows = [{**columns, **common, "uuid": uuid} for uuid, columns in booked.items()]
    session.run_many(_INSERT, rows)


def update(session: Session, booked: Mapping[str, Mapping[str, object]]) -> None:
    """Write consumers that are there: a generation more, and on whom they are booked.

    Those that are booked without a type keep the one they have.
    """
    moment = session.moment
    rows = [{**columns, "uuid_": uuid, "updated_at": moment} for uuid, columns in booked.items()]
    session.run_many(_UPDATE, rows)


def delete(session: Session, uuids: Sequence[str]) -> None:
    """Remove consumers that hold nothing any more."""
    session.run_for(_DELETE, uuids)
