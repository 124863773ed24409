"""The fleet in memory shows what the books say, in whatever order it hears of it."""

import sqlite3
import uuid

import pytest

from scheduler_lib.model.allocation import Claim
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.settings import Accounting, CapacitySettings, DatabaseSettings
from scheduler_lib.model.stats import HostStats
from scheduler_lib.query.mirror import Mirror
from scheduler_lib.store.store import Store
from scheduler_lib.testing import a_host


@pytest.fixture
def deadline():
    return Deadline.after(60, SystemClock())


@pytest.fixture
def open_store(tmp_path):
    stores = []

    def make():
        settings = DatabaseSettings(f"sqlite:///{tmp_path}/books.sqlite")
        stores.append(Store(settings, CapacitySettings(), SystemClock()).open())
        return stores[-1]

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def store(open_store):
    return open_store()


@pytest.fixture
def report(store, deadline):
    def make(name, vcpus=10):
        stats = HostStats.parse(a_host(name).vcpus(vcpus).stats())
        store.hosts.report(ResourceName(name, name), stats, deadline)
        return store.hosts.get(ResourceName(name, name), deadline)["uuid"]

    return make


@pytest.fixture
def mirror(store):
    return Mirror(store, Accounting.ALLOCATIONS, "nova")


def claim(store, provider, amount, deadline):
    return store.claims.write([Claim(str(uuid.uuid4()), {provider: {"VCPU": amount}})], deadline)


def used(mirror, provider, deadline):
    fleet = mirror.refreshed(mirror.ticket(), deadline)
    stock = fleet.stock("VCPU")
    return int(stock.cell("used", stock.slot(fleet.row(provider))))


def shown(mirror, provider):
    """Return what is shown without looking at the feed."""
    fleet = mirror._fleet
    stock = fleet.stock("VCPU")
    return int(stock.cell("used", stock.slot(fleet.row(provider))))


def test_receipts_in_the_other_order_leave_what_was_written_last(mirror, store, report, deadline):
    provider = report("h1")
    assert used(mirror, provider, deadline) == 0
    first = claim(store, provider, 1, deadline)
    second = claim(store, provider, 2, deadline)
    mirror.booked(second)
    mirror.booked(first)
    assert shown(mirror, provider) == 3
    assert used(mirror, provider, deadline) == 3


def test_receipt_that_the_feed_has_overtaken_changes_nothing(
    mirror, store, open_store, report, deadline
):
    provider = report("h1")
    assert used(mirror, provider, deadline) == 0
    ours = claim(store, provider, 1, deadline)
    claim(open_store(), provider, 2, deadline)
    assert used(mirror, provider, deadline) == 3
    mirror.booked(ours)
    assert shown(mirror, provider) == 3


def test_receipt_before_the_first_look_is_no_news(mirror, store, report, deadline):
    provider = report("h1")
    mirror.booked(claim(store, provider, 1, deadline))
    assert used(mirror, provider, deadline) == 1


def test_own_writes_and_those_of_others_add_up(mirror, store, open_store, report, deadline):
    provider = report("h1")
    other = open_store()
    total = 0
    for amount in (1, 2, 1, 2):
        mirror.booked(claim(store, provider, amount, deadline))
        claim(other, provider, 1, deadline)
        total += amount + 1
        assert used(mirror, provider, deadline) == total


def test_one_look_serves_all_who_came_before_it(mirror, store, report, deadline):
    provider = report("h1")
    early = mirror.ticket()
    mirror.refreshed(early, deadline)
    claim(store, provider, 1, deadline)
    mirror.refreshed(early, deadline)
    assert shown(mirror, provider) == 0
    mirror.refreshed(mirror.ticket(), deadline)
    assert shown(mirror, provider) == 1


def test_fleet_that_was_away_too_long_is_read_anew_in_place(
    mirror, store, report, deadline, tmp_path
):
    """Somebody may be choosing from it: it stays the same object."""
    kept, gone = report("h1"), report("h2")
    fleet = mirror.refreshed(mirror.ticket(), deadline)
    assert fleet.host_count == 2
    store.hosts.delete(ResourceName("h2", "h2"), deadline)
    report("h3")
    claim(store, kept, 4, deadline)
    with sqlite3.connect(tmp_path / "books.sqlite") as books:
        books.execute("DELETE FROM changes WHERE id < (SELECT max(id) FROM changes)")
    books.close()
    assert mirror.refreshed(mirror.ticket(), deadline) is fleet
    assert fleet.host_count == 2
    assert used(mirror, kept, deadline) == 4
    assert (
        gone not in fleet.state.rows.row_of
        or not fleet.state.rows.alive[fleet.state.rows.row_of[gone]]
    )


def test_provider_is_read_again_when_the_store_contradicts_the_fleet(
    mirror, store, report, deadline
):
    provider = report("h1")
    assert used(mirror, provider, deadline) == 0
    mirror.consumed([(provider, "VCPU", 5)])
    assert shown(mirror, provider) == 5
    mirror.reread(provider, deadline)
    assert shown(mirror, provider) == 0


def test_provider_that_is_gone_is_dropped_when_it_is_read_again(mirror, store, report, deadline):
    provider = report("h1")
    fleet = mirror.refreshed(mirror.ticket(), deadline)
    store.hosts.delete(ResourceName("h1", "h1"), deadline)
    mirror.reread(provider, deadline)
    assert fleet.host_count == 0
