"""The Placement API beside openstack-placement 16.0.0: a test a table of ``benchmarks.placement``.

The tables go to the output (``-s`` shows them); a test fails when a target is missed.
"""

from __future__ import annotations

import importlib
import importlib.util
import os

import pytest

from benchmarks.placement.lines import table

LONG = "SCHEDULER_LIB_BENCH_LONG"
QUICK = ("nested", "wide", "claims", "following", "starting")
# Minutes each, even on a quiet machine.
SLOW = ("candidates", "contention", "deciding", "serving")

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("placement") is None, reason="openstack-placement is not installed"
)


@pytest.mark.parametrize("subject", QUICK)
def test_targets_are_met(subject):
    assert missed(subject) == []


@pytest.mark.skipif(LONG not in os.environ, reason=f"takes minutes; {LONG}=1 runs it")
@pytest.mark.parametrize("subject", SLOW)
def test_targets_are_met_in_minutes(subject):
    assert missed(subject) == []


def missed(subject):
    """Measure a subject, print its table, and return what did not meet its target."""
    lines = list(importlib.import_module(f"benchmarks.placement.{subject}").lines())
    print(f"\n{table(lines)}")
    return [(line.what, line.missed) for line in lines if line.missed]
