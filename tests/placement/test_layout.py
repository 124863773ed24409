"""The layout of trees follows every change; views keep theirs."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from scheduler_lib.fleet import Fleet
from scheduler_lib.model.provider import Change, Provider, ProviderChanged, ProviderRemoved
from scheduler_lib.placement import forest
from tests.fleet.builders import uid


def told(fleet: Fleet) -> list[list[str]]:
    """Return the trees as the layout gives them: uuids, the roots by name."""
    roots = forest.roots_by_name(fleet)
    each = [list(map(fleet.uuid, forest.tree(fleet, int(row)))) for row in roots]
    together = list(map(fleet.uuid, forest.trees(fleet, roots).tolist()))
    assert together == [uuid for tree in each for uuid in tree]
    return each


def expected(books: dict[str, Provider]) -> list[list[str]]:
    """Return the same, worked out of the providers one by one."""

    def key(item: Provider) -> tuple[str, str]:
        return item.name, item.uuid

    def walked(above: Provider) -> list[str]:
        below = [item for item in books.values() if item.parent_uuid == above.uuid]
        found = [above.uuid]
        for item in sorted(below, key=key):
            found += walked(item)
        return found

    return [walked(item) for item in sorted(books.values(), key=key) if item.root_uuid == item.uuid]


def changed(random: Random, books: dict[str, Provider]) -> list[Change]:
    """Change the books at random, and return what a feed would say of it."""
    act = random.choice(["add", "add", "add", "remove", "rename", "move"])
    name = f"p{random.randrange(40)}"
    known = books.get(uid(name))
    if act == "add" and known is None:
        above = random.choice([None, *books.values()])
        root = uid(name) if above is None else above.root_uuid
        made = Provider(uid(name), name, root, None if above is None else above.uuid)
        books[made.uuid] = made
        return [ProviderChanged(made)]
    if known is None:
        return []
    below = _below(books, known)
    if act == "remove" and not below:
        del books[known.uuid]
        return [ProviderRemoved(known.uuid)]
    if act == "rename":
        title = f"r{random.randrange(1000)}"
        books[known.uuid] = Provider(known.uuid, title, known.root_uuid, known.parent_uuid)
        return [ProviderChanged(books[known.uuid])]
    if act == "move":
        return _moved(random, books, known, below)
    return []


def _below(books: dict[str, Provider], top: Provider) -> list[Provider]:
    found = [item for item in books.values() if item.parent_uuid == top.uuid]
    return found + [item for child in found for item in _below(books, child)]


def _moved(
    random: Random, books: dict[str, Provider], top: Provider, below: list[Provider]
) -> list[Change]:
    own = {top.uuid, *(item.uuid for item in below)}
    above = random.choice([None, *(item for item in books.values() if item.uuid not in own)])
    root = top.uuid if above is None else above.root_uuid
    books[top.uuid] = Provider(top.uuid, top.name, root, None if above is None else above.uuid)
    for item in below:
        books[item.uuid] = Provider(item.uuid, item.name, root, item.parent_uuid)
    return [ProviderChanged(books[uuid]) for uuid in own]


@pytest.mark.parametrize("seed", range(12))
def test_it_follows_what_comes_goes_moves_and_is_renamed(seed: int) -> None:
    random = Random(seed)
    fleet = Fleet()
    books: dict[str, Provider] = {}
    views: list[tuple[Fleet, list[list[str]]]] = []
    for step in range(300):
        fleet.apply(changed(random, books))
        if step % 3 == 0:
            assert told(fleet) == expected(books)
        if random.random() < 0.05:
            views.append((fleet.view(), expected(books)))
        if views and random.random() < 0.1:
            view, then = random.choice(views)
            assert told(view) == then
        if random.random() < 0.03:
            views.clear()


def test_more_changes_than_are_remembered_lay_it_out_anew() -> None:
    random = Random(1)
    fleet = Fleet()
    books: dict[str, Provider] = {}
    told(fleet)
    for _ in range(6000):
        fleet.apply(changed(random, books))
    assert told(fleet) == expected(books)


def test_no_trees_have_no_rows() -> None:
    assert forest.trees(Fleet(), np.zeros(0, dtype=np.int32)).tolist() == []
