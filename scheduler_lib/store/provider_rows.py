"""Rows of providers, one at a time: read as records, locked, written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from scheduler_lib.exceptions import DuplicateProvider, GenerationConflict, ProviderNotFound
from scheduler_lib.model.record import ProviderRecord
from scheduler_lib.store.moments import reader, seconds
from scheduler_lib.store.prepared import KeyedStatement, Row, Statement
from scheduler_lib.store.schema import ALLOCATIONS, RESOURCE_PROVIDERS
from scheduler_lib.store.session import Session

_RP = RESOURCE_PROVIDERS
_PARENT, _ROOT = _RP.alias("parent"), _RP.alias("root")
MODIFIED = sa.func.coalesce(_RP.c.updated_at, _RP.c.created_at)

_RECORDS = (
    sa.select(_RP.c.uuid, _RP.c.name, _RP.c.generation, _ROOT.c.uuid, _PARENT.c.uuid, MODIFIED)
    .join_from(_RP, _ROOT, _ROOT.c.id == _RP.c.root_provider_id)
    .outerjoin(_PARENT, _PARENT.c.id == _RP.c.parent_provider_id)
    .order_by(_RP.c.id)
)
_ALL = Statement(_RECORDS)
_BY_UUID = KeyedStatement(lambda keys: _RECORDS.where(_RP.c.uuid.in_(keys)))
_BY_NAME = Statement(_RECORDS.where(_RP.c.name == sa.bindparam("name")))
_MEMBER = _RP.alias("member")
_IN_TREE = Statement(
    _RECORDS.where(
        _RP.c.root_provider_id
        == sa.select(_MEMBER.c.root_provider_id)
        .where(_MEMBER.c.uuid == sa.bindparam("member_uuid"))
        .scalar_subquery()
    )
)

_HEAD = (_RP.c.id, _RP.c.uuid, _RP.c.generation, _RP.c.root_provider_id, _RP.c.parent_provider_id)
_LOCK = Statement(sa.select(*_HEAD).where(_RP.c.uuid == sa.bindparam("uuid")).with_for_update())
_FIND = KeyedStatement(lambda keys: sa.select(*_HEAD).where(_RP.c.uuid.in_(keys)))
_TREE = KeyedStatement(lambda keys: sa.select(*_HEAD).where(_RP.c.root_provider_id.in_(keys)))
_LOCK_IDS = KeyedStatement(
    lambda keys: sa.select(_RP.c.id).where(_RP.c.id.in_(keys)).order_by(_RP.c.id).with_for_update()
)
_OWNERS = Statement(
    sa.select(_RP.c.uuid, _RP.c.name).where(
        sa.or_(_RP.c.uuid == sa.bindparam("uuid"), _RP.c.name == sa.bindparam("name"))
    )
)


def _any(column: sa.Column[int]) -> Statement:
    return Statement(sa.select(column).where(column == sa.bindparam("id_")).limit(1))


_CHILD = _any(_RP.c.parent_provider_id)
_ALLOCATION = _any(ALLOCATIONS.c.resource_provider_id)


def _values(*names: str) -> dict[str, sa.BindParameter[Any]]:
    return {name: sa.bindparam(name) for name in names}


_INSERT = Statement(
    sa.insert(_RP).values(
        {
            **_values("uuid", "name", "root_provider_id", "parent_provider_id", "created_at"),
            "generation": sa.literal_column("0"),
        }
    )
)
_OWN_ROOT = Statement(
    sa.update(_RP).where(_RP.c.uuid == sa.bindparam("uuid_")).values(root_provider_id=_RP.c.id)
)
_RENAME = Statement(
    sa.update(_RP).where(_RP.c.id == sa.bindparam("id_")).values(_values("name", "updated_at"))
)
_HANG = Statement(
    sa.update(_RP)
    .where(_RP.c.id == sa.bindparam("id_"))
    .values(_values("parent_provider_id", "updated_at"))
)
_GIVE_ROOT = KeyedStatement(
    lambda keys: sa.update(_RP).where(_RP.c.id.in_(keys)).values(_values("root_provider_id"))
)


class Head(NamedTuple):
    """What identifies a provider's row, and where it stands."""

    id: int
    uuid: str
    generation: int
    root_id: int
    parent_id: int | None


def records(
    session: Session,
    *,
    uuid: str | None = None,
    name: str | None = None,
    in_tree: str | None = None,
    uuids: Sequence[str] | None = None,
) -> list[ProviderRecord]:
    """Return the providers that pass every filter; the most telling one is put to the database."""
    rows: Iterable[Row]
    if in_tree is not None:
        rows = session.rows(_IN_TREE, {"member_uuid": in_tree})
    elif uuid is not None:
        rows = session.rows_of(_BY_UUID, [uuid])
    elif name is not None:
        rows = session.rows(_BY_NAME, {"name": name})
    elif uuids is not None:
        rows = session.rows_of(_BY_UUID, list(dict.fromkeys(uuids)))
    else:
        rows = session.rows(_ALL)
    among = None if uuids is None else frozenset(uuids)
    at = reader()
    return [
        ProviderRecord(found, called, generation, root_uuid, parent_uuid, at(modified))
        for found, called, generation, root_uuid, parent_uuid, modified in rows
        if (uuid is None or found == uuid)
        and (name is None or called == name)
        and (among is None or found in among)
    ]


def record(session: Session, uuid: str) -> ProviderRecord:
    """Return one provider.

    :raises ProviderNotFound: when it is not there.
    """
    for row in session.rows_of(_BY_UUID, [uuid]):
        return _record(row)
    raise not_found(uuid)


def lock(session: Session, uuid: str, generation: int | None = None) -> Head:
    """Lock a provider.

    :param generation: what it must be at; None for any.
    :raises ProviderNotFound: when it is not there.
    :raises GenerationConflict: when it is at another generation.
    """
    for row in session.rows(_LOCK, {"uuid": uuid}):
        head = Head._make(row)
        if generation not in (None, head.generation):
            raise _conflict(head, generation)
        return head
    raise not_found(uuid)


def find(session: Session, uuids: Sequence[str]) -> dict[str, Head]:
    """Return those of the providers that are there, by uuid."""
    return {row[1]: Head._make(row) for row in session.rows_of(_FIND, uuids)}


def tree(session: Session, root_id: int) -> dict[int, Head]:
    """Return the providers of a tree, by id."""
    return {row[0]: Head._make(row) for row in session.rows_of(_TREE, [root_id])}


def lock_ids(session: Session, ids: Iterable[int]) -> None:
    """Lock providers that are still there, in the ledger's order."""
    if session.dialect_name != "sqlite":
        session.rows_of(_LOCK_IDS, sorted(ids))


def check_free(session: Session, uuid: str, name: str) -> None:
    """Go on only if nobody else has this uuid or this name.

    :param uuid: of the provider that is to have the name.
    :raises DuplicateProvider: naming the field.
    """
    owners = session.rows(_OWNERS, {"uuid": uuid, "name": name})
    # Of both, the name is told: people chose it.
    for owner, taken in sorted(owners, key=lambda row: row[0] == uuid):
        by_name = owner != uuid or taken == name
        field, value = ("name", name) if by_name else ("uuid", uuid)
        raise DuplicateProvider(
            f"The {field} {value!r} belongs to the provider {taken!r}, {owner}.",
            field=field,
            value=value,
        )


def check_name(session: Session, head: Head, name: str) -> bool:
    """Tell whether a provider would get another name; go on only if nobody else has it.

    :raises DuplicateProvider: when somebody has.
    """
    owners = {row[0]: row[1] for row in session.rows(_OWNERS, {"uuid": head.uuid, "name": name})}
    for owner, taken in owners.items():
        if owner != head.uuid and taken == name:
            raise DuplicateProvider(
                f"The name {name!r} belongs to the provider {owner}.", field="name", value=name
            )
    return owners.get(head.uuid) != name


def insert(session: Session, uuid: str, name: str, parent: Head | None) -> None:
    """Write a new provider, at generation 0."""
    session.run(
        _INSERT,
        {
            "uuid": uuid,
            "name": name,
            "root_provider_id": parent.root_id if parent else None,
            "parent_provider_id": parent.id if parent else None,
            "created_at": session.moment,
        },
    )
    if parent is None:
        session.run(_OWN_ROOT, {"uuid_": uuid})


def rename(session: Session, head: Head, name: str) -> None:
    """Write another name."""
    session.run(_RENAME, {"id_": head.id, "name": name, "updated_at": session.moment})


def hang(session: Session, head: Head, parent: Head | None, below: Sequence[int]) -> None:
    """Write another parent, and the new root of all that moves.

    :param below: ids of the provider and of all under it.
    """
    session.run(
        _HANG,
        {
            "id_": head.id,
            "parent_provider_id": parent.id if parent else None,
            "updated_at": session.moment,
        },
    )
    root_id = parent.root_id if parent else head.id
    session.run_for(_GIVE_ROOT, below, {"root_provider_id": root_id})


def has_children(session: Session, head: Head) -> bool:
    """Tell whether other providers hang under a locked one."""
    return bool(session.rows(_CHILD, {"id_": head.id}))


def has_allocations(session: Session, head: Head) -> bool:
    """Tell whether anything of a locked provider is allocated."""
    return bool(session.rows(_ALLOCATION, {"id_": head.id}))


def not_found(uuid: str, field: str = "uuid") -> ProviderNotFound:
    """Return the error for a provider that is not there.

    :param field: where it was named.
    """
    return ProviderNotFound(f"There is no provider {uuid}.", provider=uuid, field=field)


def _record(row: Row) -> ProviderRecord:
    uuid, name, generation, root_uuid, parent_uuid, modified = row
    return ProviderRecord(uuid, name, generation, root_uuid, parent_uuid, seconds(modified))


def _conflict(head: Head, expected: int | None) -> GenerationConflict:
    return GenerationConflict(
        f"Provider {head.uuid} is at generation {head.generation}; it was expected at generation "
        f"{expected}.",
        kind="provider",
        uuid=head.uuid,
        expected=expected,
        found=head.generation,
    )
