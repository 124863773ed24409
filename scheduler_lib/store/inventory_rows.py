"""Rows of inventories, under the locks of their providers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import Stock
from scheduler_lib.model.record import StockRecord
from scheduler_lib.store.moments import latest
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import KeyedStatement, Statement
from scheduler_lib.store.provider_rows import not_found
from scheduler_lib.store.schema import INVENTORIES, RESOURCE_PROVIDERS
from scheduler_lib.store.session import Session
from scheduler_lib.store.trees import StoredStock

_RP, _INV = RESOURCE_PROVIDERS.c, INVENTORIES.c
_READ = KeyedStatement(
    lambda keys: sa.select(
        _INV.resource_provider_id, _INV.resource_class_id, _INV.id, _INV.used, _INV.total,
        _INV.reserved, _INV.min_unit, _INV.max_unit, _INV.step_size, _INV.allocation_ratio,
    ).where(_INV.resource_provider_id.in_(keys))
)  # fmt: skip
_RECORD = Statement(
    sa.select(
        _RP.generation, sa.func.coalesce(_INV.updated_at, _INV.created_at), _INV.resource_class_id,
        _INV.used, _INV.total, _INV.reserved, _INV.min_unit, _INV.max_unit, _INV.step_size,
        _INV.allocation_ratio,
    )
    .outerjoin_from(RESOURCE_PROVIDERS, INVENTORIES, _INV.resource_provider_id == _RP.id)
    .where(_RP.uuid == sa.bindparam("uuid"))
    .order_by(_INV.id)
)  # fmt: skip
_FIELDS = (
    "total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio", "capacity",
)  # fmt: skip


def _values(*names: str) -> dict[str, sa.BindParameter[object]]:
    return {name: sa.bindparam(name) for name in names}


_INSERT = Statement(
    sa.insert(INVENTORIES).values(
        {
            **_values("resource_provider_id", "resource_class_id", "created_at", *_FIELDS),
            "used": sa.literal_column("0"),
        }
    )
)
_UPDATE = Statement(
    sa.update(INVENTORIES)
    .where(_INV.id == sa.bindparam("inventory_id"))
    .values(_values("updated_at", *_FIELDS))
)
_DELETE = KeyedStatement(lambda keys: sa.delete(INVENTORIES).where(_INV.id.in_(keys)))


def record(session: Session, names: Names, provider_uuid: str) -> StockRecord:
    """Return what one provider has, in the order it was given it.

    :raises ProviderNotFound: when there is no such provider.
    """
    rows = session.rows(_RECORD, {"uuid": provider_uuid})
    if not rows:
        raise not_found(provider_uuid)
    stored = [row for row in rows if row[2] is not None]
    classes = names.resource_classes.names(session, (row[2] for row in stored))
    return StockRecord(
        generation=rows[0][0],
        stocks={classes[row[2]]: Stock(Inventory(*row[4:]), row[3]) for row in stored},
        modified_at=latest(row[1] for row in stored),
    )


def read(
    session: Session, names: Names, provider_ids: Sequence[int]
) -> dict[int, dict[str, StoredStock]]:
    """Return the inventories of providers, by provider id and resource class."""
    rows = session.rows_of(_READ, provider_ids)
    classes = names.resource_classes.names(session, {row[1] for row in rows})
    found: dict[int, dict[str, StoredStock]] = defaultdict(dict)
    for row in rows:
        found[row[0]][classes[row[1]]] = StoredStock(row[2], Inventory(*row[4:]), row[3])
    return found


def insert(session: Session, wanted: Iterable[tuple[int, int, Inventory]]) -> None:
    """Write new inventories: provider id, resource class id, and what there is."""
    moment = session.moment
    rows = [
        {
            **_row(inventory),
            "resource_provider_id": provider_id,
            "resource_class_id": class_id,
            "created_at": moment,
        }
        for provider_id, class_id, inventory in wanted
    ]
    session.run_many(_INSERT, rows)


def update(session: Session, wanted: Iterable[tuple[int, Inventory]]) -> None:
    """Write inventories that are there, by their ids; what is used of them stays."""
    moment = session.moment
    rows = [
        {**_row(inventory), "inventory_id": id_, "updated_at": moment} for id_, inventory in wanted
    ]
    session.run_many(_UPDATE, rows)


def delete(session: Session, ids: Sequence[int]) -> None:
    """Remove inventories, by their ids; nothing of them may be used."""
    session.run_for(_DELETE, ids)


def _row(inventory: Inventory) -> dict[str, object]:
    return {
        "total": inventory.total,
        "reserved": inventory.reserved,
        "min_unit": inventory.min_unit,
        "max_unit": inventory.max_unit,
        "step_size": inventory.step_size,
        "allocation_ratio": inventory.allocation_ratio,
        "capacity": inventory.capacity,
    }
