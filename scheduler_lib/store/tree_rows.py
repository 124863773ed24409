"""Rows of provider trees: read under their locks, and written as planned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import sqlalchemy as sa

from scheduler_lib.store import inventory_rows, ledger
from scheduler_lib.store.names import Ids, Names
from scheduler_lib.store.pair_rows import AGGREGATE_PAIRS, TRAIT_PAIRS, Pairs
from scheduler_lib.store.prepared import KeyedStatement, Statement
from scheduler_lib.store.schema import (
    INVENTORIES,
    PROVIDER_AGGREGATES,
    PROVIDER_TRAITS,
    RESOURCE_PROVIDERS,
)
from scheduler_lib.store.session import Session
from scheduler_lib.store.trees import StoredProvider, TreeChange, WantedProvider

_RP = RESOURCE_PROVIDERS
_ROOT = RESOURCE_PROVIDERS.alias("root")
_LOCK_TREES = KeyedStatement(
    lambda keys: (
        sa.select(
            _RP.c.id, _RP.c.uuid, _RP.c.name, _RP.c.root_provider_id, _RP.c.parent_provider_id
        )
        .join_from(_ROOT, _RP, _RP.c.root_provider_id == _ROOT.c.id)
        .where(_ROOT.c.uuid.in_(keys))
        .order_by(_RP.c.id)
        .with_for_update(of=_RP)
    )
)
_OWNERS = KeyedStatement(lambda keys: sa.select(_RP.c.name, _RP.c.uuid).where(_RP.c.name.in_(keys)))
_NAMED = KeyedStatement(lambda keys: sa.select(_RP.c.uuid, _RP.c.name).where(_RP.c.uuid.in_(keys)))
_IDS = KeyedStatement(
    lambda keys: sa.select(_RP.c.uuid, _RP.c.id, _RP.c.root_provider_id).where(_RP.c.uuid.in_(keys))
)


def _values(*names: str) -> dict[str, sa.BindParameter[object]]:
    return {name: sa.bindparam(name) for name in names}


_INSERT_PROVIDER = Statement(
    sa.insert(_RP).values(
        _values(
            "uuid", "name", "generation", "root_provider_id", "parent_provider_id", "created_at"
        )
    )
)
_OWN_ROOT = KeyedStatement(
    lambda keys: sa.update(_RP).where(_RP.c.uuid.in_(keys)).values(root_provider_id=_RP.c.id)
)
_MOVE_PROVIDER = Statement(
    sa.update(_RP)
    .where(_RP.c.uuid == sa.bindparam("uuid_"))
    .values(_values("name", "parent_provider_id", "root_provider_id"))
)
_DELETE_OF = tuple(
    KeyedStatement(lambda keys, column=column: sa.delete(column.table).where(column.in_(keys)))  # type: ignore[misc]
    for column in (
        INVENTORIES.c.resource_provider_id,
        PROVIDER_TRAITS.c.resource_provider_id,
        PROVIDER_AGGREGATES.c.resource_provider_id,
        RESOURCE_PROVIDERS.c.id,
    )
)


def lock(
    session: Session, root_uuids: Sequence[str], *, complete: bool = False
) -> dict[str, dict[str, StoredProvider]]:
    """Lock whole trees; return their providers by root uuid, then by uuid.

    :param complete: whether nobody may hang anything new under them either: whoever does so locks
        what it hangs on, but may have done so while the lock was waited for.
    """
    trees: dict[str, dict[str, StoredProvider]] = {}
    if not root_uuids:
        return trees
    rows = session.rows_of(_LOCK_TREES, sorted(root_uuids))
    while complete and session.dialect_name != "sqlite":
        seen, rows = rows, session.rows_of(_LOCK_TREES, sorted(root_uuids))
        complete = seen != rows
    providers = [StoredProvider(*row) for row in rows]
    roots = {provider.id: provider.uuid for provider in providers}
    for provider in providers:
        trees.setdefault(roots[provider.root_id], {})[provider.uuid] = provider
    return trees


def fill(
    session: Session,
    names: Names,
    providers: Iterable[StoredProvider],
    *,
    traits: bool = True,
    aggregates: bool = True,
) -> None:
    """Read what locked providers have."""
    by_id = {provider.id: provider for provider in providers}
    if not by_id:
        return
    ids = list(by_id)
    for provider_id, stocks in inventory_rows.read(session, names, ids).items():
        by_id[provider_id].stocks.update(stocks)
    if traits:
        for provider_id, found in TRAIT_PAIRS.read(session, names.traits, ids).items():
            by_id[provider_id].traits.update(found)
    if aggregates:
        for provider_id, found in AGGREGATE_PAIRS.read(session, names.aggregates, ids).items():
            by_id[provider_id].aggregates.update(found)


def owners_of_names(session: Session, names: Sequence[str]) -> dict[str, str]:
    """Return the uuids of the providers that have these names."""
    return dict(session.rows_of(_OWNERS, names)) if names else {}


def names_of_uuids(session: Session, uuids: Sequence[str]) -> dict[str, str]:
    """Return the names of the providers that have these uuids."""
    return dict(session.rows_of(_NAMED, uuids)) if uuids else {}


def write(session: Session, names: Names, change: TreeChange) -> None:
    """Write what was planned."""
    remove(session, [provider.id for provider in change.remove])
    _insert_providers(session, change.insert)
    touched = [*change.changed, *(p.parent_uuid for p in change.move if p.parent_uuid)]
    ids = _ids(session, touched)
    _move_providers(session, change.move, ids)
    write_inventories(session, names, change, ids)
    _write_pairs(session, TRAIT_PAIRS, names.traits, change.add_traits, change.drop_traits, ids)
    _write_pairs(
        session,
        AGGREGATE_PAIRS,
        names.aggregates,
        change.add_aggregates,
        change.drop_aggregates,
        ids,
    )
    fresh = {provider.uuid for provider in change.insert}
    ledger.bump(session, [ids[uuid][0] for uuid in change.changed if uuid not in fresh])


def remove(session: Session, provider_ids: Sequence[int]) -> None:
    """Remove providers with everything they have."""
    if provider_ids:
        for statement in _DELETE_OF:
            session.run_for(statement, provider_ids)


def _ids(session: Session, uuids: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the ids of providers and of their roots."""
    if not uuids:
        return {}
    return {row[0]: (row[1], row[2]) for row in session.rows_of(_IDS, uuids)}


def _insert_providers(session: Session, wanted: Sequence[WantedProvider]) -> None:
    """Insert providers level by level, since a child's row names its parent's id."""
    fresh = {provider.uuid for provider in wanted}
    levels: dict[str, int] = {}
    by_level: dict[int, list[WantedProvider]] = defaultdict(list)
    for provider in wanted:
        parent = provider.parent_uuid
        levels[provider.uuid] = levels[parent] + 1 if parent in fresh and parent else 0
        by_level[levels[provider.uuid]].append(provider)
    for level in sorted(by_level):
        providers = by_level[level]
        parents = _ids(session, sorted({p.parent_uuid for p in providers if p.parent_uuid}))
        rows = [_provider_row(session, provider, parents) for provider in providers]
        session.run_many(_INSERT_PROVIDER, rows)
        session.run_for(_OWN_ROOT, [p.uuid for p in providers if p.parent_uuid is None])


def _provider_row(
    session: Session, provider: WantedProvider, parents: Mapping[str, tuple[int, int]]
) -> dict[str, object]:
    parent, root = parents[provider.parent_uuid] if provider.parent_uuid else (None, None)
    return {
        "uuid": provider.uuid,
        "name": provider.name,
        "generation": 1,
        "parent_provider_id": parent,
        "root_provider_id": root,
        "created_at": session.moment,
    }


def _move_providers(
    session: Session, moved: Sequence[WantedProvider], ids: Mapping[str, tuple[int, int]]
) -> None:
    rows = []
    for provider in moved:
        parent = ids[provider.parent_uuid] if provider.parent_uuid else None
        rows.append(
            {
                "uuid_": provider.uuid,
                "name": provider.name,
                "parent_provider_id": parent[0] if parent else None,
                "root_provider_id": parent[1] if parent else ids[provider.uuid][0],
            }
        )
    session.run_many(_MOVE_PROVIDER, rows)


def write_inventories(
    session: Session, names: Names, change: TreeChange, ids: Mapping[str, tuple[int, int]]
) -> None:
    """Write what was planned of inventories.

    :param ids: of the providers and of their roots, by uuid.
    """
    inventory_rows.delete(session, change.delete_inventories)
    inventory_rows.update(session, change.update_inventories)
    classes = names.resource_classes.make(
        session, (name for _, name, _ in change.insert_inventories)
    )
    inventory_rows.insert(
        session,
        [(ids[uuid][0], classes[name], item) for uuid, name, item in change.insert_inventories],
    )


def _write_pairs(
    session: Session,
    pairs: Pairs,
    known: Ids,
    add: Sequence[tuple[str, str]],
    drop: Sequence[tuple[str, str]],
    ids: Mapping[str, tuple[int, int]],
) -> None:
    if not add and not drop:
        return
    name_ids = known.make(session, (name for _, name in add)) if add else {}
    name_ids = {**name_ids, **known.get(session, (name for _, name in drop))}
    pairs.remove(session, ((ids[uuid][0], name_ids[name]) for uuid, name in drop))
    pairs.add(session, ((ids[uuid][0], name_ids[name]) for uuid, name in add))
