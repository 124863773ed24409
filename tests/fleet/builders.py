"""Small forests to test with: providers by name, uuids made of the names."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping

from scheduler_lib.fleet import Fleet
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import (
    MISC_SHARES_VIA_AGGREGATE,
    HostFacts,
    Provider,
    ProviderChanged,
    Stock,
)


def uid(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, name))


def facts(name: str, **rest: object) -> HostFacts:
    given: dict[str, object] = {"numbers": {}, "texts": {}, **rest}
    return HostFacts(host=name, node=name, **given)  # type: ignore[arg-type]


class Forest:
    """Providers, in the order they were added; parents first."""

    def __init__(self) -> None:
        self.providers: dict[str, Provider] = {}

    def add(
        self,
        name: str,
        stocks: Mapping[str, int | Inventory | Stock] | None = None,
        *,
        under: str | None = None,
        traits: Iterable[str] = (),
        aggregates: str = "",
        shares: bool = False,
        host: bool | HostFacts = False,
    ) -> Forest:
        parent = None if under is None else self.providers[under]
        about = host if isinstance(host, HostFacts) else facts(name) if host else None
        self.providers[name] = Provider(
            uuid=uid(name),
            name=name,
            root_uuid=uid(name) if parent is None else parent.root_uuid,
            parent_uuid=None if parent is None else parent.uuid,
            stocks={key: _stock(value) for key, value in (stocks or {}).items()},
            traits=frozenset(traits) | ({MISC_SHARES_VIA_AGGREGATE} if shares else set()),
            aggregates=frozenset(uid(letter) for letter in aggregates),
            facts=about,
        )
        return self

    def fleet(self) -> Fleet:
        fleet = Fleet()
        fleet.apply(ProviderChanged(provider) for provider in self.providers.values())
        return fleet


def _stock(value: int | Inventory | Stock) -> Stock:
    if isinstance(value, Stock):
        return value
    return Stock(value if isinstance(value, Inventory) else Inventory(value))
