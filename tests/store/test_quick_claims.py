"""Claims in one round trip: they write what the long way writes, or leave it to the long way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

from scheduler_lib.exceptions import (
    BackendUnavailable,
    ClaimConflict,
    GenerationConflict,
    ProviderNotFound,
)
from scheduler_lib.model.allocation import ANY_GENERATION, Claim, Usage
from scheduler_lib.store.session import Session
from tests.databases import Databases
from tests.store.conftest import Desk, OpenDesk

A, B = (str(uuid4()) for _ in range(2))


@pytest.fixture(params=["postgresql", "mariadb"])
def quick_desk(
    request: pytest.FixtureRequest, databases: Databases, tmp_path: Path, open_desk: OpenDesk
) -> Desk:
    """A store on a server, which knows project, user and classes already."""
    desk = open_desk(databases.url(request.param, tmp_path))
    inventories = {
        "VCPU": {"total": 8},
        "CUSTOM_X": {"total": 100, "min_unit": 2, "max_unit": 12, "step_size": 2},
    }
    for host in ("h1", "h2"):
        desk.report(host, inventories=inventories)
    desk.release(desk.claim("h1", VCPU=1, CUSTOM_X=2))
    return desk


class Trips:
    """What went over the wire: statements, and texts as a whole."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.scripts: list[str] = []


@pytest.fixture
def trips(quick_desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trips]:
    found = Trips()
    engine = quick_desk.store._database._engine  # type: ignore[union-attr]
    script = Session.script

    def note(conn: object, cursor: object, text: str, *rest: object) -> None:
        found.statements.append(text)

    def noted(self: Session, sql: str, parameters: dict[str, object]) -> object:
        found.scripts.append(sql)
        return script(self, sql, parameters)

    sa.event.listen(engine, "before_cursor_execute", note)
    monkeypatch.setattr(Session, "script", noted)
    yield found
    sa.event.remove(engine, "before_cursor_execute", note)


def test_a_new_consumer_of_a_known_project_costs_one_round_trip(
    quick_desk: Desk, trips: Trips
) -> None:
    h1 = quick_desk.uuid("h1")
    trips.statements.clear()
    receipt = quick_desk.write(Claim(A, {h1: {"VCPU": 1, "CUSTOM_X": 2}}))
    assert trips.statements == []
    # On one of the servers the second waits for the disk, when everything is free again.
    assert len(trips.scripts) <= 2
    assert set(receipt.usages) == {Usage(h1, "VCPU", 1), Usage(h1, "CUSTOM_X", 2)}
    assert receipt.change_ids == (quick_desk.newest_change(),)


def _state(desk: Desk, *consumers: str) -> list[object]:
    claims = [desk.store.claims.consumer(uuid, desk.deadline()) for uuid in consumers]
    told = [(c.shares, c.project_id, c.user_id, c.consumer_type, c.generation) for c in claims]
    return [desk.used("h1"), desk.used("h2"), told]


def test_it_writes_what_the_long_way_writes(quick_desk: Desk, trips: Trips) -> None:
    h1, h2 = quick_desk.uuid("h1"), quick_desk.uuid("h2")
    quick_desk.write(Claim(str(uuid4()), {h1: {"VCPU": 1}}, "p", "u", "MIGRATION"))
    told = []
    for generation in (None, ANY_GENERATION):
        trips.scripts.clear()
        before = quick_desk.generation("h1"), quick_desk.generation("h2")
        receipt = quick_desk.write(
            Claim(A, {h1: {"VCPU": 1, "CUSTOM_X": 4}, h2: {"VCPU": 2}}, "p", "u", "MIGRATION",
                  generation),
            Claim(B, {h1: {"CUSTOM_X": 2}}, consumer_type=None, consumer_generation=generation),
        )  # fmt: skip
        assert bool(trips.scripts) == (generation is None)
        after = quick_desk.generation("h1"), quick_desk.generation("h2")
        assert (after[0] - before[0], after[1] - before[1]) == (1, 1)
        state = _state(quick_desk, A, B)
        generations = [
            [(uuid, share.resources) for uuid, share in sorted(consumer[0].items())]
            for consumer in state[2]  # type: ignore[attr-defined]
        ]
        told.append(
            (state[:2], generations, set(receipt.usages), len(receipt.change_ids),
             [consumer[1:] for consumer in state[2]])  # type: ignore[attr-defined]
        )  # fmt: skip
        assert quick_desk.discrepancies() == []
        quick_desk.release(A, B)
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("amounts", "why"),
    [
        ({"VCPU": 9}, "capacity"),
        ({"VCPU": 1, "CUSTOM_X": 1}, "units"),
        ({"VCPU": 1, "CUSTOM_X": 14}, "units"),
        ({"VCPU": 1, "CUSTOM_X": 3}, "units"),
        ({"VCPU": 1, "DISK_GB": 1}, "inventory"),
    ],
)
def test_what_does_not_fit_is_told_as_ever(
    quick_desk: Desk, amounts: dict[str, int], why: str
) -> None:
    before = quick_desk.generation("h1")
    with pytest.raises(ClaimConflict) as caught:
        quick_desk.claim("h1", **amounts)
    assert caught.value.fields["why"] == why
    assert (quick_desk.used("h1"), quick_desk.generation("h1")) == ({}, before)
    assert quick_desk.discrepancies() == []


def test_each_of_several_amounts_must_be_a_multiple_of_the_step(quick_desk: Desk) -> None:
    h1 = quick_desk.uuid("h1")
    with pytest.raises(ClaimConflict):
        quick_desk.write(Claim(A, {h1: {"CUSTOM_X": 3}}), Claim(B, {h1: {"CUSTOM_X": 5}}))
    quick_desk.write(Claim(A, {h1: {"CUSTOM_X": 4}}), Claim(B, {h1: {"CUSTOM_X": 6}}))
    assert quick_desk.used("h1") == {"CUSTOM_X": 10}


def test_several_are_written_all_or_none(quick_desk: Desk) -> None:
    h1 = quick_desk.uuid("h1")
    quick_desk.claim("h1", B, VCPU=1)
    with pytest.raises(GenerationConflict):
        quick_desk.write(Claim(A, {h1: {"VCPU": 1}}), Claim(B, {h1: {"VCPU": 1}}))
    with pytest.raises(ProviderNotFound):
        quick_desk.write(Claim(A, {h1: {"VCPU": 1}, str(uuid4()): {"VCPU": 1}}))
    assert quick_desk.used("h1") == {"VCPU": 1}
    assert quick_desk.discrepancies() == []


class Loss:
    """Loses the connection with a text, before or after the server has done it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, done: bool) -> None:
        self.left, script = 1, Session.script

        def lossy(session: Session, sql: str, parameters: dict[str, object]) -> object:
            if not self.left:
                return script(session, sql, parameters)
            self.left -= 1
            if done:
                script(session, sql, parameters)
            raise sa.exc.DBAPIError(sql, None, Exception("gone"), connection_invalidated=True)

        monkeypatch.setattr(Session, "script", lossy)


def test_a_claim_that_was_lost_on_the_way_is_written(
    quick_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    Loss(monkeypatch, done=False)
    quick_desk.claim("h1", A, VCPU=1)
    assert quick_desk.used("h1") == {"VCPU": 1}


def test_a_claim_whose_answer_was_lost_is_never_written_twice(
    quick_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    Loss(monkeypatch, done=True)
    with pytest.raises(BackendUnavailable):
        quick_desk.claim("h1", A, VCPU=1)
    assert quick_desk.used("h1") == {"VCPU": 1}
    assert quick_desk.held(A).consumer_generation == 1
    assert quick_desk.discrepancies() == []
