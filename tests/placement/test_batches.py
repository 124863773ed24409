"""Batches: the candidates of trees that are alike, together, are those that come one by one."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from scheduler_lib.fleet import Fleet
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import Stock
from scheduler_lib.placement import Candidate, Search, forest, walk
from scheduler_lib.placement.batches import Batch, by_turn
from tests.fleet.builders import Forest
from tests.placement.asking import group
from tests.placement.drawing import copied
from tests.placement.test_all_trees import WAYS, drawn


def one_by_one(batches: Iterator[Batch]) -> list[Candidate]:
    """Return the candidates in the order that batches mean."""
    found = []
    for turn in by_turn(batches):
        parts = []
        for batch in turn:
            assert batch.places.tolist() == sorted(set(batch.places.tolist()))
            for place, rows in zip(batch.places.tolist(), batch.rows.tolist(), strict=True):
                parts.append((place, [pattern.candidate(rows) for pattern in batch.patterns]))
        parts.sort(key=lambda part: part[0])
        found += [candidate for _, candidates in parts for candidate in candidates]
    return found


@pytest.mark.parametrize("seed", range(16))
def test_batches_are_the_candidates_in_their_order(seed: int) -> None:
    fleet, requests = drawn(seed)
    for request in requests:
        search = Search(fleet, **request)
        for way in WAYS:
            wanted = list(search.candidates(**way))
            assert one_by_one(search.batches(**way)) == wanted
            for limit in {0, 1, 3, len(wanted) - 1, len(wanted), len(wanted) + 1} - {-1}:
                asked: dict[str, Any] = {"limit": limit, **way}
                assert one_by_one(search.batches(**asked)) == list(search.candidates(**asked))
        plain = list(search.candidates(nested=False))
        assert one_by_one(search.batches(nested=False)) == plain


@pytest.mark.parametrize("seed", range(30, 46))
def test_each_tree_tries_its_providers_in_the_order_it_would_alone(seed: int) -> None:
    fleet, requests = drawn(seed)
    for request in requests:
        search = Search(fleet, **request)
        if forest.sharing(fleet).rows:
            # What several trees can give is given once.
            continue
        by_root: dict[int, list[object]] = {}
        for candidate in search.candidates(strategy="depth-first"):
            by_root.setdefault(candidate.root_row, []).append(candidate)
        for root, found in by_root.items():
            assert found == list(search.on_root(root))


@pytest.mark.parametrize("seed", range(20, 26))
def test_in_a_random_order_they_are_the_same_for_the_same_source(seed: int) -> None:
    fleet, requests = drawn(seed)
    for request in requests:
        search = Search(fleet, **request)
        for limit in (None, 4):
            wanted = list(search.candidates(limit, source=Random(seed)))
            assert one_by_one(search.batches(limit, source=Random(seed))) == wanted


def many_trees() -> Fleet:
    """Return 300 trees of two kinds, each of which can serve in four ways."""
    forest = Forest()
    for name, used in (("a", 0), ("b", 5)):
        forest.add(name, {"DISK_GB": 10})
        for side in "lr":
            stock = Stock(Inventory(8), used if side == "l" else 0)
            forest.add(f"{name}{side}", {"VCPU": stock, "MEMORY_MB": 8}, under=name)
    return copied(forest, 149).fleet()


MANY = {"": group(VCPU=1, DISK_GB=1), "_1": group(VCPU=1, MEMORY_MB=1)}


def test_trees_beyond_the_first_ones_come_in_order_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "_MOST_TREES", 64)
    search = Search(many_trees(), MANY)
    for way in WAYS:
        wanted = list(search.candidates(**way))
        assert len(wanted) == 1200
        assert one_by_one(search.batches(**way)) == wanted
        for limit in (20, 299, 300, 301, 700):
            assert one_by_one(search.batches(limit, **way)) == list(search.candidates(limit, **way))


def test_trees_that_are_alike_come_together() -> None:
    search = Search(many_trees(), MANY)
    for way in WAYS:
        turns = [list(turn) for turn in by_turn(search.batches(**way))]
        assert sum(len(turn) for turn in turns) <= 8
