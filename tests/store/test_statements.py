"""How many statements each call costs: what makes the difference on a server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.mysql import pymysql
from sqlalchemy.dialects.postgresql import psycopg

from scheduler_lib.store.prepared import KeyedStatement, Prepared, chunks
from scheduler_lib.store.schema import INVENTORIES
from tests.store.conftest import Desk

_ENDS = (
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "PRAGMA",
    "SET ",
    "SELECT 1",
    "START",
    "SELECT pg_logical_emit",
)


class Counter:
    """Counts what a store's connections run; rows of one statement count as one."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def kinds(self) -> list[str]:
        """Return the statements, without those that begin and end transactions."""
        kinds: list[str] = []
        for text in self.texts:
            kind = " ".join(text.split()[:4])
            if not text.startswith(_ENDS) and kinds[-1:] != [kind]:
                kinds.append(kind)
        return kinds


@pytest.fixture
def counter(desk: Desk) -> Iterator[Counter]:
    counter = Counter()
    engine = desk.store._database._engine  # type: ignore[union-attr]

    def trace(connection: object, record: object) -> None:
        connection.set_trace_callback(counter.texts.append)  # type: ignore[attr-defined]

    def note(conn: object, cursor: object, text: str, *rest: object) -> None:
        counter.texts.append(text)

    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", trace)
        writer = desk.store._database._transactions._session  # type: ignore[union-attr]
        trace(writer.connection.connection.driver_connection, None)
    else:
        sa.event.listen(engine, "before_cursor_execute", note)
    yield counter
    if engine.dialect.name != "sqlite":
        sa.event.remove(engine, "before_cursor_execute", note)


def test_an_unchanged_report_costs_three_queries(desk: Desk, counter: Counter) -> None:
    desk.report("h1", vcpus=4, memory_mb=10)
    counter.texts.clear()
    desk.report("h1", vcpus=4, memory_mb=10)
    assert len(counter.kinds()) == 3
    assert all(kind.startswith("SELECT") for kind in counter.kinds())


def test_a_changed_report_costs_two_more(desk: Desk, counter: Counter) -> None:
    desk.report("h1", vcpus=4, memory_mb=10)
    counter.texts.clear()
    desk.report("h1", vcpus_used=1)
    assert len(counter.kinds()) <= 6


def test_a_claim_of_a_new_consumer_costs_eight_statements(desk: Desk, counter: Counter) -> None:
    desk.report("h1", vcpus=40, memory_mb=10, local_gb=10)
    uuid = desk.uuid("h1")
    desk.claim("h1", VCPU=1, MEMORY_MB=1, DISK_GB=1)
    counter.texts.clear()
    from uuid import uuid4

    from scheduler_lib.model.allocation import Claim

    desk.write(Claim(str(uuid4()), {uuid: {"VCPU": 1, "MEMORY_MB": 1, "DISK_GB": 1}}))
    assert len(counter.kinds()) <= 8


def test_a_poll_costs_one_query(desk: Desk, counter: Counter) -> None:
    desk.report("h1", vcpus=4)
    with desk.store.feed.load() as (cursor, _):
        pass
    counter.texts.clear()
    desk.store.feed.changes(cursor, desk.deadline())
    assert len(counter.texts) == 1


@pytest.mark.parametrize("hosts", [1, 40])
def test_a_list_costs_the_same_for_any_number_of_hosts(
    desk: Desk, counter: Counter, hosts: int
) -> None:
    for number in range(hosts):
        desk.report(f"h{number}", vcpus=1, traits=["CUSTOM_A"])
    desk.store.hosts.list(desk.deadline())
    counter.texts.clear()
    desk.store.hosts.list(desk.deadline())
    assert len(counter.kinds()) == 5


class TestKeyedStatements:
    STATEMENT = KeyedStatement(
        lambda keys: (
            sa.update(INVENTORIES)
            .where(INVENTORIES.c.id.in_(keys), INVENTORIES.c.used > sa.bindparam("least"))
            .values(total=sa.bindparam("total"), step_size=7)
        )
    )

    @pytest.mark.parametrize("dialect", [sqlite.dialect(), pymysql.dialect(), psycopg.dialect()])
    def test_the_widened_text_is_what_a_compiler_would_write(
        self, dialect: sa.engine.Dialect
    ) -> None:
        one = Prepared.compile(self.STATEMENT, dialect)
        three = one.widened(3)
        compiled = (
            sa.update(INVENTORIES)
            .where(
                INVENTORIES.c.id.in_([sa.bindparam(f"key_{i}") for i in range(3)]),
                INVENTORIES.c.used > sa.bindparam("least"),
            )
            .values(total=sa.bindparam("total"), step_size=7)
            .compile(dialect=dialect)
        )
        assert three.sql == str(compiled)
        given = {"total": 1, "least": 2, "key_0": 10, "key_1": 11, "key_2": 12}
        parameters = three.parameters(given)
        if isinstance(parameters, tuple):
            order = compiled.positiontup  # type: ignore[attr-defined]
            assert parameters == tuple({**given, "step_size": 7}[name] for name in order)
        else:
            assert parameters == {**given, "step_size": 7}

    @pytest.mark.parametrize("count", [1, 2, 4, 5, 999, 1000, 1001, 2500])
    def test_keys_are_split_and_filled_up_with_the_last(self, count: int) -> None:
        parts = chunks(list(range(count)))
        assert {key for part in parts for key in part.values()} == set(range(count))
        assert {len(part) for part in parts} <= {1, 4, 16, 64, 128, 256, 1000}

    def test_no_keys_give_no_statement(self) -> None:
        assert chunks([]) == []
