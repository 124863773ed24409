"""A board that is kept says what weighing everybody anew would say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.demand import Demand
from scheduler_lib.scheduling.narrowing import Narrowing
from scheduler_lib.scheduling.ranking import totals
from scheduler_lib.scheduling.scoreboard import Scoreboard
from scheduler_lib.scheduling.weighers.cpu import CpuWeigher
from scheduler_lib.scheduling.weighers.packing import PackingWeigher
from scheduler_lib.scheduling.weighers.ram import RamWeigher
from tests.scheduling.fleets import NOW, ask, fleet_of, host, uuid_of

SETTINGS = SchedulingSettings(multipliers={"packing": 2.0, "cpu": -0.5})
WEIGHERS = [kind(SETTINGS) for kind in (PackingWeigher, RamWeigher, CpuWeigher)]
ASKED = ask({"VCPU": 1, "MEMORY_MB": 1})

# For each step: which of the hosts that are left, what is taken there, or None to drop it.
_STEPS = st.lists(
    st.tuples(st.integers(0, 7), st.one_of(st.none(), st.integers(1, 4))), max_size=12
)


@settings(deadline=None, max_examples=80)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=6), _STEPS)
def test_after_any_picks_and_drops_the_scores_are_those_of_weighing_anew(
    hosts: list[tuple[int, int]], steps: list[tuple[int, int | None]]
) -> None:
    units = [{"VCPU": (20, 20 - cpu), "MEMORY_MB": (20, 20 - ram)} for cpu, ram in hosts]
    fleet = fleet_of(*(host(f"h{number}", item) for number, item in enumerate(units)))
    shortlist = Narrowing(ASKED, fleet, (), Demand(), NOW).run().shortlist
    board = Scoreboard(shortlist, ASKED, WEIGHERS, SETTINGS)
    left = list(range(len(hosts)))
    for place, taken in steps:
        if not left:
            break
        slot = place % len(left)
        if taken is None:
            board.drop(slot)
            del left[slot]
        else:
            root = uuid_of(f"h{left[slot]}")
            fleet.consume([(root, "VCPU", taken), (root, "MEMORY_MB", 1)])
            board.rescore(slot)
        remaining = shortlist.keep(np.isin(np.arange(len(hosts)), left))
        anew = totals(remaining, ASKED, WEIGHERS, SETTINGS)
        assert [board.index(slot) for slot in range(len(board))] == left
        assert [board.score(slot) for slot in range(len(board))] == pytest.approx(
            (anew.sums + anew.base).tolist(), abs=1e-9
        )


def test_a_scale_follows_a_host_that_goes_beyond_it() -> None:
    fleet = fleet_of(
        *(host(f"h{number}", {"VCPU": (20, used)}) for number, used in [(0, 0), (1, 5), (2, 10)])
    )
    asked = ask({"VCPU": 1})
    shortlist = Narrowing(asked, fleet, (), Demand(), NOW).run().shortlist
    board = Scoreboard(shortlist, asked, WEIGHERS[:1], SETTINGS)
    fleet.consume([(uuid_of("h1"), "VCPU", 15)])
    board.rescore(1)
    assert [board.score(slot) for slot in range(3)] == pytest.approx([0.0, 2.0, 1.0])


def test_the_last_host_on_the_board_scores_0() -> None:
    fleet = fleet_of(host("a", {"MEMORY_MB": 8}), host("b", {"MEMORY_MB": 8}))
    asked = ask({"MEMORY_MB": 1})
    shortlist = Narrowing(asked, fleet, (), Demand(), NOW).run().shortlist
    board = Scoreboard(shortlist, asked, [RamWeigher(SETTINGS)], SETTINGS)
    assert [board.score(slot) for slot in range(len(board))] == [1.0, 1.0]
    board.drop(0)
    assert [board.score(slot) for slot in range(len(board))] == [0.0]
