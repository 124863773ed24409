"""Random work: the books balance after it, and the feed told what a load would tell."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from random import Random
from uuid import UUID

import pytest

from scheduler_lib.exceptions import ClaimConflict, HostInUse
from scheduler_lib.model.allocation import ANY_GENERATION, Claim
from scheduler_lib.model.provider import (
    Change,
    Provider,
    ProviderChanged,
    ProviderRemoved,
    Stock,
)
from tests.store.conftest import Desk

HOSTS = [f"h{number}" for number in range(5)]
STEPS = 150


class Replica:
    """What a reader of the feed knows."""

    def __init__(self, providers: Iterable[Provider]) -> None:
        self.providers = {provider.uuid: provider for provider in providers}

    def apply(self, changes: Iterable[Change]) -> None:
        for change in changes:
            if isinstance(change, ProviderChanged):
                self.providers[change.provider.uuid] = change.provider
            elif isinstance(change, ProviderRemoved):
                self.providers.pop(change.uuid, None)
            else:
                stocks = dict(self.providers[change.provider_uuid].stocks)
                inventory = stocks[change.resource_class].inventory
                stocks[change.resource_class] = Stock(inventory, change.used)
                self._replace(change.provider_uuid, stocks)

    def _replace(self, uuid: str, stocks: dict[str, Stock]) -> None:
        old = self.providers[uuid]
        self.providers[uuid] = Provider(
            old.uuid, old.name, old.root_uuid, old.parent_uuid, old.generation, stocks,
            old.traits, old.aggregates, old.facts,
        )  # fmt: skip

    def known(self) -> dict[str, object]:
        return {uuid: _without_generation(p) for uuid, p in self.providers.items()}


def _without_generation(provider: Provider) -> object:
    return (
        provider.name, provider.root_uuid, provider.parent_uuid, dict(provider.stocks),
        provider.traits, provider.aggregates, provider.facts,
    )  # fmt: skip


class Work:
    """Does one random thing after the other."""

    def __init__(self, desk: Desk, seed: int) -> None:
        self.desk = desk
        self.random = Random(seed)
        self.consumers = [self._uuid() for _ in range(12)]

    def step(self) -> None:
        kind = self.random.choices(("report", "claim", "release", "delete"), (3, 6, 2, 1))[0]
        with suppress(ClaimConflict, HostInUse):
            getattr(self, f"_{kind}")()

    def _uuid(self) -> str:
        return str(UUID(int=self.random.getrandbits(128), version=4))

    def _report(self) -> None:
        children = [
            {
                "name": f"{host}-{number}",
                "inventories": {"VGPU": {"total": self.random.randint(1, 4)}},
                "traits": self.random.sample(["CUSTOM_A", "CUSTOM_B"], 1),
            }
            for host in (self.random.choice(HOSTS),)
            for number in range(self.random.randint(0, 2))
        ]
        host = children[0]["name"].split("-")[0] if children else self.random.choice(HOSTS)  # type: ignore[attr-defined]
        stats: dict[str, object] = {"vcpus": self.random.randint(0, 8), "memory_mb": 100}
        if self.random.random() < 0.6:
            stats["children"] = children
        if self.random.random() < 0.3:
            stats["inventories"] = {"CUSTOM_X": {"total": 5}} if self.random.random() < 0.5 else {}
        self.desk.report(host, **stats)

    def _claim(self) -> None:
        providers = list(self.desk.providers().values())
        claims = []
        for consumer in self.random.sample(self.consumers, self.random.randint(1, 3)):
            chosen = self.random.sample(providers, min(len(providers), 2))
            allocations = {
                provider.uuid: {name: self.random.randint(0, 3) for name in provider.stocks}
                for provider in chosen
            }
            claims.append(Claim(consumer, allocations, consumer_generation=ANY_GENERATION))
        self.desk.write(*claims)

    def _release(self) -> None:
        self.desk.release(*self.random.sample(self.consumers, 2))

    def _delete(self) -> None:
        known = {row["host"] for row in self.desk.store.hosts.list(self.desk.deadline())}
        host = self.random.choice(HOSTS)
        if host in known:
            self.desk.delete(host)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_replica_knows_what_a_load_would_tell(desk: Desk, seed: int) -> None:
    work = Work(desk, seed)
    with desk.store.feed.load() as (cursor, providers):
        replica = Replica(providers)
    for step in range(STEPS):
        work.step()
        if step % 3 == 0:
            batch = desk.store.feed.changes(cursor, desk.deadline())
            assert not batch.reload
            replica.apply(batch.changes)
            cursor = batch.cursor
            assert replica.known() == Replica(desk.providers().values()).known()
    kinds = {kind for kind, _ in desk.discrepancies()}
    assert kinds <= {"over_capacity"}
