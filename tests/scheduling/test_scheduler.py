"""What the scheduler chooses, and what it does when a claim is refused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scheduler_lib.exceptions import ClaimConflict, DeadlineExceeded, NoValidHost
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.decision import ReasonKind, Selection
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.request import Request, ResourceGroup
from scheduler_lib.scheduling.weighers.cpu import CpuWeigher
from scheduler_lib.scheduling.weighers.packing import PackingWeigher
from scheduler_lib.scheduling.weighers.ram import RamWeigher
from tests.scheduling.fleets import (
    NOW,
    FleetClaimer,
    ask,
    child,
    consumers,
    fleet_of,
    host,
    names,
    scheduler,
    soon,
    uuid_of,
)


def test_the_host_with_most_left_wins_and_the_next_best_are_alternates() -> None:
    fleet = fleet_of(
        host("a", {"VCPU": (8, 4)}), host("b", {"VCPU": 8}), host("c", {"VCPU": (8, 2)})
    )
    decision = scheduler(CpuWeigher, alternates=2).select(ask({"VCPU": 1}), fleet, None, soon())
    assert names(decision) == ["b"]
    assert [item.host for item in decision.selections[0].alternates] == ["c", "a"]


def test_equal_hosts_go_to_the_lower_name() -> None:
    fleet = fleet_of(*(host(name, {"VCPU": 8}) for name in ("h3", "h1", "h2")))
    assert names(scheduler().select(ask({"VCPU": 1}), fleet, None, soon())) == ["h1"]


@pytest.mark.parametrize(("limit", "expected"), [(1, "h0"), (2, "h1"), (3, "h2"), (9, "h2")])
def test_a_limit_lets_only_the_first_hosts_by_name_be_looked_at(limit: int, expected: str) -> None:
    fleet = fleet_of(*(host(f"h{number}", {"VCPU": 4 + number}) for number in range(3)))
    chosen = scheduler(CpuWeigher).select(ask({"VCPU": 1}, limit=limit), fleet, None, soon())
    assert names(chosen) == [expected]


@pytest.mark.parametrize(("asked", "expected"), [(None, 1), (0, 0), (2, 2)])
def test_a_request_may_ask_for_its_own_number_of_alternates(
    asked: int | None, expected: int
) -> None:
    fleet = fleet_of(*(host(f"h{number}", {"VCPU": 8}) for number in range(4)))
    chooser = scheduler(alternates=1)
    for count in (1, 2):
        request = ask({"VCPU": 1}, count, alternates=asked)
        selections = chooser.select(request, fleet, None, soon()).selections
        assert {len(item.alternates) for item in selections} == {expected}


def test_an_oversold_device_counts_as_full_not_as_less_than_full() -> None:
    fleet = fleet_of(
        host("a", {"VCPU": 8}),
        child("a-gpu0", "a", {"CUSTOM_GPU": (4, 9)}),
        child("a-gpu1", "a", {"CUSTOM_GPU": 4}),
        host("b", {"VCPU": 8}),
        child("b-gpu0", "b", {"CUSTOM_GPU": (4, 1)}),
    )
    groups = {"": ResourceGroup({"VCPU": 1}), "1": ResourceGroup({"CUSTOM_GPU": 1})}
    request = Request(groups, tuple(consumers(1)))
    # Left: 0 + 4 on the one, 3 on the other.
    assert names(scheduler(PackingWeigher).select(request, fleet, None, soon())) == ["b"]


def test_a_negative_multiplier_stacks() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}), host("b", {"VCPU": (8, 4)}))
    stacking = scheduler(CpuWeigher, multipliers={"cpu": -1.0})
    assert names(stacking.select(ask({"VCPU": 1}), fleet, None, soon())) == ["b"]


def test_the_packing_weigher_prefers_the_fullest_host_that_fits() -> None:
    fleet = fleet_of(
        host("empty", {"VCPU": 8, "MEMORY_MB": 100}),
        host("half", {"VCPU": (8, 4), "MEMORY_MB": (100, 50)}),
        host("nearly", {"VCPU": (8, 7), "MEMORY_MB": (100, 90)}),
    )
    packing = scheduler(PackingWeigher)
    assert names(packing.select(ask({"VCPU": 1}), fleet, None, soon())) == ["nearly"]
    assert names(packing.select(ask({"VCPU": 2}), fleet, None, soon())) == ["half"]


def test_the_packing_weigher_measures_against_the_largest_host_as_it_is_now() -> None:
    fleet = fleet_of(
        host("a", {"VCPU": (8, 4), "MEMORY_MB": (100, 60)}),
        host("b", {"VCPU": (8, 2), "MEMORY_MB": (100, 80)}),
    )
    packing = scheduler(PackingWeigher)
    asked = ask({"VCPU": 1, "MEMORY_MB": 1})
    # Left: 4/8 + 40/100 on the one, 6/8 + 20/100 on the other.
    assert names(packing.select(asked, fleet, None, soon())) == ["a"]
    fleet.apply([host("c", {"MEMORY_MB": 1}), host("c", {"VCPU": 80, "MEMORY_MB": 100})])
    # Left: 4/80 + 40/100, and 6/80 + 20/100.
    assert names(packing.select(asked, fleet, None, soon())) == ["b"]
    fleet.apply([host("c", {"VCPU": 8, "MEMORY_MB": 100})])
    assert names(packing.select(asked, fleet, None, soon())) == ["a"]


def test_what_is_claimed_is_what_was_asked_on_the_root() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8, "MEMORY_MB": 512}))
    claimer = FleetClaimer(fleet)
    asked = ask({"VCPU": 2, "MEMORY_MB": 64})
    decision = scheduler().select(asked, fleet, claimer, soon())
    assert decision.destinations[0].allocations == {uuid_of("a"): {"VCPU": 2, "MEMORY_MB": 64}}
    assert decision.destinations[0].limits == {"vcpu": 8, "memory_mb": 512}
    assert decision.destinations[0].claimed
    assert fleet.stock("VCPU").used.tolist() == [2]


def test_without_a_claimer_nothing_is_claimed() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}))
    decision = scheduler().select(ask({"VCPU": 2}, 3), fleet, None, soon())
    assert not any(item.claimed for item in decision.destinations)
    assert fleet.stock("VCPU").used.tolist() == [0]


class _Refusing:
    """Refuses the first claims, and writes down what was tried."""

    def __init__(self, refusals: int) -> None:
        self._refusals = refusals
        self.tried: list[str] = []

    def claim(self, selections: Sequence[Selection]) -> None:
        self.tried.extend(item.destination.host for item in selections)
        if len(self.tried) <= self._refusals:
            raise ClaimConflict("taken")


def test_a_refused_claim_falls_to_the_next_best_of_the_same_ranking() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}), host("b", {"VCPU": 6}), host("c", {"VCPU": 4}))
    claimer = _Refusing(2)
    decision = scheduler(CpuWeigher).select(ask({"VCPU": 1}), fleet, claimer, soon())
    assert claimer.tried == ["a", "b", "c"]
    assert names(decision) == ["c"]
    assert decision.refused_claims == 2


def test_a_host_that_filled_up_meanwhile_is_not_tried() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}), host("b", {"VCPU": 6}), host("c", {"VCPU": 4}))

    class Others(_Refusing):
        def claim(self, selections: Sequence[Selection]) -> None:
            fleet.consume([(uuid_of("b"), "VCPU", 6)] if not self.tried else [])
            super().claim(selections)

    claimer = Others(1)
    scheduler(CpuWeigher).select(ask({"VCPU": 1}), fleet, claimer, soon())
    assert claimer.tried == ["a", "c"]


def test_when_every_choice_was_taken_the_fleet_is_looked_at_again() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}))
    claimer = _Refusing(3)
    decision = scheduler().select(ask({"VCPU": 1}), fleet, claimer, soon())
    assert claimer.tried == ["a"] * 4
    assert decision.refused_claims == 3


def test_endless_refusals_end_at_the_deadline() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}))
    deadline = Deadline.after(0.05, SystemClock())
    with pytest.raises(DeadlineExceeded):
        scheduler().select(ask({"VCPU": 1}), fleet, _Refusing(10**9), deadline)


def test_a_search_for_providers_ends_at_the_deadline() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}))
    group = ResourceGroup({"VCPU": 1})
    request = Request(groups={"_1": group}, consumers=tuple(consumers(1)))
    with pytest.raises(DeadlineExceeded) as caught:
        scheduler().select(request, fleet, None, Deadline.after(0, SystemClock()))
    assert caught.value.fields["step"] == "looking for providers"


def test_no_room_says_how_many_hosts_fail_which_check() -> None:
    fleet = fleet_of(
        host("a", {"VCPU": 8, "MEMORY_MB": 64}),
        host("b", {"VCPU": (8, 8), "MEMORY_MB": 512}),
        host("off", {"VCPU": 8, "MEMORY_MB": 512}, disabled=True),
    )
    with pytest.raises(NoValidHost) as caught:
        scheduler().select(ask({"VCPU": 1, "MEMORY_MB": 128}), fleet, None, soon())
    counts = {item.check: (item.before, item.after) for item in caught.value.decision.counts}
    assert counts["disabled"] == (3, 2)
    assert counts["MEMORY_MB"] == (2, 1)
    assert counts["VCPU"] == (1, 0)
    assert "None of 3 hosts" in str(caught.value)
    assert "MEMORY_MB 1 (asked 128)" in str(caught.value)


def test_reasons_have_the_numbers_of_the_moment_of_the_refusal() -> None:
    fleet = fleet_of(host("a", {"VCPU": (8, 7)}), host("b", {"VCPU": 4}))
    with pytest.raises(NoValidHost) as caught:
        scheduler().select(ask({"VCPU": 6}), fleet, None, soon())
    fleet.consume([(uuid_of("a"), "VCPU", -7)])
    reasons = caught.value.decision.reasons()
    found = {item.host: (item.check, item.asked, item.free, item.limit) for item in reasons}
    assert found == {"a": ("VCPU", 6, 1, 8), "b": ("VCPU", 6, 4, 4)}
    kinds = {item.host: item.kind for item in reasons}
    assert kinds == {"a": ReasonKind.NOT_NOW, "b": ReasonKind.NEVER}


def test_an_empty_fleet_is_told_from_a_full_one() -> None:
    with pytest.raises(NoValidHost, match="No hosts are known"):
        scheduler().select(ask({"VCPU": 1}), fleet_of(), None, soon())


def test_several_instances_are_placed_one_after_the_other() -> None:
    fleet = fleet_of(host("h1", {"VCPU": 2}), host("h2", {"VCPU": 2}))
    claimer = FleetClaimer(fleet)
    decision = scheduler(CpuWeigher).select(ask({"VCPU": 1}, 4), fleet, claimer, soon())
    assert names(decision) == ["h1", "h2", "h1", "h2"]
    assert [item.consumer_uuid for item in decision.selections] == consumers(4)
    assert fleet.stock("VCPU").used.tolist() == [2, 2]


def test_when_only_some_fit_none_is_kept_and_the_error_says_how_many_fit() -> None:
    fleet = fleet_of(host("h1", {"VCPU": 2}), host("h2", {"VCPU": 2}))
    claimer = FleetClaimer(fleet)
    with pytest.raises(NoValidHost, match="4 of 5 instances could be placed"):
        scheduler().select(ask({"VCPU": 1}, 5), fleet, claimer, soon())
    assert claimer.claimed == []
    assert fleet.stock("VCPU").used.tolist() == [0, 0]


def test_a_batch_names_alternates_that_no_instance_was_given() -> None:
    fleet = fleet_of(*(host(f"h{number}", {"VCPU": 8 - number}) for number in range(4)))
    decision = scheduler(CpuWeigher, alternates=2).select(ask({"VCPU": 4}, 2), fleet, None, soon())
    assert names(decision) == ["h0", "h1"]
    for selection in decision.selections:
        assert [item.host for item in selection.alternates] == ["h2", "h3"]


def test_a_batch_is_one_by_one_with_the_same_answers() -> None:
    """Rescoring only what changed gives what scoring everything again would give."""

    def fresh() -> object:
        units = [(16, 3), (12, 0), (9, 2), (16, 8), (4, 0)]
        return fleet_of(
            *(
                host(f"h{n}", {"VCPU": (total, used), "MEMORY_MB": (total * 97 % 50 + 40, used)})
                for n, (total, used) in enumerate(units)
            )
        )

    together = fresh()
    at_once = scheduler().select(
        ask({"VCPU": 1, "MEMORY_MB": 4}, 20), together, FleetClaimer(together), soon()
    )
    apart = fresh()
    claimer = FleetClaimer(apart)
    single = [
        names(scheduler().select(ask({"VCPU": 1, "MEMORY_MB": 4}), apart, claimer, soon()))[0]
        for _ in range(20)
    ]
    assert names(at_once) == single


def test_forced_hosts_are_chosen_whatever_the_filters_say() -> None:
    fleet = fleet_of(
        host("Compute1", {"VCPU": 8}, disabled=True, availability_zone="z1"),
        host("other", {"VCPU": 8}),
    )
    asked = ask({"VCPU": 1}, force_hosts=("COMPUTE1",), availability_zone="z2")
    assert names(scheduler().select(asked, fleet, None, soon())) == ["Compute1"]


def test_forced_hosts_still_need_room() -> None:
    fleet = fleet_of(host("a", {"VCPU": (4, 4)}), host("b", {"VCPU": 8}))
    with pytest.raises(NoValidHost):
        scheduler().select(ask({"VCPU": 1}, force_hosts=("a",)), fleet, None, soon())


def test_forced_nodes_are_compared_exactly() -> None:
    fleet = fleet_of(host("a", {"VCPU": 8}), host("b", {"VCPU": 8}))
    assert names(scheduler().select(ask({"VCPU": 1}, force_nodes=("b",)), fleet, None, soon())) == [
        "b"
    ]
    with pytest.raises(NoValidHost):
        scheduler().select(ask({"VCPU": 1}, force_nodes=("B",)), fleet, None, soon())


def test_ignored_hosts_are_left_out_whatever_their_case() -> None:
    fleet = fleet_of(host("Compute1", {"VCPU": 16}), host("b", {"VCPU": 8}))
    asked = ask({"VCPU": 1}, ignore_hosts=("compute1",))
    assert names(scheduler().select(asked, fleet, None, soon())) == ["b"]


def test_hosts_that_were_tried_are_left_out() -> None:
    fleet = fleet_of(host("a", {"VCPU": 16}), host("b", {"VCPU": 8}))
    asked = ask({"VCPU": 1}, retry_hosts=(ResourceName("a", "a"),))
    assert names(scheduler().select(asked, fleet, None, soon())) == ["b"]


def test_the_zone_asked_is_kept_and_hosts_without_one_are_in_the_default() -> None:
    fleet = fleet_of(host("a", {"VCPU": 16}), host("b", {"VCPU": 8}, availability_zone="west"))
    west = scheduler().select(ask({"VCPU": 1}, availability_zone="west"), fleet, None, soon())
    default = scheduler().select(ask({"VCPU": 1}, availability_zone="nova"), fleet, None, soon())
    assert (names(west), names(default)) == (["b"], ["a"])
    assert west.destinations[0].availability_zone == "west"


def test_aggregates_asked_and_forbidden_are_kept() -> None:
    one, two = uuid_of("aggregate 1"), uuid_of("aggregate 2")
    fleet = fleet_of(
        host("a", {"VCPU": 16}, aggregates=[one, two]), host("b", {"VCPU": 8}, aggregates=[one])
    )
    asked = ask({"VCPU": 1}, aggregates=(frozenset([one]),), forbidden_aggregates=frozenset([two]))
    assert names(scheduler().select(asked, fleet, None, soon())) == ["b"]


@pytest.mark.parametrize(
    ("age_s", "expected"), [(59, ["old", "never"]), (61, ["never"]), (-61, ["never"])]
)
def test_a_host_is_down_when_its_heartbeat_is_too_far_from_now(
    age_s: float, expected: list[str]
) -> None:
    fleet = fleet_of(
        host("never", {"VCPU": 4}), host("old", {"VCPU": 16}, last_seen_up=NOW - age_s)
    )
    decision = scheduler(CpuWeigher, alternates=1).select(ask({"VCPU": 1}), fleet, None, soon())
    alternates = [item.host for item in decision.selections[0].alternates]
    assert [*names(decision), *alternates] == expected


def test_unsuitable_units_are_refused() -> None:
    fleet = fleet_of(host("a", {"DISK_GB": Inventory(100, min_unit=10, max_unit=50, step_size=10)}))
    for amount, fits in ((5, False), (10, True), (15, False), (50, True), (60, False)):
        if fits:
            assert names(scheduler().select(ask({"DISK_GB": amount}), fleet, None, soon()))
        else:
            with pytest.raises(NoValidHost):
                scheduler().select(ask({"DISK_GB": amount}), fleet, None, soon())


def test_devices_of_a_tree_are_claimed_one_for_each_group() -> None:
    fleet = fleet_of(
        host("a", {"VCPU": 8}),
        child("a-gpu0", "a", {"CUSTOM_GPU": 100}, "CUSTOM_T4"),
        child("a-gpu1", "a", {"CUSTOM_GPU": 100}, "CUSTOM_T4"),
    )
    gpu = ResourceGroup({"CUSTOM_GPU": 60}, required=frozenset(["CUSTOM_T4"]))
    asked = Request(
        groups={"": ResourceGroup({"VCPU": 2}), "1": gpu, "2": gpu},
        consumers=tuple(consumers(1)),
        group_policy="isolate",
    )
    decision = scheduler().select(asked, fleet, FleetClaimer(fleet), soon())
    assert decision.destinations[0].allocations == {
        uuid_of("a"): {"VCPU": 2},
        uuid_of("a-gpu0"): {"CUSTOM_GPU": 60},
        uuid_of("a-gpu1"): {"CUSTOM_GPU": 60},
    }
    with pytest.raises(NoValidHost):
        scheduler().select(asked, fleet, None, soon())


def test_part_of_a_device_goes_where_least_is_left() -> None:
    fleet = fleet_of(
        host("a", {"VCPU": 8}),
        child("a-gpu0", "a", {"CUSTOM_GPU": 100}),
        child("a-gpu1", "a", {"CUSTOM_GPU": (100, 30)}),
    )
    asked = Request(
        groups={"": ResourceGroup({"VCPU": 1}), "1": ResourceGroup({"CUSTOM_GPU": 50})},
        consumers=tuple(consumers(1)),
    )
    decision = scheduler().select(asked, fleet, None, soon())
    assert decision.destinations[0].mappings["1"] == (uuid_of("a-gpu1"),)


def test_explain_gives_every_failing_check_of_a_host_not_only_the_first() -> None:
    fleet = fleet_of(
        host("h1", {"VCPU": 4}, availability_zone="stag", disabled=True, disabled_reason="move"),
        host("h2", {"VCPU": 16}, traits=["CUSTOM_T"]),
    )
    asked = ask({"VCPU": 8}, required=["CUSTOM_T"], availability_zone="nova")
    explanation = scheduler().explain(asked, fleet)
    fitting, refused = explanation.verdicts
    assert (fitting.host, fitting.fits) == ("h2", True)
    assert [score.weigher for score in fitting.scores] == ["ram", "cpu", "disk"]
    checks = {reason.check: reason.message for reason in refused.reasons}
    assert "disabled: move" in checks.values()
    assert "availability zone stag, asked nova" in checks.values()
    assert "VCPU" in checks
    assert any("CUSTOM_T" in message for message in checks.values())


def test_scores_of_an_explanation_add_up_to_the_order_of_the_choice() -> None:
    fleet = fleet_of(*(host(f"h{n}", {"VCPU": 4 + n, "MEMORY_MB": 90 - 9 * n}) for n in range(5)))
    chooser = scheduler(RamWeigher, CpuWeigher, multipliers={"ram": 1.0, "cpu": -0.5}, alternates=4)
    asked = ask({"VCPU": 1, "MEMORY_MB": 1})
    decision = chooser.select(asked, fleet, None, soon())
    order = [*names(decision), *(item.host for item in decision.selections[0].alternates)]
    verdicts = chooser.explain(asked, fleet).verdicts
    assert [verdict.host for verdict in verdicts] == order
    for verdict in verdicts:
        assert verdict.total == pytest.approx(sum(score.weighted for score in verdict.scores))
    offered = [*decision.destinations, *decision.selections[0].alternates]
    totals = [verdict.total for verdict in verdicts]
    assert [item.score for item in offered] == pytest.approx(totals)


def test_the_score_of_a_choice_counts_from_the_least_at_hand() -> None:
    fleet = fleet_of(*(host(f"h{n}", {"VCPU": (8, n), "MEMORY_MB": 8}) for n in (5, 6, 7)))
    packing = scheduler(PackingWeigher, alternates=2)
    first, *others = packing.select(ask({"VCPU": 1}), fleet, None, soon()).selections
    assert not others
    offered = [first.destination, *first.alternates]
    assert [item.score for item in offered] == pytest.approx([1.0, 0.5, 0.0])
    batch = packing.select(ask({"VCPU": 1}, 2), fleet, None, soon())
    assert batch.destinations[0].score == pytest.approx(1.0)


def test_the_subset_draws_among_the_best_only() -> None:
    fleet = fleet_of(*(host(f"h{number}", {"VCPU": 9 - number}) for number in range(5)))
    drawn = {
        names(
            scheduler(CpuWeigher, seed=seed, host_subset_size=2).select(
                ask({"VCPU": 1}), fleet, None, soon()
            )
        )[0]
        for seed in range(30)
    }
    assert drawn == {"h0", "h1"}


def test_shuffling_moves_equals_only() -> None:
    fleet = fleet_of(
        *(host(f"h{number}", {"VCPU": 8}) for number in range(4)), host("small", {"VCPU": 4})
    )
    drawn = {
        names(
            scheduler(CpuWeigher, seed=seed, shuffle_best_same_weighed_hosts=True).select(
                ask({"VCPU": 1}), fleet, None, soon()
            )
        )[0]
        for seed in range(40)
    }
    assert drawn == {"h0", "h1", "h2", "h3"}
