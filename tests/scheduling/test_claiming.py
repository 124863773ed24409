"""What is claimed for a choice, and what it tells of the host."""

from __future__ import annotations

from scheduler_lib.model.allocation import Claim
from scheduler_lib.model.decision import Destination, Selection
from scheduler_lib.scheduling.claiming import claim_of
from tests.scheduling.fleets import ask, consumers, fleet_of, host, scheduler, soon, uuid_of


def test_a_claim_is_booked_on_those_whom_the_request_names() -> None:
    request = ask({"VCPU": 2}, project_id="p", user_id="u", consumer_type="MIGRATION")
    allocations = {uuid_of("a"): {"VCPU": 2}}
    selection = Selection(consumers(1)[0], Destination("a", "a", uuid_of("a"), allocations))
    assert claim_of(selection, request) == Claim(
        consumers(1)[0], allocations, project_id="p", user_id="u", consumer_type="MIGRATION"
    )


def test_limits_say_how_far_a_host_may_be_filled_not_what_is_left() -> None:
    units = {"VCPU": (8, 3), "MEMORY_MB": (512, 64), "DISK_GB": (20, 1)}
    asked = ask({"VCPU": 1, "DISK_GB": 2})
    decision = scheduler().select(asked, fleet_of(host("a", units)), None, soon())
    assert decision.destinations[0].limits == {"vcpu": 8, "disk_gb": 20}
