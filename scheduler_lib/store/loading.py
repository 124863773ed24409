"""Providers, whole, out of their rows: a few statements for however many of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa

from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import HostFacts, Provider, Stock
from scheduler_lib.model.stats import COUNTS, JSON_TEXTS, RATIOS, RESERVES, SHORT_TEXTS, SIGNED
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import KeyedStatement, Row, Statement
from scheduler_lib.store.schema import (
    COMPUTE_NODES,
    INVENTORIES,
    PLACEMENT_AGGREGATES,
    PROVIDER_AGGREGATES,
    PROVIDER_TRAITS,
    RESOURCE_PROVIDERS,
)
from scheduler_lib.store.session import Session

NUMBERS = (*COUNTS, *SIGNED, *RATIOS, *RESERVES)
TEXTS = (*SHORT_TEXTS, *JSON_TEXTS)
_FACTS = (
    "host", "hypervisor_hostname", "availability_zone", "disabled", "disabled_reason",
    "forced_down", "last_seen_up",
)  # fmt: skip

# Trees read at a time: bounds the memory of a load.
BATCH = 1000
_LAST_ID = 2**31 - 1
# Equal stocks are one object; no more than that many are remembered.
_REMEMBERED = 10_000

_PARENT = RESOURCE_PROVIDERS.alias("parent")
_ROOT = RESOURCE_PROVIDERS.alias("root")

R = TypeVar("R", Statement, KeyedStatement)
Restrict = Callable[[sa.Select[Any]], sa.Select[Any]]
Run = Callable[[int], Sequence[Row]]


def _queries(restrict: Restrict) -> tuple[sa.Select[Any], ...]:
    """Return the queries for providers, inventories, traits and aggregates."""
    rp = RESOURCE_PROVIDERS
    providers = (
        sa.select(
            rp.c.id, rp.c.uuid, rp.c.name, rp.c.generation, _ROOT.c.uuid, _PARENT.c.uuid,
            *(COMPUTE_NODES.c[name] for name in (*_FACTS, *NUMBERS, *TEXTS)),
        )
        .select_from(rp)
        .join(_ROOT, _ROOT.c.id == rp.c.root_provider_id)
        .outerjoin(_PARENT, _PARENT.c.id == rp.c.parent_provider_id)
        .outerjoin(COMPUTE_NODES, COMPUTE_NODES.c.uuid == rp.c.uuid)
        .order_by(rp.c.root_provider_id, rp.c.id)
    )  # fmt: skip
    inv = INVENTORIES.c
    inventories = sa.select(
        inv.resource_provider_id, inv.resource_class_id, inv.used, inv.total, inv.reserved,
        inv.min_unit, inv.max_unit, inv.step_size, inv.allocation_ratio,
    ).join_from(INVENTORIES, rp, rp.c.id == inv.resource_provider_id)  # fmt: skip
    traits = sa.select(
        PROVIDER_TRAITS.c.resource_provider_id, PROVIDER_TRAITS.c.trait_id
    ).join_from(PROVIDER_TRAITS, rp, rp.c.id == PROVIDER_TRAITS.c.resource_provider_id)
    aggregates = (
        sa.select(PROVIDER_AGGREGATES.c.resource_provider_id, PLACEMENT_AGGREGATES.c.uuid)
        .join_from(PROVIDER_AGGREGATES, rp, rp.c.id == PROVIDER_AGGREGATES.c.resource_provider_id)
        .join(PLACEMENT_AGGREGATES, PLACEMENT_AGGREGATES.c.id == PROVIDER_AGGREGATES.c.aggregate_id)
    )
    return tuple(restrict(query) for query in (providers, inventories, traits, aggregates))


def _in_range(query: sa.Select[Any]) -> sa.Select[Any]:
    root = RESOURCE_PROVIDERS.c.root_provider_id
    return query.where(root > sa.bindparam("after"), root <= sa.bindparam("until"))


_BY_RANGE = tuple(Statement(query) for query in _queries(_in_range))


def _keyed(column: sa.Column[Any], position: int) -> KeyedStatement:
    return KeyedStatement(
        lambda keys: _queries(lambda query: query.where(column.in_(keys)))[position]
    )


_BY_UUID = tuple(_keyed(RESOURCE_PROVIDERS.c.uuid, position) for position in range(4))
_BY_ROOT = tuple(_keyed(RESOURCE_PROVIDERS.c.root_provider_id, position) for position in range(4))
_NEXT_ROOTS = Statement(
    sa.select(RESOURCE_PROVIDERS.c.id)
    .where(RESOURCE_PROVIDERS.c.id == RESOURCE_PROVIDERS.c.root_provider_id)
    .where(RESOURCE_PROVIDERS.c.id > sa.bindparam("after"))
    .order_by(RESOURCE_PROVIDERS.c.id)
    .limit(BATCH)
)


def everything(session: Session, names: Names) -> Iterator[Provider]:
    """Yield every provider, tree by tree, parents before their children."""
    assembly = _Assembly(session, names)
    after = 0
    while rows := session.rows(_NEXT_ROOTS, {"after": after}):
        bounds = {"after": after, "until": rows[-1][0]}
        yield from assembly.providers(lambda i: session.rows(_BY_RANGE[i], bounds))  # noqa: B023
        after = rows[-1][0]


def at_once(session: Session, names: Names) -> list[Provider]:
    """Return every provider, in a fixed number of statements."""
    bounds = {"after": 0, "until": _LAST_ID}
    return _Assembly(session, names).providers(lambda i: session.rows(_BY_RANGE[i], bounds))


def by_uuid(session: Session, names: Names, uuids: Sequence[str]) -> list[Provider]:
    """Return those of the named providers that exist, parents before their children."""
    if not uuids:
        return []
    assembly = _Assembly(session, names)
    return assembly.providers(lambda i: session.rows_of(_BY_UUID[i], uuids))


def by_root(session: Session, names: Names, root_ids: Sequence[int]) -> list[Provider]:
    """Return whole trees, each from its root down."""
    if not root_ids:
        return []
    assembly = _Assembly(session, names)
    return assembly.providers(lambda i: session.rows_of(_BY_ROOT[i], root_ids))


class _Assembly:
    """Puts providers together; equal parts of many providers are one object."""

    def __init__(self, session: Session, names: Names) -> None:
        self._session = session
        self._names = names
        self._stocks_made: dict[Row, Stock] = {}
        self._trait_sets: dict[tuple[int, ...], frozenset[str]] = {}

    def providers(self, run: Run) -> list[Provider]:
        """Return the providers that the queries give."""
        rows = run(0)
        stocks = self._stocks(run(1))
        traits = self._traits(run(2))
        aggregates = _grouped(run(3))
        none: frozenset[str] = frozenset()
        built = [
            Provider(
                uuid=row[1],
                name=row[2],
                root_uuid=row[4],
                parent_uuid=row[5],
                generation=row[3],
                stocks=stocks.get(row[0], {}),
                traits=traits.get(row[0], none),
                aggregates=frozenset(aggregates[row[0]]) if row[0] in aggregates else none,  # type: ignore[arg-type]
                facts=None if row[6] is None else _facts(row),
            )
            for row in rows
        ]
        return built if all(p.parent_uuid is None for p in built) else _parents_first(built)

    def _stocks(self, rows: Sequence[Row]) -> dict[object, dict[str, Stock]]:
        names = self._names.resource_classes.names(self._session, {row[1] for row in rows})
        stocks: dict[object, dict[str, Stock]] = defaultdict(dict)
        for row in rows:
            stocks[row[0]][names[row[1]]] = self._stock(tuple(row[2:]))
        return stocks

    def _stock(self, key: Row) -> Stock:
        stock = self._stocks_made.get(key)
        if stock is None:
            if len(self._stocks_made) >= _REMEMBERED:
                self._stocks_made.clear()
            used, *fields = key
            stock = self._stocks_made[key] = Stock(Inventory(*fields), used)
        return stock

    def _traits(self, rows: Sequence[Row]) -> dict[object, frozenset[str]]:
        names = self._names.traits.names(self._session, {row[1] for row in rows})
        sets: dict[object, frozenset[str]] = {}
        for provider_id, ids in _grouped(rows).items():
            key = tuple(ids)
            if key not in self._trait_sets:
                if len(self._trait_sets) >= _REMEMBERED:
                    self._trait_sets.clear()
                self._trait_sets[key] = frozenset(names[id_] for id_ in key)  # type: ignore[index]
            sets[provider_id] = self._trait_sets[key]  # type: ignore[index]
        return sets


def _grouped(rows: Sequence[Row]) -> Mapping[object, list[object]]:
    groups: dict[object, list[object]] = defaultdict(list)
    for owner, value in rows:
        groups[owner].append(value)
    return groups


_NUMBERS_AT = [(name, 6 + len(_FACTS) + i) for i, name in enumerate(NUMBERS)]
_TEXTS_AT = [(name, 6 + len(_FACTS) + len(NUMBERS) + i) for i, name in enumerate(TEXTS)]


def _facts(row: Row) -> HostFacts:
    return HostFacts(
        host=row[6],
        node=row[7],
        numbers={name: row[at] for name, at in _NUMBERS_AT if row[at] is not None},
        texts={name: row[at] for name, at in _TEXTS_AT if row[at] is not None},
        availability_zone=row[8],
        disabled=bool(row[9]),
        disabled_reason=row[10],
        forced_down=bool(row[11]),
        last_seen_up=row[12],
    )


def _parents_first(providers: list[Provider]) -> list[Provider]:
    """Return providers, parents before their children; otherwise in the order given."""
    waiting: dict[str | None, list[Provider]] = defaultdict(list)
    present = {provider.uuid for provider in providers}
    for provider in providers:
        known = provider.parent_uuid if provider.parent_uuid in present else None
        waiting[known].append(provider)
    ordered: list[Provider] = []
    stack = list(reversed(waiting[None]))
    while stack:
        provider = stack.pop()
        ordered.append(provider)
        stack.extend(reversed(waiting[provider.uuid]))
    return ordered
