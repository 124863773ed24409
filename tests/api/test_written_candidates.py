"""Candidates and summaries as text: whatever is kept or written at once, it says what there is."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_lib.api import summaries
from scheduler_lib.api.candidate_text import CandidateText
from scheduler_lib.api.kept_texts import KeptTexts
from scheduler_lib.api.summaries import Summaries
from scheduler_lib.fleet import Fleet
from scheduler_lib.model.provider import Provider, UsageChanged
from scheduler_lib.placement import Candidate, Search
from scheduler_lib.placement.batches import by_turn
from tests.fleet.builders import Forest, uid
from tests.fleet.test_random_changes import Model
from tests.fleet.test_revisions import Mover
from tests.placement.asking import group
from tests.placement.test_all_trees import drawn


def shown(fleet: Fleet, givers: list[str], minor: int = 39) -> Any:
    """Return the summaries as clients read them."""
    mask = np.zeros(len(fleet.state.rows), dtype=np.bool_)
    mask[[fleet.row(uuid) for uuid in givers]] = True
    text = b"".join(Summaries(fleet, minor, ("VCPU",)).shown(mask))
    pairs: list[tuple[str, Any]] = json.loads(b"{" + text[:-1] + b"}", object_pairs_hook=list)
    assert len(dict(pairs)) == len(pairs)
    return json.loads(b"{" + text[:-1] + b"}")


def summary(item: Provider) -> Any:
    return {
        "resources": {
            name: {"capacity": stock.inventory.capacity, "used": stock.used}
            for name, stock in item.stocks.items()
        },
        "traits": sorted(item.traits, key=lambda name: (name.startswith("CUSTOM_"), name)),
        "parent_provider_uuid": item.parent_uuid,
        "root_provider_uuid": item.root_uuid,
    }


def check(fleet: Fleet, model: Model, random: Random) -> None:
    every = list(model.providers.values())
    givers = random.sample(every, random.randint(0, len(every)))
    roots = {item.root_uuid for item in givers}
    wanted = {item.uuid: summary(item) for item in every if item.root_uuid in roots}
    assert shown(fleet, [item.uuid for item in givers]) == wanted


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_summaries_are_of_the_moment_whatever_happened_and_whoever_asks(seed: int) -> None:
    driver = Mover(seed)
    random = driver.random
    views: list[tuple[Fleet, Model]] = []
    for _ in range(50):
        driver.step()
        if random.random() < 0.3:
            base, model = random.choice([(driver.fleet, driver.model), *views])
            views.append((base.view(), model.copy()))
        if views and random.random() < 0.4:
            driver.consume(*random.choice(views))
        if random.random() < 0.7:
            check(*random.choice([(driver.fleet, driver.model), *views]), random)
        if views and random.random() < 0.4:
            random.choice(views)[0].hand_back()
        if len(views) > 3:
            views.pop(random.randrange(len(views)))
    for fleet, model in [(driver.fleet, driver.model), *views]:
        check(fleet, model, random)


def test_what_a_view_wrote_is_not_written_again_for_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[int] = []
    write = Summaries.texts

    def count(self: Summaries, rows: Any) -> list[str]:
        written.append(len(rows))
        return write(self, rows)

    monkeypatch.setattr(Summaries, "texts", count)
    fleet = trees(40).fleet()
    uuids = [uid(f"h{number}") for number in range(40)]
    for used, wanted in ((0, [80]), (0, []), (1, [2])):
        fleet.apply([UsageChanged(uuids[3], "VCPU", used)])
        view = fleet.view()
        shown(view, uuids)
        view.hand_back()
        assert written == wanted
        written.clear()


def trees(count: int) -> Forest:
    forest = Forest()
    for number in range(count):
        forest.add(f"h{number}", {"VCPU": 100})
        forest.add(f"c{number}", {"VCPU": 100}, under=f"h{number}")
    return forest


def test_threads_that_write_at_once_see_each_their_own_moment() -> None:
    fleet = trees(30).fleet()
    uuids = [uid(f"{kind}{number}") for kind in "hc" for number in range(30)]
    used = dict.fromkeys(uuids, 0)
    lock = threading.Lock()
    wrong: list[object] = []

    def ask(seed: int) -> None:
        random = Random(seed)
        for _ in range(60):
            with lock:
                for uuid in random.sample(uuids, 2):
                    used[uuid] = random.randint(0, 99)
                    fleet.apply([UsageChanged(uuid, "VCPU", used[uuid])])
                view, wanted = fleet.view(), dict(used)
            asked = random.sample(uuids[:30], random.choice([5, 30]))
            found = shown(view, asked)
            if any(
                item["resources"]["VCPU"]["used"] != wanted[uuid] for uuid, item in found.items()
            ) or len(found) != 2 * len(asked):
                wrong.append(found)
            with lock:
                view.hand_back()

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("minor", [10, 17, 27])
def test_below_129_givers_alone_are_shown(minor: int) -> None:
    fleet = trees(3).fleet()
    assert set(shown(fleet, [uid("c1"), uid("h2")], minor)) == {uid("c1"), uid("h2")}


def texts(*sizes: int) -> Any:
    found = np.empty(len(sizes), dtype=np.object_)
    found[:] = [b"x" * size for size in sizes]
    return found


def asked(kept: KeptTexts, *roots: int, revision: int = 1) -> list[bool]:
    numbers = np.full(len(roots), revision, dtype=np.int64)
    known: list[bool] = kept.of(np.array(roots, dtype=np.int32), numbers)[1].tolist()
    return known


def keep(kept: KeptTexts, roots: list[int], *sizes: int, revision: int = 1) -> None:
    numbers = np.full(len(roots), revision, dtype=np.int64)
    kept.keep(np.array(roots, dtype=np.int32), numbers, texts(*sizes))


def test_a_text_is_known_for_its_revision_alone() -> None:
    kept = KeptTexts(10_000)
    keep(kept, [3, 500], 10, 20)
    assert asked(kept, 3, 4, 500, 9000) == [True, False, True, False]
    assert asked(kept, 3, 500, revision=2) == [False, False]
    keep(kept, [3], 11, revision=2)
    assert asked(kept, 3) == [False]
    assert asked(kept, 3, revision=2) == [True]


def test_no_more_is_kept_than_there_is_room_for() -> None:
    kept = KeptTexts(1000)
    keep(kept, [1, 2, 3], 200, 200, 200)
    keep(kept, [1, 2, 3], 200, 200, 200, revision=2)
    assert asked(kept, 1, 2, 3, revision=2) == [True] * 3
    keep(kept, [4], 300)
    assert asked(kept, 1, 2, 3, revision=2) == [False] * 3
    assert asked(kept, 4) == [True]
    keep(kept, [5, 6, 7], 300, 400, 500)
    assert asked(kept, 5, 6, 7) == [True, True, False]
    assert kept.size_bytes <= 1000
    keep(kept, [8], 2000)
    assert asked(kept, 8) == [False]
    assert kept.size_bytes <= 1000


def test_more_than_is_kept_is_shown_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summaries, "_MOST_KEPT_BYTES", 2000)
    fleet = trees(20).fleet()
    uuids = [uid(f"h{number}") for number in range(20)]
    for _ in range(3):
        assert len(shown(fleet, uuids)) == 40
        assert len(shown(fleet, uuids[5:9])) == 8


def written(fleet: Fleet, search: Search, minor: int, **way: Any) -> Any:
    text = CandidateText(minor, fleet.state.rows.uuid_bytes)
    parts = [part for turn in by_turn(search.batches(**way)) for part in text.of_turn(turn)]
    return json.loads(b"[" + b"".join(parts)[:-1] + b"]")


def data(fleet: Fleet, candidate: Candidate) -> Any:
    allocations: dict[str, Any] = {}
    for row, name, units in candidate.amounts:
        allocations.setdefault(fleet.uuid(row), {"resources": {}})["resources"][name] = units
    mappings = {
        suffix: sorted(map(fleet.uuid, rows)) for suffix, rows in candidate.mappings.items()
    }
    return {"allocations": allocations, "mappings": mappings}


def read(items: Any) -> Iterator[Any]:
    for item in items:
        mappings = {suffix: sorted(uuids) for suffix, uuids in item["mappings"].items()}
        yield {**item, "mappings": mappings}


@pytest.mark.parametrize("many", [1, 3, 1000])
@pytest.mark.parametrize("seed", range(4))
def test_candidates_are_written_one_by_one_or_together(
    seed: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scheduler_lib.api.candidate_text._MANY", many)
    fleet, requests = drawn(seed)
    for request in requests:
        search = Search(fleet, **request)
        for way in ({}, {"strategy": "depth-first"}, {"limit": 3}):
            wanted = [data(fleet, one) for one in search.candidates(**way)]
            assert list(read(written(fleet, search, 39, **way))) == wanted
            if many == 1:
                lists = [item["allocations"] for item in written(fleet, search, 10, **way)]
                assert [
                    {one["resource_provider"]["uuid"]: one["resources"] for one in item}
                    for item in lists
                ] == [
                    {uuid: one["resources"] for uuid, one in item["allocations"].items()}
                    for item in wanted
                ]


def test_trees_with_many_ways_each_have_them_together() -> None:
    forest = Forest()
    for number in range(20):
        forest.add(f"h{number}", {"DISK_GB": 10})
        for child in range(12):
            forest.add(f"c{number}-{child}", {"VCPU": 8}, under=f"h{number}")
    fleet = forest.fleet()
    search = Search(fleet, {"_1": group(VCPU=1), "_2": group(VCPU=2)})
    wanted = [data(fleet, one) for one in search.candidates(strategy="depth-first")]
    assert len(wanted) == 20 * 144
    assert list(read(written(fleet, search, 39, strategy="depth-first"))) == wanted
