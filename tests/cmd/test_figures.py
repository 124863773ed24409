"""The figures of a replay say what happened."""

from __future__ import annotations

from array import array
from collections import Counter

from scheduler_lib.cmd.trace.placing import Amounts, Count, first_failing_check
from scheduler_lib.cmd.trace.report import Outcome, summary
from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.model.decision import Decision, StageCount
from tests.cmd.conftest import KEYS


def outcome(seed: int = 42, placed: int = 3, *, balanced: bool = True) -> Outcome:
    count = Count(
        placed=placed,
        refused=1,
        peak=Amounts(900, 8000, 100),
        reasons=Counter({"resources": 1}),
        seconds=array("d", [0.001, 0.002, 0.003, 0.004]),
    )
    return Outcome(seed, count, Amounts(500, 4000, 25), Amounts(1000, 8000, 100), balanced)


def test_one_run_is_told_as_it_was() -> None:
    figures = summary([outcome()])
    assert list(figures)[: len(KEYS)] == KEYS
    assert [figures[key] for key in KEYS] == [
        3, 1, {"resources": 1}, 50.0, 50.0, 25.0, 2000.0, 4000.0, 400.0, True,
    ]  # fmt: skip
    assert figures["peak_gpu_allocation_percent"] == 90.0
    assert figures["peak_cpu_allocation_percent"] == 100.0


def test_of_several_runs_the_means_are_told_and_the_reasons_added_up() -> None:
    figures = summary([outcome(42, placed=3), outcome(43, placed=4)])
    assert list(figures)[: len(KEYS)] == KEYS
    assert (figures["placed"], figures["refused"]) == (3.5, 1.0)
    assert figures["reasons"] == {"resources": 2}
    assert figures["balanced"] is True
    each = figures["per_seed"]
    assert isinstance(each, list)
    assert [(one["seed"], one["placed"]) for one in each] == [(42, 3), (43, 4)]


def test_a_refusal_is_counted_under_the_first_check_that_no_host_was_left_after() -> None:
    error = NoValidHost("full")
    assert first_failing_check(error) == "none"
    stages = (StageCount("zone", 9, 3), StageCount("MEMORY_MB", 3, 1), StageCount("GPU", 1, 0))
    error.decision = Decision(counts=(*stages, StageCount("VCPU", 0, 0)))
    assert first_failing_check(error) == "GPU"


def test_one_unbalanced_run_makes_the_whole_unbalanced() -> None:
    assert summary([outcome(), outcome(balanced=False)])["balanced"] is False


def test_nothing_asked_and_nothing_there_is_told_as_zero() -> None:
    empty = Outcome(1, Count(), Amounts(), Amounts(), True)
    figures = summary([empty])
    assert (figures["p50_us"], figures["decisions_per_s"]) == (0.0, 0.0)
    assert figures["gpu_allocation_percent"] == 0.0
