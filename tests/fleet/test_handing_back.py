"""What a view worked out is kept by its base, while it holds there."""

from __future__ import annotations

import numpy as np

from scheduler_lib.fleet import Fleet
from scheduler_lib.model.provider import ProviderChanged
from tests.fleet.builders import Forest

SHAPE = ("shape:VCPU",)


def forest(total: int) -> Forest:
    return Forest().add("a", {"VCPU": total}, traits=("T1",)).add("b", {"VCPU": 4})


def asked(fleet: Fleet, built: str) -> str:
    return fleet.answer("question", SHAPE, lambda: built)


def test_the_base_and_its_next_views_know_what_a_view_found_out() -> None:
    fleet = forest(8).fleet()
    view = fleet.view()
    asked(view, "view's")
    assert asked(fleet.view(), "own") == "own"
    view.hand_back()
    assert asked(fleet.view(), "own") == "view's"
    assert asked(fleet, "own") == "view's"


def test_what_holds_no_more_is_not_kept() -> None:
    fleet = forest(8).fleet()
    view = fleet.view()
    asked(view, "view's")
    fleet.apply(ProviderChanged(provider) for provider in forest(16).providers.values())
    view.hand_back()
    assert asked(fleet, "own") == "own"


def test_what_a_view_changed_for_itself_is_not_kept() -> None:
    fleet = forest(8).fleet()
    view = fleet.view()
    view.apply(ProviderChanged(provider) for provider in forest(16).providers.values())
    asked(view, "view's")
    view.hand_back()
    assert asked(fleet, "own") == "own"


def test_rows_with_the_same_traits_have_the_same_key() -> None:
    names = [f"T{number}" for number in range(70)]
    built = Forest().add("all", traits=names).add("none").add("first", traits=names[:1])
    fleet = built.add("again", traits=names).add("last", traits=names[-1:]).fleet()
    keys = fleet.state.traits.keys(np.arange(5, dtype=np.int32))
    assert keys[0] == keys[3]
    assert len(set(keys)) == 4


def test_without_any_trait_all_rows_have_the_same_key() -> None:
    fleet = Forest().add("a").add("b").fleet()
    assert fleet.state.traits.keys(np.arange(2, dtype=np.int32)) == [(), ()]
