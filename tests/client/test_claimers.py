"""What a refused claim leaves behind: a fleet that is right again, and a little patience."""

import random
import sqlite3
import uuid

import pytest

from scheduler_lib.exceptions import ClaimConflict
from scheduler_lib.model.answer import RecordedAnswer
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.decision import Destination, Selection
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.settings import Accounting, CapacitySettings, DatabaseSettings
from scheduler_lib.model.stats import HostStats
from scheduler_lib.query.claimers import LONGEST_WAIT_S, PATIENCE, StoreClaimer
from scheduler_lib.query.mirror import Mirror
from scheduler_lib.store.store import Store
from scheduler_lib.testing import ManualClock, a_host, a_request

H1 = ResourceName("h1", "h1")


@pytest.fixture
def deadline():
    return Deadline.after(60, SystemClock())


@pytest.fixture
def path(tmp_path):
    return tmp_path / "books.sqlite"


@pytest.fixture
def store(path, deadline):
    settings = DatabaseSettings(f"sqlite:///{path}")
    with Store(settings, CapacitySettings(), SystemClock()) as opened:
        opened.hosts.report(H1, HostStats.parse(a_host("h1").vcpus(4).stats()), deadline)
        yield opened


@pytest.fixture
def provider(store, deadline):
    return store.hosts.get(H1, deadline)["uuid"]


@pytest.fixture
def fleet_and_claimer(store, deadline):
    mirror = Mirror(store, Accounting.ALLOCATIONS, "nova")
    fleet = mirror.refreshed(mirror.ticket(), deadline)

    def make(clock=None, answer=None):
        request = a_request(VCPU=1).build()
        chosen = random.Random(1)
        return StoreClaimer(
            store, mirror, request, answer, deadline, clock or ManualClock(), chosen
        )

    return fleet, make


def wanting(provider, amount):
    allocations = {provider: {"VCPU": amount}}
    return [Selection(str(uuid.uuid4()), Destination("h1", "h1", provider, allocations))]


def used(fleet, provider):
    stock = fleet.stock("VCPU")
    return stock.cell("used", stock.slot(fleet.row(provider)))


def test_host_that_was_deleted_meanwhile_is_a_conflict_and_no_choice_any_more(
    fleet_and_claimer, store, provider, deadline
):
    fleet, make = fleet_and_claimer
    store.hosts.delete(H1, deadline)
    with pytest.raises(ClaimConflict) as caught:
        make().claim(wanting(provider, 1))
    assert caught.value.fields["provider"] == provider
    assert fleet.host_count == 0


def test_books_that_were_changed_past_the_feed_are_read_again(
    fleet_and_claimer, path, provider, store
):
    fleet, make = fleet_and_claimer
    with sqlite3.connect(path) as books:
        books.execute("UPDATE inventories SET used = capacity")
    books.close()
    assert used(fleet, provider) == 0
    with pytest.raises(ClaimConflict):
        make().claim(wanting(provider, 1))
    stock = fleet.stock("VCPU")
    assert stock.cell("free", stock.slot(fleet.row(provider))) == 0


def test_who_is_refused_again_and_again_waits_a_little_before_the_next_try(
    fleet_and_claimer, provider
):
    _, make = fleet_and_claimer
    clock = ManualClock()
    claimer = make(clock)
    for _ in range(PATIENCE):
        with pytest.raises(ClaimConflict):
            claimer.claim(wanting(provider, 1000))
    assert clock.slept == []
    for _ in range(20):
        with pytest.raises(ClaimConflict):
            claimer.claim(wanting(provider, 1000))
    assert len(clock.slept) == 20
    assert all(0 <= wait <= LONGEST_WAIT_S for wait in clock.slept)
    assert len(set(clock.slept)) > 10


def test_answer_is_recorded_as_claimed_with_the_claim_itself(
    fleet_and_claimer, provider, store, deadline
):
    fleet, make = fleet_and_claimer
    claimer = make(answer=RecordedAnswer("k", "f", ""))
    with pytest.raises(ClaimConflict):
        claimer.claim(wanting(provider, 1000))
    assert store.request_keys.find("k", deadline) is None
    claimer.claim(wanting(provider, 3))
    found = store.request_keys.find("k", deadline)
    assert found is not None
    assert '"claimed":true' in found.answer
    assert used(fleet, provider) == 3
