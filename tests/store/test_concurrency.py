"""Many writers at once, in threads and processes: never one over, never a false refusal."""

from __future__ import annotations

import multiprocessing
import threading
from collections import Counter
from multiprocessing.synchronize import Barrier
from random import Random
from typing import Any
from uuid import uuid4

import pytest

from scheduler_lib.exceptions import ClaimConflict, DuplicateHost
from scheduler_lib.model.allocation import Claim
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings
from scheduler_lib.model.stats import HostStats
from scheduler_lib.store.store import Store
from tests.store.conftest import Desk

PROCESSES = 4
THREADS = 8
ROUNDS = 50
HOSTS = 10
SLOTS = 3  # on each host; fewer slots in all than takers
TAKERS = PROCESSES * THREADS


def _store(url: str) -> Store:
    return Store(DatabaseSettings(url), CapacitySettings(), SystemClock())


def _deadline() -> Deadline:
    return Deadline.after(120, SystemClock())


class _Taker:
    """Takes one slot a round, on whichever host has one."""

    def __init__(self, number: int, store: Store, hosts: list[str], barrier: Barrier) -> None:
        self.random = Random(number)
        self.store = store
        self.hosts = hosts
        self.barrier = barrier
        self.outcomes: list[str] = []
        self.errors: list[str] = []

    def run(self) -> None:
        for _ in range(ROUNDS):
            self.barrier.wait(120)
            try:
                self.outcomes.append(self._round())
            except Exception as error:  # noqa: BLE001
                self.errors.append(repr(error))
            self.barrier.wait(120)

    def _round(self) -> str:
        for host in self.random.sample(self.hosts, len(self.hosts)):
            claim = Claim(str(uuid4()), {host: {"VCPU": 1, "MEMORY_MB": 10}})
            try:
                self.store.claims.write([claim], _deadline())
            except ClaimConflict as error:
                if error.fields["used"] != error.fields["capacity"]:
                    return f"false refusal: {error}"
            else:
                return "taken"
        return "refused"


def _work(number: int, url: str, hosts: list[str], barrier: Barrier, results: Any) -> None:
    with _store(url) as store:
        takers = [
            _Taker(number * THREADS + index, store, hosts, barrier) for index in range(THREADS)
        ]
        threads = [threading.Thread(target=taker.run) for taker in takers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    errors = [error for taker in takers for error in taker.errors]
    results.put((errors, [taker.outcomes for taker in takers]))


@pytest.mark.timeout(180)
def test_the_last_slots_are_each_sold_once(database_url: str) -> None:
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(TAKERS + 1), context.Queue()
    stats = {
        "vcpus": SLOTS, "memory_mb": 10 * SLOTS, "cpu_allocation_ratio": 1.0,
    }  # fmt: skip
    with _store(database_url) as store:
        for number in range(HOSTS):
            name = ResourceName(f"h{number}", f"h{number}")
            store.hosts.report(name, HostStats.parse(stats), _deadline())
        with store.feed.load() as (_, providers):
            hosts = [provider.uuid for provider in providers]
        processes = [
            context.Process(target=_work, args=(number, database_url, hosts, barrier, results))
            for number in range(PROCESSES)
        ]
        for process in processes:
            process.start()
        for _ in range(ROUNDS):
            barrier.wait(120)
            barrier.wait(120)
            _check_full_and_reset(store)
        outcomes: list[list[str]] = []
        for _ in processes:
            errors, found = results.get(timeout=60)
            assert errors == []
            outcomes.extend(found)
        for process in processes:
            process.join(30)
    for round_ in zip(*outcomes, strict=True):
        assert Counter(round_) == {"taken": HOSTS * SLOTS, "refused": TAKERS - HOSTS * SLOTS}


def _check_full_and_reset(store: Store) -> None:
    with store.feed.load() as (_, providers):
        assert {p.stocks["VCPU"].used for p in providers} == {SLOTS}
    assert store.books.check(_deadline()) == ()
    with store._database.reading() as session:  # type: ignore[union-attr]
        consumers = [row[0] for row in session.connection.exec_driver_sql(_CONSUMERS).all()]
    store.claims.release(consumers, _deadline())


_CONSUMERS = "SELECT uuid FROM consumers"


def _together(count: int, work: Any) -> list[BaseException | None]:
    """Run work in threads that start together; return each one's error."""
    barrier = threading.Barrier(count)
    errors: list[BaseException | None] = [None] * count

    def run(number: int) -> None:
        barrier.wait(60)
        try:
            work(number)
        except Exception as error:  # noqa: BLE001
            errors[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return errors


class TestThreads:
    def test_of_many_takers_of_one_slot_one_gets_it(self, desk: Desk) -> None:
        desk.report("h1", vcpus=4, cpu_allocation_ratio=1.0)
        h1 = desk.uuid("h1")
        consumers = [str(uuid4()) for _ in range(8)]

        def take(number: int) -> None:
            desk.store.claims.write([Claim(consumers[number], {h1: {"VCPU": 4}})], _deadline())

        errors = _together(8, take)
        assert errors.count(None) == 1
        assert sum(isinstance(error, ClaimConflict) for error in errors) == 7
        assert desk.used("h1") == {"VCPU": 4}
        desk.release(*consumers)
        take(errors.index(next(e for e in errors if e)))

    def test_many_small_writers_on_one_provider_all_get_in(self, desk: Desk) -> None:
        desk.report("h1", vcpus=64, cpu_allocation_ratio=1.0)
        h1 = desk.uuid("h1")

        def take(number: int) -> None:
            desk.store.claims.write([Claim(str(uuid4()), {h1: {"VCPU": 2}})], _deadline())

        assert _together(32, take) == [None] * 32
        assert desk.used("h1") == {"VCPU": 64}
        with pytest.raises(ClaimConflict):
            take(0)

    def test_a_new_project_is_made_once_by_many(self, desk: Desk) -> None:
        desk.report("h1", vcpus=100)
        h1 = desk.uuid("h1")

        def take(number: int) -> None:
            claim = Claim(str(uuid4()), {h1: {"VCPU": 1}}, "project", "user", "NEW")
            desk.store.claims.write([claim], _deadline())

        assert _together(20, take) == [None] * 20
        with desk.store._database.reading() as session:  # type: ignore[union-attr]
            for table in ("projects", "users", "consumer_types"):
                count = f"SELECT count(*) FROM {table}"
                assert session.connection.exec_driver_sql(count).scalar() == 1

    def test_crossing_moves_do_not_block_each_other(self, desk: Desk) -> None:
        for host in ("a", "b", "c"):
            desk.report(host, vcpus=100)
        uuids = [desk.uuid(host) for host in ("a", "b", "c")]

        def move(number: int) -> None:
            order = Random(number).sample(uuids, 3)
            claim = Claim(str(uuid4()), {uuid: {"VCPU": 1} for uuid in order})
            desk.store.claims.write([claim], _deadline())

        assert _together(16, move) == [None] * 16
        assert desk.used("a") == desk.used("b") == desk.used("c") == {"VCPU": 16}

    def test_one_host_reported_by_many_at_once_is_one_host(self, desk: Desk) -> None:
        def report(number: int) -> None:
            stats = HostStats.parse({"vcpus": 4, "traits": ["CUSTOM_A", f"CUSTOM_{number}"]})
            desk.store.hosts.report(ResourceName("h1", "h1"), stats, _deadline())

        assert _together(8, report) == [None] * 8
        assert len(desk.providers()) == 1
        assert desk.discrepancies() == []

    def test_one_name_with_many_uuids_is_one_host(self, desk: Desk) -> None:
        def report(number: int) -> None:
            stats = HostStats.parse({"vcpus": 4, "uuid": str(uuid4())})
            desk.store.hosts.report(ResourceName("h1", "h1"), stats, _deadline())

        errors = _together(8, report)
        assert errors.count(None) == 1
        assert sum(isinstance(error, DuplicateHost) for error in errors) == 7

    def test_reports_and_claims_of_one_host_mix(self, desk: Desk) -> None:
        desk.report("h1", vcpus=100, memory_mb=1000)
        h1 = desk.uuid("h1")

        def mix(number: int) -> None:
            if number % 2:
                stats = HostStats.parse({"vcpus_used": number, "memory_mb": 1000 + number})
                desk.store.hosts.report(ResourceName("h1", "h1"), stats, _deadline())
            else:
                desk.store.claims.write([Claim(str(uuid4()), {h1: {"VCPU": 1}})], _deadline())

        assert _together(16, mix) == [None] * 16
        assert desk.used("h1") == {"VCPU": 8}
        assert desk.discrepancies() == []

    def test_a_reader_that_polls_meanwhile_misses_nothing(self, desk: Desk) -> None:
        for number in range(4):
            desk.report(f"h{number}", vcpus=1000)
        with desk.store.feed.load() as (cursor, providers):
            used = {provider.uuid: 0 for provider in providers}
        uuids, finished = list(used), threading.Event()

        def write(number: int) -> None:
            if number == 0:
                poll()
                return
            for index in range(10):
                claim = Claim(str(uuid4()), {uuids[(number + index) % 4]: {"VCPU": 1}})
                desk.store.claims.write([claim], _deadline())
            counted.release()

        counted = threading.Semaphore(0)

        def poll() -> None:
            nonlocal cursor
            while True:
                last = finished.is_set()
                batch = desk.store.feed.changes(cursor, _deadline())
                for change in batch.changes:
                    used[change.provider_uuid] = change.used  # type: ignore[union-attr]
                cursor = batch.cursor
                if last:
                    return
                SystemClock().sleep(0.001)

        def finish() -> None:
            for _ in range(6):
                counted.acquire(timeout=60)
            finished.set()

        waiter = threading.Thread(target=finish)
        waiter.start()
        assert _together(7, write) == [None] * 7
        waiter.join(60)
        assert used == {p.uuid: p.stocks["VCPU"].used for p in desk.providers().values()}
        assert sum(used.values()) == 60
