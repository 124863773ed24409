"""Ids of names: one for good, in every process, whatever becomes of the name."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from scheduler_lib.store.database import Database
from scheduler_lib.store.names import Ids, Names, RemovableIds
from scheduler_lib.store.session import Session
from tests.store.conftest import Desk, OpenDesk


@pytest.fixture
def names(desk: Desk) -> Names:
    """What another process has that knows nothing yet."""
    return Names()


def database(desk: Desk) -> Database:
    return desk.store.feed._database


def made(desk: Desk, ids: Ids, *wanted: str) -> dict[str, int]:
    return dict(
        database(desk).write(lambda session: ids.make(session, wanted), desk.deadline(), "making")
    )


def removed(desk: Desk, name: str) -> None:
    desk.store.traits.remove(name, desk.deadline())


def test_a_name_keeps_its_id_through_removal_and_making(desk: Desk, names: Names) -> None:
    first = made(desk, names.traits, "CUSTOM_A")
    removed(desk, "CUSTOM_A")
    with database(desk).snapshot() as session:
        assert Names().traits.get(session, ["CUSTOM_A"]) == first
    assert made(desk, Names().traits, "CUSTOM_A") == first


def test_making_brings_back_what_another_process_removed(desk: Desk, names: Names) -> None:
    made(desk, names.traits, "CUSTOM_A", "CUSTOM_B")
    removed(desk, "CUSTOM_A")
    made(desk, names.traits, "CUSTOM_A", "CUSTOM_B")
    assert desk.store.traits.missing(["CUSTOM_A", "CUSTOM_B"], desk.deadline()) == frozenset()


@pytest.mark.parametrize("noun", ["traits", "resource_classes"])
def test_a_name_that_is_made_again_has_the_time_of_that(desk: Desk, noun: str) -> None:
    of_noun = getattr(desk.store, noun)
    of_noun.create("CUSTOM_A", desk.deadline())

    def touch(session: Session) -> None:
        # As one has that was copied from another database.
        session.connection.execute(sa.text(f"UPDATE {noun} SET updated_at = '2001-02-03 04:05:06'"))

    database(desk).write(touch, desk.deadline(), "touching")
    assert of_noun.get("CUSTOM_A", desk.deadline()).modified_at == 981173106.0
    of_noun.remove("CUSTOM_A", desk.deadline())
    desk.clock.advance(60)
    made, new = of_noun.create("CUSTOM_A", desk.deadline())
    assert (made.modified_at, new) == (float(int(desk.clock.now())), True)


def test_an_id_is_told_even_of_a_name_that_is_gone(desk: Desk, names: Names) -> None:
    ids = made(desk, names.traits, "CUSTOM_A")
    removed(desk, "CUSTOM_A")
    with database(desk).snapshot() as session:
        assert Names().traits.names(session, ids.values()) == {ids["CUSTOM_A"]: "CUSTOM_A"}


def test_whether_a_name_exists_is_never_remembered(desk: Desk, names: Names) -> None:
    def missing() -> frozenset[str]:
        with database(desk).snapshot() as session:
            return names.traits.missing(session, ["CUSTOM_A", "HW_CPU_X86_AVX"])

    for _ in range(2):
        assert missing() == {"CUSTOM_A"}
        desk.store.traits.create("CUSTOM_A", desk.deadline())
        assert missing() == frozenset()
        removed(desk, "CUSTOM_A")


def test_holding_gives_standard_names_ids_and_own_ones_only_if_they_exist(
    desk: Desk, names: Names
) -> None:
    def hold(session: Session) -> set[str]:
        return set(names.traits.hold(session, ["HW_CPU_X86_AVX", "CUSTOM_A", "CUSTOM_B"]))

    desk.store.traits.create("CUSTOM_A", desk.deadline())
    desk.store.traits.create("CUSTOM_B", desk.deadline())
    removed(desk, "CUSTOM_B")
    held = database(desk).write(hold, desk.deadline(), "holding")
    assert held == {"HW_CPU_X86_AVX", "CUSTOM_A"}


def test_standard_names_that_are_known_are_looked_up_in_memory(
    tmp_path: Path, open_desk: OpenDesk
) -> None:
    desk = open_desk(f"sqlite:///{tmp_path / 'books.sqlite'}")
    names = Names()
    made(desk, names.resource_classes, "VCPU", "MEMORY_MB")
    seen: list[str] = []

    def make(session: Session) -> None:
        connection = session.connection.connection.driver_connection
        connection.set_trace_callback(seen.append)  # type: ignore[union-attr]
        names.resource_classes.make(session, ["VCPU", "MEMORY_MB"])
        connection.set_trace_callback(None)  # type: ignore[union-attr]

    database(desk).write(make, desk.deadline(), "making")
    assert seen == []


@pytest.mark.parametrize("noun", ["traits", "resource_classes"])
def test_only_traits_and_classes_can_be_removed(noun: str) -> None:
    assert isinstance(getattr(Names(), noun), RemovableIds)
    assert not isinstance(Names().aggregates, RemovableIds)


def test_the_moment_of_a_removal_is_kept(desk: Desk) -> None:
    made(desk, Names().traits, "CUSTOM_A")
    removed(desk, "CUSTOM_A")
    with database(desk).snapshot() as session:
        query = sa.text("SELECT removed_at FROM traits WHERE name = 'CUSTOM_A'")
        [row] = session.connection.execute(query).all()
    assert row[0] is not None
