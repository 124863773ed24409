"""Consumers: who holds allocations, and on whom they are booked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from scheduler_lib.model.allocation import Claim
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import KeyedStatement, Statement
from scheduler_lib.store.schema import CONSUMER_TYPES, CONSUMERS, PROJECTS, USERS
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
        consumer_type_id=sa.bindparam("consumer_type_id"),
        updated_at=sa.bindparam("updated_at"),
    )
)
_DELETE = KeyedStatement(lambda keys: sa.delete(CONSUMERS).where(CONSUMERS.c.uuid.in_(keys)))
_READ = Statement(
    sa.select(
        PROJECTS.c.external_id,
        USERS.c.external_id,
        CONSUMER_TYPES.c.name,
        CONSUMERS.c.generation,
    )
    .select_from(CONSUMERS)
    .outerjoin(PROJECTS, PROJECTS.c.id == CONSUMERS.c.project_id)
    .outerjoin(USERS, USERS.c.id == CONSUMERS.c.user_id)
    .outerjoin(CONSUMER_TYPES, CONSUMER_TYPES.c.id == CONSUMERS.c.consumer_type_id)
    .where(CONSUMERS.c.uuid == sa.bindparam("uuid"))
)


@dataclass(frozen=True, slots=True)
class StoredConsumer:
    """A consumer as it is stored; None stands for the "incomplete" project or user."""

    project_id: str | None
    user_id: str | None
    consumer_type: str
    generation: int


def lock(session: Session, uuids: Sequence[str]) -> dict[str, int]:
    """Return the generations of those consumers that exist; they stay locked."""
    return dict(session.rows_of(_LOCK, uuids))


def read(session: Session, uuid: str) -> StoredConsumer | None:
    """Return a consumer, if there is one."""
    for project, user, kind, generation in session.rows(_READ, {"uuid": uuid}):
        return StoredConsumer(
            project_id=None if project == INCOMPLETE else str(project),
            user_id=None if user == INCOMPLETE else str(user),
            consumer_type=str(kind),
            generation=generation,
        )
    return None


def bookings(
    session: Session, names: Names, claims: Iterable[Claim]
) -> dict[str, dict[str, object]]:
    """Return the columns that say on whom claims are booked, by consumer.

    Projects, users and types that are new are made here, before anything else is locked.
    """
    claims = tuple(claims)
    projects = names.projects.make(session, {c.project_id or INCOMPLETE for c in claims})
    users = names.users.make(session, {c.user_id or INCOMPLETE for c in claims})
    types = names.consumer_types.make(session, {c.consumer_type for c in claims})
    return {
        claim.consumer_uuid: {
            "project_id": projects[claim.project_id or INCOMPLETE],
            "user_id": users[claim.user_id or INCOMPLETE],
            "consumer_type_id": types[claim.consumer_type],
        }
        for claim in claims
    }


def insert(session: Session, booked: Mapping[str, Mapping[str, object]]) -> None:
    """Write consumers that are new."""
    common = {"generation": 1, "created_at": session.moment}
    rows = [{**columns, **common, "uuid": uuid} for uuid, columns in booked.items()]
    session.run_many(_INSERT, rows)


def update(session: Session, booked: Mapping[str, Mapping[str, object]]) -> None:
    """Write consumers that are there: a generation more, and on whom they are booked."""
    moment = session.moment
    rows = [{**columns, "uuid_": uuid, "updated_at": moment} for uuid, columns in booked.items()]
    session.run_many(_UPDATE, rows)


def delete(session: Session, uuids: Sequence[str]) -> None:
    """Remove consumers that hold nothing any more."""
    session.run_for(_DELETE, uuids)
