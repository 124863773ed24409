"""Candidates of random forests, against openstack-placement itself in this process."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from scheduler_lib.fleet import Fleet
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import MISC_SHARES_VIA_AGGREGATE
from scheduler_lib.placement import Candidate, Search, forest
from tests.fleet.builders import Forest, uid
from tests.peers import missing
from tests.placement.asking import group
from tests.placement.drawing import forest_of, request_of, without_trees
from tests.placement.peer import Peer, PeerFailed
from tests.placement.twin import Answer

if importlib.util.find_spec("placement") is None:
    missing("openstack-placement is not installed here")

from tests.twin.reference import ReferenceApp, make_app

pytestmark = pytest.mark.filterwarnings("ignore")

REQUESTS = 20


@pytest.fixture(scope="module")
def app() -> Iterator[ReferenceApp]:
    made = make_app()
    yield made
    made.close()


@pytest.fixture
def peer(app: ReferenceApp) -> Peer:
    app.reset()
    return Peer(app)


def answer(fleet: Fleet, item: Candidate) -> Answer:
    return (
        frozenset((fleet.uuid(row), name, amount) for row, name, amount in item.amounts),
        frozenset(
            (suffix, frozenset(map(fleet.uuid, rows))) for suffix, rows in item.mappings.items()
        ),
    )


def shown(fleet: Fleet, candidates: Iterable[Candidate]) -> set[str]:
    """Return the providers that an answer has summaries of."""
    givers = [row for item in candidates for row, _, _ in item.amounts]
    roots = np.unique(fleet.state.rows.root[np.array(givers, dtype=np.int32)])
    return set(map(fleet.uuid, forest.trees(fleet, roots).tolist()))


def with_sound_sums(request: dict[str, Any]) -> dict[str, Any]:
    """Return a request of which the peer sums the amounts rightly.

    It does so under ``none`` alone, once a class is asked for in and outside the unsuffixed group.
    """
    groups = request["groups"]
    loose = set(groups[""].resources) if "" in groups else set()
    bound = set[str]().union(*(item.resources for suffix, item in groups.items() if suffix))
    return {**request, "group_policy": "none"} if loose & bound else request


def is_of_a_lost_anchor(item: Answer, sharing: set[str], request: dict[str, Any]) -> bool:
    """Tell whether the peer may miss a candidate: its unsuffixed group is served by pools alone."""
    served = dict(item[1]).get("", frozenset({"nobody"}))
    return len(request["groups"]) > 1 and served <= sharing


def is_of_a_nested_pool(failed: PeerFailed, drawn: Forest) -> bool:
    """Tell whether the peer may fail: a pool hangs on a root that serves nothing itself."""
    return failed.status == 500 and any(
        MISC_SHARES_VIA_AGGREGATE in item.traits and item.parent_uuid is not None
        for item in drawn.providers.values()
    )


@pytest.mark.parametrize("seed", range(8))
def test_random_requests_get_what_openstack_placement_gives(peer: Peer, seed: int) -> None:
    random = Random(seed)
    size = random.randint(4, 9)
    drawn = forest_of(random, size)
    peer.fill(drawn)
    fleet = drawn.fleet()
    sharing = {
        item.uuid for item in drawn.providers.values() if MISC_SHARES_VIA_AGGREGATE in item.traits
    }
    for _ in range(REQUESTS):
        request = with_sound_sums(request_of(random, size))
        try:
            theirs, summaries = peer.answers(request)
        except PeerFailed as failed:
            if is_of_a_nested_pool(failed, drawn):
                continue
            raise
        candidates = list(Search(fleet, **request).candidates())
        ours = {answer(fleet, item) for item in candidates}
        assert theirs <= ours
        assert all(is_of_a_lost_anchor(item, sharing, request) for item in ours - theirs)
        if ours == theirs:
            assert shown(fleet, candidates) == set(summaries)


@pytest.mark.parametrize("seed", range(100, 104))
def test_clients_that_know_of_no_trees_get_what_they_get_there(peer: Peer, seed: int) -> None:
    random = Random(seed)
    size = random.randint(4, 9)
    drawn = forest_of(random, size)
    peer.fill(drawn)
    fleet = drawn.fleet()
    for _ in range(REQUESTS):
        request = with_sound_sums(without_trees(request_of(random, size)))
        if len(request["groups"]) > 1 and "" in request["groups"]:
            # Without mappings nothing tells the candidates apart whose anchors were lost.
            del request["groups"][""]
        try:
            theirs = peer.amounts(request, version="1.28")
        except PeerFailed as failed:
            if is_of_a_nested_pool(failed, drawn):
                continue
            raise
        found = Search(fleet, **request).candidates(nested=False)
        assert Counter(answer(fleet, item)[0] for item in found) == theirs


class TestWhereThePeerBreaksItsOwnDocument:
    """What it does there is told, too: should a release mend it, these say so."""

    @staticmethod
    def both(peer: Peer, drawn: Forest, **request: Any) -> tuple[int, int]:
        """Return how many candidates each has; ours first."""
        peer.fill(drawn)
        theirs, _ = peer.answers(request)
        return len(list(Search(drawn.fleet(), **request).candidates())), len(theirs)

    def test_a_pool_serves_every_tree_in_its_aggregates_not_one_of_them(self, peer: Peer) -> None:
        drawn = Forest().add("SS", {"DISK_GB": 9}, aggregates="X", shares=True)
        for host in ("CN1", "CN2", "CN3"):
            drawn.add(host, {"VCPU": 4}, aggregates="X")
        groups = {"": group(DISK_GB=1), "_1": group(VCPU=1)}
        assert self.both(peer, drawn, groups=groups) == (3, 1)

    def test_amounts_are_summed_for_each_candidate_anew(self, peer: Peer) -> None:
        drawn = Forest().add("CN")
        for node in ("N0", "N1"):
            drawn.add(node, {"VCPU": 4}, under="CN")
        request = {"groups": {"": group(VCPU=1), "_1": group(VCPU=1)}, "group_policy": "isolate"}
        peer.fill(drawn)
        theirs, _ = peer.answers(request)
        fleet = drawn.fleet()
        ours = {answer(fleet, item) for item in Search(fleet, **request).candidates()}
        assert {sum(amount for _, _, amount in amounts) for amounts, _ in ours} == {2}
        assert {sum(amount for _, _, amount in amounts) for amounts, _ in theirs} == {2, 3}

    def test_capacity_takes_the_ratio_as_the_decimal_that_was_written(self, peer: Peer) -> None:
        drawn = Forest().add("CN", {"VCPU": Inventory(100, allocation_ratio=0.29)})
        assert self.both(peer, drawn, groups={"": group(VCPU=29)}) == (1, 0)

    def test_a_group_without_resources_may_have_forbidden_traits_alone(self, peer: Peer) -> None:
        drawn = Forest().add("CN", {"VCPU": 4})
        groups = {"_1": group(VCPU=1), "_2": group(forbidden={"CUSTOM_A"})}
        near = (frozenset(groups),)
        assert self.both(peer, drawn, groups=groups, group_policy="none", same_subtree=near) == (
            1,
            0,
        )

    def test_in_tree_holds_for_a_group_without_resources(self, peer: Peer) -> None:
        drawn = Forest().add("CN", {"VCPU": 4}, traits={"CUSTOM_A"}, aggregates="X")
        drawn.add("SS", {"DISK_GB": 9}, traits={"CUSTOM_A"}, aggregates="X", shares=True)
        groups = {"_1": group(DISK_GB=1), "_2": group(required={"CUSTOM_A"}, in_tree=uid("CN"))}
        near = (frozenset(groups),)
        assert self.both(peer, drawn, groups=groups, group_policy="none", same_subtree=near) == (
            0,
            1,
        )

    def test_a_pool_below_a_root_may_serve_others_than_that_root(self, peer: Peer) -> None:
        drawn = Forest().add("CN", {"VCPU": 4}, traits={"CUSTOM_A"}, aggregates="X").add("SR")
        drawn.add("SS", {"DISK_GB": 9}, aggregates="X", shares=True, under="SR")
        request = {"groups": {"": group(VCPU=1, DISK_GB=1)}, "root_required": {"CUSTOM_A"}}
        peer.fill(drawn)
        with pytest.raises(PeerFailed, match="500"):
            peer.answers(request)
        request["root_required"] = frozenset({"CUSTOM_A"})
        assert len(list(Search(drawn.fleet(), **request).candidates())) == 1
