"""The invariant: every kind of imbalance is found, and nothing is found where there is none."""

from __future__ import annotations

from uuid import uuid4

import pytest
import sqlalchemy as sa

from scheduler_lib.store.schema import (
    ALLOCATIONS,
    COMPUTE_NODES,
    CONSUMERS,
    INVENTORIES,
    PROVIDER_TRAITS,
    RESOURCE_CLASSES,
    RESOURCE_PROVIDERS,
    TRAITS,
)
from tests.store.conftest import Desk


@pytest.fixture
def busy(desk: Desk) -> Desk:
    nested = [{"name": "c", "inventories": {"VGPU": {"total": 2}}, "traits": ["CUSTOM_A"]}]
    desk.report("h1", vcpus=4, memory_mb=1000, children=nested, traits=["CUSTOM_B"])
    desk.claim("h1", VCPU=2, MEMORY_MB=10)
    desk.claim("c", VGPU=2)
    return desk


def _spoil(desk: Desk, statement: sa.Executable) -> set[str]:
    with desk.store._database._engine.begin() as connection:  # type: ignore[union-attr]
        connection.execute(statement)
    return {kind for kind, _ in desk.discrepancies()}


def test_books_balance_after_ordinary_work(busy: Desk) -> None:
    assert busy.discrepancies() == []


@pytest.mark.parametrize(
    ("statement", "kinds"),
    [
        (sa.update(INVENTORIES).values(used=0), {"usage"}),
        (sa.update(INVENTORIES).values(capacity=1), {"capacity", "over_capacity"}),
        (sa.delete(INVENTORIES), {"allocation"}),
        (sa.delete(CONSUMERS), {"consumer"}),
        (sa.delete(ALLOCATIONS), {"usage", "consumer"}),
        (sa.update(RESOURCE_PROVIDERS).values(root_provider_id=0), {"root"}),
        (
            sa.update(RESOURCE_PROVIDERS)
            .where(RESOURCE_PROVIDERS.c.name == "c")
            .values(root_provider_id=RESOURCE_PROVIDERS.c.id),
            {"root"},
        ),
        (sa.update(COMPUTE_NODES).values(uuid=str(uuid4())), {"host"}),
        (sa.update(RESOURCE_CLASSES).values(removed_at=sa.func.current_timestamp()), {"name"}),
        (sa.update(TRAITS).values(removed_at=sa.func.current_timestamp()), {"name"}),
        (sa.insert(PROVIDER_TRAITS).values(resource_provider_id=0, trait_id=1), {"orphan"}),
    ],
)  # fmt: skip
def test_an_imbalance_is_found(busy: Desk, statement: sa.Executable, kinds: set[str]) -> None:
    assert _spoil(busy, statement) == kinds


def test_a_message_names_the_row_and_the_numbers(busy: Desk) -> None:
    _spoil(busy, sa.update(INVENTORIES).values(used=INVENTORIES.c.used + 1))
    uuid = busy.uuid("h1")
    assert ("usage", f"VCPU on {uuid}: 3 used, 2 allocated.") in busy.discrepancies()
