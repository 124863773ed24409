"""Traits: which there are, and which a provider has."""

from __future__ import annotations

from uuid import uuid4

import os_traits
import pytest

from scheduler_lib.exceptions import (
    GenerationConflict,
    InvalidRequest,
    ProviderNotFound,
    TraitInUse,
    TraitNotFound,
)
from scheduler_lib.store.traits import Traits
from tests.store.conftest import Desk, OpenDesk

U, NOBODY = str(uuid4()), str(uuid4())
AVX, SSE = "HW_CPU_X86_AVX", "HW_CPU_X86_SSE"


def traits(desk: Desk) -> Traits:
    return desk.store.traits


@pytest.fixture
def desk(desk: Desk) -> Desk:
    desk.store.providers.create(U, "a", None, desk.deadline())
    return desk


def listed(desk: Desk, **filters: object) -> list[str]:
    return [r.name for r in traits(desk).list(desk.deadline(), **filters)]  # type: ignore[arg-type]


class TestCatalogue:
    def test_standard_ones_are_there_from_the_start(self, desk: Desk) -> None:
        assert listed(desk) == sorted(os_traits.get_traits())
        assert traits(desk).get(AVX, desk.deadline()).modified_at is None

    def test_one_is_made_once(self, desk: Desk) -> None:
        made, new = traits(desk).create("CUSTOM_A", desk.deadline())
        assert (made.name, new) == ("CUSTOM_A", True)
        assert made.modified_at == float(int(desk.clock.now()))
        desk.clock.advance(5)
        assert traits(desk).create("CUSTOM_A", desk.deadline()) == (made, False)
        assert traits(desk).get("CUSTOM_A", desk.deadline()) == made

    @pytest.mark.parametrize("name", [AVX, "OTHER", "CUSTOM_a", "", "CUSTOM_" + 249 * "A"])
    def test_only_names_of_ones_own_are_made(self, desk: Desk, name: str) -> None:
        with pytest.raises(InvalidRequest):
            traits(desk).create(name, desk.deadline())

    def test_one_that_is_removed_is_gone(self, desk: Desk) -> None:
        traits(desk).create("CUSTOM_A", desk.deadline())
        traits(desk).remove("CUSTOM_A", desk.deadline())
        assert listed(desk, names=["CUSTOM_A", AVX]) == [AVX]
        assert traits(desk).missing(["CUSTOM_A"], desk.deadline()) == {"CUSTOM_A"}
        for call in (traits(desk).get, traits(desk).remove):
            with pytest.raises(TraitNotFound) as caught:
                call("CUSTOM_A", desk.deadline())
            assert caught.value.fields == {"traits": ("CUSTOM_A",)}

    def test_one_that_was_removed_can_be_made_again(self, desk: Desk) -> None:
        traits(desk).create("CUSTOM_A", desk.deadline())
        traits(desk).remove("CUSTOM_A", desk.deadline())
        desk.clock.advance(5)
        made, new = traits(desk).create("CUSTOM_A", desk.deadline())
        assert (made.modified_at, new) == (float(int(desk.clock.now())), True)
        assert traits(desk).missing(["CUSTOM_A"], desk.deadline()) == frozenset()

    def test_standard_ones_stay(self, desk: Desk) -> None:
        for _ in range(2):
            with pytest.raises(InvalidRequest):
                traits(desk).remove(AVX, desk.deadline())
            traits(desk).replace(U, None, [AVX], desk.deadline())

    def test_one_that_a_provider_has_stays(self, desk: Desk) -> None:
        traits(desk).create("CUSTOM_A", desk.deadline())
        traits(desk).replace(U, 0, ["CUSTOM_A"], desk.deadline())
        with pytest.raises(TraitInUse):
            traits(desk).remove("CUSTOM_A", desk.deadline())
        traits(desk).replace(U, None, [], desk.deadline())
        traits(desk).remove("CUSTOM_A", desk.deadline())

    def test_every_filter_must_hold(self, desk: Desk) -> None:
        for name in ("CUSTOM_A", "CUSTOM_B", "CUSTOM_XA"):
            traits(desk).create(name, desk.deadline())
        traits(desk).replace(U, 0, ["CUSTOM_A", AVX], desk.deadline())
        assert listed(desk, prefix="CUSTOM_") == ["CUSTOM_A", "CUSTOM_B", "CUSTOM_XA"]
        assert listed(desk, names=["CUSTOM_B", SSE, "NOT"]) == ["CUSTOM_B", SSE]
        assert listed(desk, associated=True) == ["CUSTOM_A", AVX]
        assert listed(desk, associated=False, prefix="CUSTOM") == ["CUSTOM_B", "CUSTOM_XA"]
        assert AVX not in listed(desk, associated=False)
        assert SSE in listed(desk, associated=False)

    def test_those_that_are_missing_are_named(self, desk: Desk) -> None:
        traits(desk).create("CUSTOM_A", desk.deadline())
        asked = ["CUSTOM_A", "CUSTOM_B", "NOT", AVX]
        assert traits(desk).missing(asked, desk.deadline()) == {"CUSTOM_B", "NOT"}


class TestOfProviders:
    def test_a_provider_has_what_it_was_given_last(self, desk: Desk) -> None:
        first = traits(desk).replace(U, 0, [SSE, AVX], desk.deadline())
        assert (first.generation, first.names) == (1, (AVX, SSE))
        assert traits(desk).of(U, desk.deadline()) == first
        second = traits(desk).replace(U, 1, [SSE], desk.deadline())
        assert (second.generation, second.names) == (2, (SSE,))

    def test_only_a_change_counts(self, desk: Desk) -> None:
        traits(desk).replace(U, 0, [AVX], desk.deadline())
        before = desk.newest_change()
        assert traits(desk).replace(U, 1, [AVX], desk.deadline()).generation == 1
        assert desk.newest_change() == before

    def test_another_generation_is_refused(self, desk: Desk) -> None:
        with pytest.raises(GenerationConflict):
            traits(desk).replace(U, 1, [AVX], desk.deadline())
        assert traits(desk).replace(U, None, [AVX], desk.deadline()).generation == 1

    def test_all_that_do_not_exist_are_named(self, desk: Desk) -> None:
        with pytest.raises(TraitNotFound) as caught:
            traits(desk).replace(U, 0, ["CUSTOM_B", AVX, "CUSTOM_A"], desk.deadline())
        assert caught.value.fields == {"traits": ("CUSTOM_A", "CUSTOM_B")}
        assert traits(desk).of(U, desk.deadline()).names == ()

    def test_a_provider_must_be_there(self, desk: Desk) -> None:
        with pytest.raises(ProviderNotFound):
            traits(desk).of(NOBODY, desk.deadline())
        with pytest.raises(ProviderNotFound):
            traits(desk).replace(NOBODY, None, [], desk.deadline())

    def test_a_reports_traits_are_shown(self, desk: Desk) -> None:
        desk.report("h1", traits=["CUSTOM_A", AVX])
        assert traits(desk).of(desk.uuid("h1"), desk.deadline()).names == ("CUSTOM_A", AVX)


def test_another_process_sees_what_was_done(desk: Desk, open_desk: OpenDesk) -> None:
    other = open_desk(desk.url)
    for _ in range(2):
        with pytest.raises(TraitNotFound):
            traits(desk).replace(U, None, ["CUSTOM_A"], desk.deadline())
        traits(other).create("CUSTOM_A", other.deadline())
        traits(desk).replace(U, None, ["CUSTOM_A"], desk.deadline())
        assert traits(other).of(U, other.deadline()).names == ("CUSTOM_A",)
        traits(desk).replace(U, None, [], desk.deadline())
        traits(other).remove("CUSTOM_A", other.deadline())
