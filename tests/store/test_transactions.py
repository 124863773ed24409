"""Transactions: run again when others are in the way, and committed together on SQLite."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa
from oslo_db.exception import DBDeadlock

from scheduler_lib.exceptions import BackendUnavailable, ClaimConflict, DeadlineExceeded
from scheduler_lib.model.allocation import Claim
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.store.schema import CHANGES
from scheduler_lib.store.session import Session
from scheduler_lib.store.transaction import LONGEST_PAUSE_S, pause_s
from tests.databases import Databases
from tests.store.conftest import Desk, OpenDesk

CONSUMER = "11111111-1111-1111-1111-111111111111"


@pytest.fixture(params=["postgresql", "mariadb"])
def server_desk(
    request: pytest.FixtureRequest, databases: Databases, tmp_path: Path, open_desk: OpenDesk
) -> Desk:
    desk = open_desk(databases.url(request.param, tmp_path), max_retries=4)
    desk.report("h1", vcpus=4, cpu_allocation_ratio=1.0)
    return desk


class Deadlocks:
    """Lets a number of commits fail as deadlocks do."""

    def __init__(self, engine: sa.Engine, count: int) -> None:
        self.left = count
        self.seen = 0
        self._writing: set[object] = set()
        sa.event.listen(engine, "before_cursor_execute", self)
        self._remove = lambda: sa.event.remove(engine, "before_cursor_execute", self)

    def __call__(self, connection: object, cursor: object, text: str, *rest: object) -> None:
        if text == "BEGIN":
            self._writing.add(connection)
        if not text.endswith("COMMIT") or connection not in self._writing:
            return
        self._writing.remove(connection)
        self.seen += 1
        if self.left:
            self.left -= 1
            raise DBDeadlock("injected")

    def remove(self) -> None:
        self._remove()


@pytest.fixture
def deadlocks(server_desk: Desk, request: pytest.FixtureRequest) -> Iterator[Deadlocks]:
    found = Deadlocks(server_desk.store._database._engine, 0)  # type: ignore[union-attr]
    yield found
    found.remove()


class TestRepetition:
    def test_the_whole_transaction_is_run_again(
        self, server_desk: Desk, deadlocks: Deadlocks
    ) -> None:
        deadlocks.left, deadlocks.seen = 2, 0
        server_desk.claim("h1", CONSUMER, VCPU=1)
        assert deadlocks.seen == 3
        assert server_desk.used("h1") == {"VCPU": 1}
        assert server_desk.discrepancies() == []

    def test_repetition_ends(self, server_desk: Desk, deadlocks: Deadlocks) -> None:
        deadlocks.left, deadlocks.seen = 1000, 0
        with pytest.raises(BackendUnavailable):
            server_desk.claim("h1", CONSUMER, VCPU=1)
        assert deadlocks.seen == 5
        deadlocks.left = 0
        assert server_desk.used("h1") == {}
        assert server_desk.discrepancies() == []

    def test_repetition_ends_at_the_deadline(self, server_desk: Desk, deadlocks: Deadlocks) -> None:
        uuid = server_desk.uuid("h1")
        deadlocks.left = 1000
        with pytest.raises(DeadlineExceeded):
            server_desk.store.claims.write(
                [Claim(CONSUMER, {uuid: {"VCPU": 1}})], server_desk.deadline(0.001)
            )
        deadlocks.left = 0

    def test_names_of_a_transaction_that_failed_are_not_remembered(
        self, server_desk: Desk, deadlocks: Deadlocks
    ) -> None:
        uuid = server_desk.uuid("h1")
        deadlocks.left = 1000
        claim = Claim(CONSUMER, {uuid: {"VCPU": 1}}, "new project", "new user", "NEW")
        with pytest.raises(BackendUnavailable):
            server_desk.write(claim)
        deadlocks.left = 0
        server_desk.write(claim)
        assert server_desk.held(CONSUMER).project_id == "new project"

    def test_a_real_deadlock_is_resolved(self, server_desk: Desk) -> None:
        server_desk.report("h2", vcpus=4)
        ids = [_provider_id(server_desk, name) for name in ("h1", "h2")]
        met, runs = threading.Barrier(2, timeout=20), [0, 0]

        def work(number: int) -> None:
            def cross(session: Session) -> None:
                runs[number] += 1
                order = ids if number == 0 else ids[::-1]
                _touch(session, order[0])
                if runs[number] == 1:
                    met.wait()
                _touch(session, order[1])

            database = server_desk.store._database
            deadline = Deadline.after(30, SystemClock())
            database.write(cross, deadline, "test")  # type: ignore[union-attr]

        before = server_desk.generation("h1")
        threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert min(runs) == 1
        assert max(runs) >= 2
        assert server_desk.generation("h1") == before + 2


def _provider_id(desk: Desk, name: str) -> int:
    with desk.store._database.reading() as session:  # type: ignore[union-attr]
        sql = sa.text("SELECT id FROM resource_providers WHERE name = :name")
        return session.connection.execute(sql, {"name": name}).scalar_one()


def _touch(session: Session, provider_id: int) -> None:
    sql = "UPDATE resource_providers SET generation = generation + 1 WHERE id = :id"
    session.connection.execute(sa.text(sql), {"id": provider_id})


def test_pauses_grow_and_differ() -> None:
    random = Random(1)
    pauses = [pause_s(attempt, random) for attempt in range(1, 20)]
    assert len(set(pauses)) == len(pauses)
    assert pauses[0] < 0.005
    assert all(pause <= LONGEST_PAUSE_S for pause in pauses)


class TestGroupCommit:
    """Callers that come while a commit is under way are written together by the next one."""

    def test_work_that_comes_together_is_committed_together(self, sqlite_desk: Desk) -> None:
        commands = _commands(sqlite_desk)
        results = _write_behind_a_slow_one(sqlite_desk, [lambda _: "a", lambda _: "b"])
        assert sorted(results) == ["a", "b"]
        assert commands.count("COMMIT") == 2
        assert commands.count("SAVEPOINT job") == 2

    def test_work_that_fails_is_undone_alone(self, sqlite_desk: Desk) -> None:
        sqlite_desk.report("h1", vcpus=2, cpu_allocation_ratio=1.0)
        uuid = sqlite_desk.uuid("h1")

        def claim(consumer: str, vcpus: int) -> object:
            claims = [Claim(consumer, {uuid: {"VCPU": vcpus}})]
            write = sqlite_desk.store.claims._write
            return lambda session: write(session, {c.consumer_uuid: c for c in claims})

        results = _write_behind_a_slow_one(
            sqlite_desk,
            [claim(CONSUMER, 1), claim(CONSUMER[:-1] + "2", 9), claim(CONSUMER[:-1] + "3", 1)],
        )
        assert sum(isinstance(result, ClaimConflict) for result in results) == 1
        assert sqlite_desk.used("h1") == {"VCPU": 2}
        assert sqlite_desk.discrepancies() == []

    def test_work_that_the_database_refuses_is_undone_alone(self, sqlite_desk: Desk) -> None:
        def refused(session: Session) -> None:
            row = {"provider_uuid": "x", "kind": 1, "created_at": 1.0, "id": 1}
            session.core(sa.insert(CHANGES), [row])

        results = _write_behind_a_slow_one(sqlite_desk, [lambda _: "a", refused])
        assert "a" in results
        assert any(isinstance(result, BackendUnavailable) for result in results)

    def test_work_whose_time_is_over_is_left_out_alone(self, sqlite_desk: Desk) -> None:
        results = _write_behind_a_slow_one(
            sqlite_desk,
            [lambda _: "a", lambda _: "late"],
            lambda: sqlite_desk.clock.advance(5),
            timeouts=[60.0, 1.0],
        )
        assert "a" in results
        assert any(isinstance(result, DeadlineExceeded) for result in results)

    def test_a_store_goes_on_in_a_child_process(self, sqlite_desk: Desk) -> None:
        import os

        sqlite_desk.report("h1", vcpus=4)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                sqlite_desk.claim("h1", CONSUMER, VCPU=1)
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert sqlite_desk.used("h1") == {"VCPU": 1}
        sqlite_desk.claim("h1", VCPU=1)
        assert sqlite_desk.discrepancies() == []


def _commands(desk: Desk) -> list[str]:
    """Return a list that fills with what the writer's connection runs."""
    desk.report("warm", vcpus=1)
    commands: list[str] = []
    writer = desk.store._database._transactions._session  # type: ignore[union-attr]
    writer.connection.connection.driver_connection.set_trace_callback(commands.append)
    return commands


def _write_behind_a_slow_one(
    desk: Desk, works: list[object], then: object = None, timeouts: list[float] | None = None
) -> list[object]:
    """Queue works while another is being written; return their results or errors."""
    database = desk.store._database
    begun, go_on = threading.Event(), threading.Event()
    results: list[object] = []

    def slow(_: Session) -> None:
        begun.set()
        go_on.wait(20)

    def run(work: object, timeout: float) -> None:
        try:
            results.append(database.write(work, desk.deadline(timeout), "test"))  # type: ignore
        except Exception as error:  # noqa: BLE001
            results.append(error)

    leader = threading.Thread(
        target=database.write,
        args=(slow, desk.deadline(), "test"),  # type: ignore[union-attr]
    )
    leader.start()
    begun.wait(20)
    times = timeouts or [60.0] * len(works)
    threads = [threading.Thread(target=run, args=pair) for pair in zip(works, times, strict=True)]
    for thread in threads:
        thread.start()
    queue = database._transactions._queue  # type: ignore[union-attr]
    while len(queue) < len(works):
        SystemClock().sleep(0.001)
    if callable(then):
        then()
    go_on.set()
    for thread in (leader, *threads):
        thread.join(20)
    return results
