"""Hosts as callers read them: one plain dictionary each."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.provider import Provider
from scheduler_lib.model.stats import JSON_TEXTS
from scheduler_lib.store import loading
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import Statement
from scheduler_lib.store.schema import COMPUTE_NODES, RESOURCE_PROVIDERS
from scheduler_lib.store.schema.compute_nodes import OWNED
from scheduler_lib.store.session import Session

_COLUMNS = tuple(
    c for c in COMPUTE_NODES.c if c.name not in (*OWNED, "id", "deleted", "deleted_at")
)
_ALL = sa.select(*_COLUMNS)
_ONE = _ALL.where(
    COMPUTE_NODES.c.host == sa.bindparam("host"),
    COMPUTE_NODES.c.hypervisor_hostname == sa.bindparam("node"),
)
_ROOT_ID = Statement(
    sa.select(RESOURCE_PROVIDERS.c.id).where(RESOURCE_PROVIDERS.c.uuid == sa.bindparam("uuid"))
)


def read(session: Session, names: Names, name: ResourceName) -> dict[str, object] | None:
    """Return one host, if it has reported."""
    keys = {"host": name.host, "node": name.node}
    row = session.connection.execute(_ONE, keys).mappings().first()
    if row is None:
        return None
    roots = [found[0] for found in session.rows(_ROOT_ID, {"uuid": row["uuid"]})]
    return _view(row, loading.by_root(session, names, roots))  # type: ignore[arg-type]


def read_all(session: Session, names: Names) -> list[dict[str, object]]:
    """Return every host, in the order of host and node names."""
    rows = session.connection.execute(_ALL).mappings().all()
    trees: dict[str, list[Provider]] = defaultdict(list)
    for provider in loading.at_once(session, names):
        trees[provider.root_uuid].append(provider)
    views = [_view(row, trees[row["uuid"]]) for row in rows]  # type: ignore[arg-type]
    return sorted(views, key=lambda view: (str(view["host"]), str(view["hypervisor_hostname"])))


def _view(row: Mapping[str, object], tree: Sequence[Provider]) -> dict[str, object]:
    view = dict(row)
    for column in JSON_TEXTS:
        text = view[column]
        view[column] = json.loads(text) if isinstance(text, str) and text else text
    children: dict[str | None, list[Provider]] = defaultdict(list)
    for provider in tree:
        children[provider.parent_uuid].append(provider)
    root = next((provider for provider in tree if provider.uuid == view["uuid"]), None)
    view["inventories"] = {} if root is None else _inventories(root)
    view["traits"] = [] if root is None else sorted(root.traits)
    view["aggregates"] = [] if root is None else sorted(root.aggregates)
    view["children"] = [] if root is None else _children(root.uuid, children)
    return view


def _children(
    parent_uuid: str, children: Mapping[str | None, list[Provider]]
) -> list[dict[str, object]]:
    return [
        {
            "name": child.name,
            "uuid": child.uuid,
            "inventories": _inventories(child),
            "traits": sorted(child.traits),
            "aggregates": sorted(child.aggregates),
            "children": _children(child.uuid, children),
        }
        for child in sorted(children[parent_uuid], key=lambda provider: provider.name)
    ]


def _inventories(provider: Provider) -> dict[str, dict[str, object]]:
    return {
        name: {
            "total": stock.inventory.total,
            "reserved": stock.inventory.reserved,
            "min_unit": stock.inventory.min_unit,
            "max_unit": stock.inventory.max_unit,
            "step_size": stock.inventory.step_size,
            "allocation_ratio": stock.inventory.allocation_ratio,
            "used": stock.used,
        }
        for name, stock in sorted(provider.stocks.items())
    }
