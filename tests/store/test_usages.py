"""Usages: by provider, and by project, user and type of consumer."""

from __future__ import annotations

from uuid import uuid4

import pytest

from scheduler_lib.exceptions import ProviderNotFound
from scheduler_lib.model.allocation import Claim
from scheduler_lib.model.record import UsageRecord
from tests.store.conftest import Desk

MOST = 2**31 - 1


def _of(desk: Desk, project: str, **filters: str) -> list[UsageRecord]:
    return desk.store.usages.of_project(project, desk.deadline(), **filters)


@pytest.fixture
def booked(desk: Desk) -> Desk:
    desk.report("h1", vcpus=100, memory_mb=100)
    desk.report("h2", vcpus=100)
    h1, h2 = desk.uuid("h1"), desk.uuid("h2")
    for allocations, *booking in (
        ({h1: {"VCPU": 1, "MEMORY_MB": 10}}, "p", "u", "INSTANCE"),
        ({h1: {"VCPU": 2}, h2: {"VCPU": 4}}, "p", "u", "INSTANCE"),
        ({h1: {"VCPU": 8}}, "p", "v", "INSTANCE"),
        ({h1: {"VCPU": 16}}, "p", "v", "MIGRATION"),
        ({h1: {"VCPU": 32}}, "p", "u", None),
        ({h2: {"VCPU": 1}}, "other", "u", "INSTANCE"),
    ):
        desk.write(Claim(str(uuid4()), allocations, *booking))
    return desk


def test_a_project_has_one_record_for_each_type(booked: Desk) -> None:
    assert _of(booked, "p") == [
        UsageRecord("INSTANCE", {"VCPU": 15, "MEMORY_MB": 10}, 3),
        UsageRecord("MIGRATION", {"VCPU": 16}, 1),
        UsageRecord(None, {"VCPU": 32}, 1),
    ]


def test_a_user_and_a_type_can_be_asked_for(booked: Desk) -> None:
    assert _of(booked, "p", user_id="v", consumer_type="INSTANCE") == [
        UsageRecord("INSTANCE", {"VCPU": 8}, 1)
    ]
    assert _of(booked, "p", consumer_type="unknown") == [UsageRecord(None, {"VCPU": 32}, 1)]
    assert _of(booked, "p", user_id="v", consumer_type="unknown") == []
    assert [record.consumer_count for record in _of(booked, "p", user_id="u")] == [2, 1]


def test_a_project_that_uses_nothing_has_no_records(booked: Desk) -> None:
    assert _of(booked, "nobody") == []
    assert _of(booked, "p", consumer_type="VOLUME") == []
    consumer = str(uuid4())
    booked.write(Claim(consumer, {booked.uuid("h1"): {"VCPU": 1}}, "gone", "u"))
    booked.release(consumer)
    assert _of(booked, "gone") == []


def test_sums_are_not_cut(desk: Desk) -> None:
    for host in ("a", "b", "c"):
        desk.report(host, inventories={"MEMORY_MB": {"total": MOST}})
        desk.write(Claim(str(uuid4()), {desk.uuid(host): {"MEMORY_MB": MOST}}, "p", "u"))
    (record,) = _of(desk, "p")
    assert record.resources == {"MEMORY_MB": 3 * MOST}
    assert type(record.resources["MEMORY_MB"]) is int


def test_a_provider_tells_what_of_it_is_used(booked: Desk) -> None:
    found = booked.store.usages.of_provider(booked.uuid("h1"), booked.deadline())
    assert {name: stock.used for name, stock in found.stocks.items()} == {
        "VCPU": 59, "MEMORY_MB": 10,
    }  # fmt: skip
    assert found.stocks["MEMORY_MB"].inventory.total == 100
    assert found.generation == booked.generation("h1")


def test_a_provider_without_inventories_uses_nothing(desk: Desk) -> None:
    desk.report("h1")
    assert desk.store.usages.of_provider(desk.uuid("h1"), desk.deadline()).stocks == {}
    with pytest.raises(ProviderNotFound):
        desk.store.usages.of_provider(str(uuid4()), desk.deadline())
