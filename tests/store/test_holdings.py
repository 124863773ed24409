"""Who holds what, read from both sides."""

from __future__ import annotations

from uuid import uuid4

import pytest

from scheduler_lib.exceptions import ConsumerNotFound, InvalidRequest, ProviderNotFound
from scheduler_lib.model.allocation import Claim
from scheduler_lib.model.record import HolderRecord, ShareRecord
from scheduler_lib.store.consumers import INCOMPLETE
from tests.store.conftest import Desk

A, B = (str(uuid4()) for _ in range(2))


@pytest.fixture
def hosts(desk: Desk) -> tuple[str, str]:
    for host in ("h1", "h2"):
        desk.report(host, vcpus=8, memory_mb=100)
    return desk.uuid("h1"), desk.uuid("h2")


def test_a_consumer_is_read_with_its_providers_generations(
    desk: Desk, hosts: tuple[str, str]
) -> None:
    h1, h2 = hosts
    desk.claim("h1", VCPU=1)
    desk.write(Claim(A, {h1: {"VCPU": 2, "MEMORY_MB": 3}, h2: {"VCPU": 1}}, "p", "u", "MIGRATION"))
    found = desk.store.claims.consumer(A.upper(), desk.deadline())
    assert found.shares == {
        h1: ShareRecord({"VCPU": 2, "MEMORY_MB": 3}, desk.generation("h1")),
        h2: ShareRecord({"VCPU": 1}, desk.generation("h2")),
    }
    assert (found.uuid, found.project_id, found.user_id) == (A, "p", "u")
    assert (found.consumer_type, found.generation) == ("MIGRATION", 1)


def test_a_consumer_without_project_user_and_type_says_so(
    desk: Desk, hosts: tuple[str, str]
) -> None:
    desk.write(Claim(A, {hosts[0]: {"VCPU": 2}}, consumer_type=None))
    found = desk.store.claims.consumer(A, desk.deadline())
    assert (found.project_id, found.user_id, found.consumer_type) == (INCOMPLETE, INCOMPLETE, None)


def test_when_it_was_written_is_told(desk: Desk, hosts: tuple[str, str]) -> None:
    desk.claim("h1", A, VCPU=1)
    desk.clock.advance(100)
    desk.write(Claim(A, {hosts[0]: {"VCPU": 2}}, consumer_generation=1))
    desk.clock.advance(100)
    for found in (
        desk.store.claims.consumer(A, desk.deadline()),
        desk.store.claims.of_provider(hosts[0], desk.deadline()),
    ):
        # One of the databases keeps whole seconds.
        assert found.modified_at == pytest.approx(desk.clock.now() - 100, abs=1)


def test_who_holds_nothing_is_not_found(desk: Desk, hosts: tuple[str, str]) -> None:
    with pytest.raises(ConsumerNotFound):
        desk.store.claims.consumer(A, desk.deadline())
    desk.claim("h1", A, VCPU=1)
    desk.release(A)
    with pytest.raises(ConsumerNotFound):
        desk.store.claims.consumer(A, desk.deadline())
    with pytest.raises(InvalidRequest):
        desk.store.claims.consumer("x", desk.deadline())


def test_a_provider_tells_who_holds_what_of_it(desk: Desk, hosts: tuple[str, str]) -> None:
    h1, h2 = hosts
    desk.write(Claim(A, {h1: {"VCPU": 2, "MEMORY_MB": 3}, h2: {"VCPU": 1}}))
    desk.write(Claim(B, {h1: {"VCPU": 1}}))
    desk.write(Claim(B, {h1: {"VCPU": 4}}, consumer_generation=1))
    found = desk.store.claims.of_provider(h1, desk.deadline())
    assert found.generation == desk.generation("h1")
    assert found.holders == (
        HolderRecord(A, {"VCPU": 2, "MEMORY_MB": 3}, 1),
        HolderRecord(B, {"VCPU": 4}, 2),
    )


def test_a_provider_of_which_nobody_holds_anything_has_no_holders(
    desk: Desk, hosts: tuple[str, str]
) -> None:
    found = desk.store.claims.of_provider(hosts[1], desk.deadline())
    assert (found.holders, found.modified_at) == ((), None)
    assert found.generation == desk.generation("h2")


def test_an_unknown_provider_is_not_found(desk: Desk) -> None:
    with pytest.raises(ProviderNotFound):
        desk.store.claims.of_provider(A, desk.deadline())
