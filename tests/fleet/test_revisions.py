"""Revisions: a number that a tree has once, and never again after a change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_lib.fleet import Fleet
from scheduler_lib.fleet.journal import Journal
from scheduler_lib.fleet.revisions import revisions
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import Provider, ProviderChanged, Stock, UsageChanged
from tests.fleet.builders import Forest, uid
from tests.fleet.test_random_changes import Driver, Model


class Mover(Driver):
    """Moves whole trees about, too."""

    def step(self) -> None:
        if self.random.random() < 0.2 and len(self.model.providers) > 1:
            self._move()
        else:
            super().step()

    def _move(self) -> None:
        providers = self.model.providers
        moved = self.random.choice(list(providers.values()))
        below = self._below(moved)
        others = [item for item in providers.values() if item.uuid not in below]
        parent = self.random.choice([None, *others])
        root = moved.uuid if parent is None else parent.root_uuid
        for uuid in below:
            providers[uuid] = replace(providers[uuid], root_uuid=root, facts=None)
        above = None if parent is None else parent.uuid
        providers[moved.uuid] = replace(providers[moved.uuid], parent_uuid=above)
        self.random.shuffle(below)
        self.fleet.apply([ProviderChanged(providers[uuid]) for uuid in below])

    def _below(self, moved: Provider) -> list[str]:
        found = [moved.uuid]
        for uuid in found:
            found += [one.uuid for one in self.model.providers.values() if one.parent_uuid == uuid]
        return found


def trees(model: Model) -> dict[str, Any]:
    """Return what each tree is, by the root's uuid."""
    found: dict[str, Any] = {}
    for item in sorted(model.providers.values(), key=lambda item: item.uuid):
        stocks = {name: (one.inventory.capacity, one.used) for name, one in item.stocks.items()}
        found.setdefault(item.root_uuid, []).append(
            (item.uuid, item.parent_uuid, item.traits, stocks)
        )
    return found


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32))
def test_trees_of_one_revision_are_the_same_for_the_fleet_and_all_its_views(seed: int) -> None:
    driver = Mover(seed)
    random = driver.random
    views: list[tuple[Fleet, Model]] = []
    known: dict[tuple[int, int], Any] = {}
    for _ in range(60):
        driver.step()
        if random.random() < 0.3:
            base, model = random.choice([(driver.fleet, driver.model), *views])
            views.append((base.view(), model.copy()))
        if views and random.random() < 0.4:
            driver.consume(*random.choice(views))
        if views and random.random() < 0.4:
            random.choice(views)[0].hand_back()
        if random.random() < 0.6:
            fleet, model = random.choice([(driver.fleet, driver.model), *views])
            numbers = revisions(fleet)
            for uuid, tree in trees(model).items():
                root = fleet.row(uuid)
                assert known.setdefault((root, int(numbers[root])), tree) == tree
        if len(views) > 3:
            views.pop(random.randrange(len(views)))


def hosts(count: int) -> Forest:
    forest = Forest()
    for number in range(count):
        forest.add(f"h{number}", {"VCPU": 8}, traits=("HW_A",))
    return forest


def test_a_change_renews_the_number_of_its_tree_alone() -> None:
    forest = hosts(9).add("child", {"VCPU": 8}, under="h3")
    fleet = forest.fleet()
    child = replace(forest.providers["child"], traits=frozenset({"HW_B"}))
    changes = [
        ProviderChanged(child),
        ProviderChanged(replace(child, stocks={**child.stocks, "CUSTOM_NEW": Stock(Inventory(3))})),
        UsageChanged(uid("child"), "VCPU", 2),
        ProviderChanged(replace(forest.providers["h3"], name="other")),
    ]
    before = revisions(fleet)
    assert revisions(fleet) is before
    for change in changes:
        fleet.apply([change])
        after = revisions(fleet)
        changed = np.flatnonzero(before[:9] != after[:9]).tolist()
        assert changed == [fleet.row(uid("h3"))]
        before = after


def test_numbers_follow_changes_made_while_views_are_alive() -> None:
    fleet = hosts(9).fleet()
    before = revisions(fleet)
    views = []
    for number in range(5):
        views.append(fleet.view())
        fleet.apply([UsageChanged(uid(f"h{number}"), "VCPU", 1)])
    after = revisions(fleet)
    assert (before[:9] != after[:9]).tolist() == [True] * 5 + [False] * 4


@pytest.mark.parametrize("forks", [1, 2, 16])
def test_a_journal_knows_what_was_written_since_it_was_another_one(forks: int) -> None:
    first = journal = Journal()
    journal.add(1)
    token, head = journal.token, journal.head
    for row in range(forks):
        journal.add(10 + row)
        journal = journal.fork()
        # What the old one goes on with is not of the new one's past.
        first.add(99)
    rows = journal.since(token, head)
    assert rows is not None
    assert rows.tolist() == [10 + row for row in range(forks)]


def test_a_journal_does_not_know_a_moment_after_it_was_forked() -> None:
    journal = Journal()
    fork = journal.fork()
    journal.add(1)
    fork.add(2)
    assert fork.since(journal.token, journal.head) is None
    assert fork.since(Journal().token, 0) is None
