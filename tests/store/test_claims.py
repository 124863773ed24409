"""Claims: whole consumers, conditional on what is left, all or nothing."""

from __future__ import annotations

from uuid import uuid4

import pytest

from scheduler_lib.exceptions import (
    ClaimConflict,
    ConsumerNotFound,
    DeadlineExceeded,
    GenerationConflict,
    InvalidRequest,
    ProviderNotFound,
    ResourceClassNotFound,
)
from scheduler_lib.model.allocation import ANY_GENERATION, Claim, Usage
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.settings import CapacitySettings
from tests.store.conftest import Desk, OpenDesk

A, B, C = (str(uuid4()) for _ in range(3))


def _h1(desk: Desk, **stats: object) -> str:
    stats = stats or {"vcpus": 8, "memory_mb": 4096, "cpu_allocation_ratio": 1.0}
    desk.report("h1", **stats)
    return desk.uuid("h1")


class TestCapacity:
    def test_a_claim_is_booked_on_each_inventory(self, desk: Desk) -> None:
        h1 = _h1(desk)
        receipt = desk.write(Claim(A, {h1: {"VCPU": 2, "MEMORY_MB": 512}}))
        assert set(receipt.usages) == {Usage(h1, "VCPU", 2), Usage(h1, "MEMORY_MB", 512)}
        assert desk.used("h1") == {"VCPU": 2, "MEMORY_MB": 512}
        assert desk.held(A) == Claim(A, {h1: {"VCPU": 2, "MEMORY_MB": 512}}, consumer_generation=1)

    def test_the_reserve_is_taken_off_before_the_ratio(self, desk: Desk) -> None:
        _h1(desk, vcpus=16, reserved_host_cpus=2, cpu_allocation_ratio=2.0)
        desk.claim("h1", VCPU=14)
        desk.claim("h1", VCPU=14)
        with pytest.raises(ClaimConflict):
            desk.claim("h1", VCPU=1)
        assert desk.used("h1") == {"VCPU": 28}

    def test_a_refusal_names_what_was_asked_and_what_is_there(self, desk: Desk) -> None:
        h1 = _h1(desk)
        desk.claim("h1", VCPU=6)
        with pytest.raises(ClaimConflict) as caught:
            desk.claim("h1", VCPU=3)
        assert caught.value.fields == {
            "provider": h1, "resource_class": "VCPU", "asked": 3, "used": 6, "capacity": 8,
            "why": "capacity",
        }  # fmt: skip

    def test_the_last_unit_can_be_had(self, desk: Desk) -> None:
        _h1(desk)
        desk.claim("h1", VCPU=7)
        desk.claim("h1", VCPU=1)
        assert desk.used("h1") == {"VCPU": 8}

    def test_a_class_that_the_provider_lacks_is_a_conflict(self, desk: Desk) -> None:
        _h1(desk)
        with pytest.raises(ClaimConflict) as caught:
            desk.claim("h1", DISK_GB=1)
        assert (caught.value.fields["why"], caught.value.fields["capacity"]) == ("inventory", 0)

    @pytest.mark.parametrize("amount", [1, 5, 12])
    def test_amounts_keep_to_minimum_maximum_and_step(self, desk: Desk, amount: int) -> None:
        inventory = {"total": 100, "min_unit": 2, "max_unit": 10, "step_size": 2}
        _h1(desk, inventories={"CUSTOM_X": inventory})
        with pytest.raises(ClaimConflict) as caught:
            desk.claim("h1", CUSTOM_X=amount)
        assert caught.value.fields["why"] == "units"
        desk.claim("h1", CUSTOM_X=10)
        assert desk.used("h1") == {"CUSTOM_X": 10}

    def test_large_inventories_are_summed_exactly(self, desk: Desk) -> None:
        most = 2**31 - 1
        _h1(desk, inventories={"CUSTOM_X": {"total": most, "allocation_ratio": 16.0}})
        for _ in range(16):
            desk.claim("h1", CUSTOM_X=most)
        assert desk.used("h1") == {"CUSTOM_X": 16 * most}
        with pytest.raises(ClaimConflict):
            desk.claim("h1", CUSTOM_X=1)
        assert desk.discrepancies() == []

    def test_a_zero_is_left_out(self, desk: Desk) -> None:
        h1 = _h1(desk)
        desk.write(Claim(A, {h1: {"VCPU": 1, "DISK_GB": 0}}))
        assert desk.held(A).allocations == {h1: {"VCPU": 1}}

    def test_an_inventory_shrunk_below_its_usage_can_only_be_drained(self, desk: Desk) -> None:
        h1 = _h1(desk, vcpus=8, cpu_allocation_ratio=2.0)
        for consumer in (A, B, C):
            desk.claim("h1", consumer, VCPU=4)
        desk.report("h1", cpu_allocation_ratio=1.0)
        assert desk.used("h1") == {"VCPU": 12}
        with pytest.raises(ClaimConflict):
            desk.claim("h1", VCPU=1)
        desk.write(Claim(A, {h1: {"VCPU": 4}}, consumer_generation=1))
        desk.write(Claim(A, {h1: {"VCPU": 3}}, consumer_generation=2))
        assert desk.used("h1") == {"VCPU": 11}
        with pytest.raises(ClaimConflict):
            desk.write(Claim(A, {h1: {"VCPU": 4}}, consumer_generation=3))
        assert [kind for kind, _ in desk.discrepancies()] == ["over_capacity"]


class TestConsumers:
    def test_a_new_consumer_must_hold_nothing(self, desk: Desk) -> None:
        desk.report("h1", vcpus=8)
        desk.claim("h1", A, VCPU=1)
        with pytest.raises(GenerationConflict) as caught:
            desk.claim("h1", A, VCPU=1)
        assert caught.value.fields == {
            "kind": "consumer", "uuid": A, "expected": None, "found": 1,
        }  # fmt: skip

    def test_a_generation_must_be_the_one_that_is_stored(self, desk: Desk) -> None:
        h1 = _h1(desk)
        desk.claim("h1", A, VCPU=1)
        desk.write(Claim(A, {h1: {"VCPU": 2}}, consumer_generation=1))
        with pytest.raises(GenerationConflict):
            desk.write(Claim(A, {h1: {"VCPU": 3}}, consumer_generation=1))
        with pytest.raises(GenerationConflict):
            desk.write(Claim(B, {h1: {"VCPU": 3}}, consumer_generation=1))
        assert desk.held(A).allocations == {h1: {"VCPU": 2}}
        assert desk.used("h1") == {"VCPU": 2}

    def test_any_generation_replaces_whatever_there_is(self, desk: Desk) -> None:
        h1 = _h1(desk)
        for amount in (1, 2):
            desk.write(Claim(A, {h1: {"VCPU": amount}}, consumer_generation=ANY_GENERATION))
        assert desk.held(A).consumer_generation == 2
        assert desk.used("h1") == {"VCPU": 2}

    def test_a_claim_replaces_the_whole_consumer(self, desk: Desk) -> None:
        h1 = _h1(desk)
        desk.report("h2", vcpus=8, memory_mb=4096)
        h2 = desk.uuid("h2")
        desk.claim("h1", A, VCPU=8, MEMORY_MB=1024)
        receipt = desk.write(Claim(A, {h2: {"VCPU": 4}}, consumer_generation=1))
        assert set(receipt.usages) == {
            Usage(h1, "VCPU", 0), Usage(h1, "MEMORY_MB", 0), Usage(h2, "VCPU", 4),
        }  # fmt: skip
        assert desk.used("h1") == {}
        assert desk.held(A).allocations == {h2: {"VCPU": 4}}

    def test_growing_in_place_asks_only_for_the_difference(self, desk: Desk) -> None:
        h1 = _h1(desk)
        desk.claim("h1", A, VCPU=6)
        desk.write(Claim(A, {h1: {"VCPU": 8}}, consumer_generation=1))
        assert desk.used("h1") == {"VCPU": 8}

    def test_what_stays_as_it_was_is_no_news(self, desk: Desk) -> None:
        h1 = _h1(desk)
        desk.claim("h1", A, VCPU=6)
        before = desk.newest_change()
        receipt = desk.write(Claim(A, {h1: {"VCPU": 6}}, consumer_generation=1))
        assert (receipt.change_ids, desk.newest_change()) == ((), before)
        assert desk.used("h1") == {"VCPU": 6}

    def test_an_amount_that_was_given_stays_when_other_amounts_are_sold_now(
        self, desk: Desk
    ) -> None:
        h1 = _h1(desk, vcpus=8, inventories={"CUSTOM_X": {"total": 100}})
        desk.claim("h1", A, CUSTOM_X=7, VCPU=1)
        desk.report("h1", inventories={"CUSTOM_X": {"total": 100, "max_unit": 6, "step_size": 2}})
        desk.write(Claim(A, {h1: {"CUSTOM_X": 7, "VCPU": 2}}, consumer_generation=1))
        assert desk.used("h1") == {"CUSTOM_X": 7, "VCPU": 2}
        for amount in (5, 8):
            with pytest.raises(ClaimConflict):
                desk.write(Claim(A, {h1: {"CUSTOM_X": amount}}, consumer_generation=2))
        desk.write(Claim(A, {h1: {"CUSTOM_X": 6}}, consumer_generation=2))
        assert desk.used("h1") == {"CUSTOM_X": 6}

    def test_consumers_can_change_places_when_both_are_full(self, desk: Desk) -> None:
        h1 = _h1(desk)
        desk.claim("h1", A, VCPU=8)
        desk.write(
            Claim(A, {}, consumer_generation=1),
            Claim(B, {h1: {"VCPU": 8}}, consumer_generation=None),
        )
        assert desk.held(B).allocations == {h1: {"VCPU": 8}}
        with pytest.raises(ConsumerNotFound):
            desk.held(A)

    def test_a_type_that_is_not_named_stays_as_it_is(self, desk: Desk) -> None:
        h1 = _h1(desk)
        desk.write(
            Claim(A, {h1: {"VCPU": 1}}, consumer_type="MIGRATION"),
            Claim(B, {h1: {"VCPU": 1}}, consumer_type=None),
        )
        for consumer, kind in ((A, "MIGRATION"), (B, None)):
            desk.write(Claim(consumer, {h1: {"VCPU": 2}}, "p1", "u1", None, 1))
            held = desk.held(consumer)
            assert (held.consumer_type, held.project_id, held.consumer_generation) == (
                kind, "p1", 2,
            )  # fmt: skip
        desk.write(Claim(B, {h1: {"VCPU": 2}}, "p1", "u1", "INSTANCE", 2))
        assert desk.held(B).consumer_type == "INSTANCE"

    def test_project_user_and_type_are_kept_and_can_change(self, desk: Desk) -> None:
        h1 = _h1(desk)
        desk.write(Claim(A, {h1: {"VCPU": 1}}, "p1", "u1", "MIGRATION"))
        held = desk.held(A)
        assert (held.project_id, held.user_id, held.consumer_type) == ("p1", "u1", "MIGRATION")
        desk.write(Claim(A, {h1: {"VCPU": 1}}, "p2", "u1", "INSTANCE", 1))
        held = desk.held(A)
        assert (held.project_id, held.consumer_type) == ("p2", "INSTANCE")

    def test_a_released_consumer_leaves_nothing(self, desk: Desk) -> None:
        h1 = _h1(desk)
        desk.claim("h1", A, VCPU=8)
        receipt = desk.release(A, B)
        assert receipt.released == (A,)
        assert receipt.usages == (Usage(h1, "VCPU", 0),)
        with pytest.raises(ConsumerNotFound):
            desk.held(A)
        assert desk.release(A).released == ()
        desk.claim("h1", A, VCPU=8)

    def test_a_move_that_was_deleted_half_way_leaves_nothing(self, desk: Desk) -> None:
        h1 = _h1(desk)
        desk.report("h2", vcpus=8)
        instance, migration = str(uuid4()), str(uuid4())
        desk.claim("h1", instance, VCPU=4)
        desk.write(
            Claim(instance, {desk.uuid("h2"): {"VCPU": 4}}, consumer_generation=1),
            Claim(migration, {h1: {"VCPU": 4}}, consumer_type="MIGRATION"),
        )
        read = desk.held(instance)
        desk.release(instance)
        with pytest.raises(GenerationConflict):
            # The roll-back writes what it read; the consumer is gone, so it must not come back.
            desk.write(
                Claim(migration, {}, consumer_generation=1),
                Claim(instance, {h1: {"VCPU": 4}}, consumer_generation=read.consumer_generation),
            )
        desk.release(migration)
        assert desk.used("h1") == desk.used("h2") == {}
        assert desk.discrepancies() == []


class TestAtomicity:
    def test_of_several_consumers_all_or_none_are_written(self, desk: Desk) -> None:
        h1 = _h1(desk)
        with pytest.raises(ClaimConflict):
            desk.write(*(Claim(str(uuid4()), {h1: {"VCPU": 3}}) for _ in range(3)))
        assert desk.used("h1") == {}
        desk.write(*(Claim(str(uuid4()), {h1: {"VCPU": 4}}) for _ in range(2)))
        assert desk.used("h1") == {"VCPU": 8}

    def test_a_refused_claim_leaves_no_trace(self, desk: Desk) -> None:
        h1 = _h1(desk)
        before, generation = desk.newest_change(), desk.generation("h1")
        unknown = str(uuid4())
        with pytest.raises(ProviderNotFound) as caught:
            desk.write(Claim(B, {h1: {"VCPU": 1}}), Claim(A, {unknown: {"VCPU": 1}}, "new"))
        assert caught.value.fields["provider"] == unknown
        assert desk.newest_change() == before
        assert desk.generation("h1") == generation
        desk.write(Claim(A, {h1: {"VCPU": 1}}), Claim(B, {h1: {"VCPU": 1}}))
        assert desk.discrepancies() == []

    def test_a_hundred_consumers_fit_in_one_write(self, desk: Desk) -> None:
        for host in range(5):
            desk.report(f"h{host}", vcpus=100, cpu_allocation_ratio=1.0)
        uuids = [desk.uuid(f"h{host}") for host in range(5)]
        claims = [Claim(str(uuid4()), {uuids[i % 5]: {"VCPU": 5}}) for i in range(100)]
        receipt = desk.write(*claims)
        assert {usage.used for usage in receipt.usages} == {100}
        assert len(receipt.change_ids) == 5
        assert desk.discrepancies() == []


class TestBadInput:
    @pytest.mark.parametrize("amount", [1.5, "1", True, -1, 2**31])
    def test_an_amount_must_be_whole(self, desk: Desk, amount: object) -> None:
        h1 = _h1(desk)
        with pytest.raises(InvalidRequest) as caught:
            desk.write(Claim(A, {h1: {"VCPU": amount}}))  # type: ignore[dict-item]
        assert caught.value.fields["field"] == "allocations.VCPU"

    def test_an_unknown_class_is_named_with_the_nearest(self, desk: Desk) -> None:
        h1 = _h1(desk)
        with pytest.raises(ResourceClassNotFound) as caught:
            desk.write(Claim(A, {h1: {"VCPUS": 1}}))
        assert caught.value.fields == {"resource_class": "VCPUS", "nearest": "VCPU"}

    def test_an_unknown_provider_is_told_before_an_unknown_class(self, desk: Desk) -> None:
        _h1(desk)
        with pytest.raises(ProviderNotFound):
            desk.write(Claim(A, {B: {"CUSTOM_NO": 1}}))

    def test_a_consumer_is_named_once(self, desk: Desk) -> None:
        h1 = _h1(desk)
        with pytest.raises(InvalidRequest):
            desk.write(Claim(A, {h1: {"VCPU": 1}}), Claim(A.upper(), {h1: {"VCPU": 1}}))

    @pytest.mark.parametrize(
        "claim",
        [
            Claim("x", {}),
            Claim(A, {"x": {"VCPU": 1}}),
            Claim(A, {}, project_id=""),
            Claim(A, {}, user_id="u" * 256),
            Claim(A, {}, consumer_type="vm"),
        ],
    )
    def test_what_cannot_be_stored_is_refused(self, desk: Desk, claim: Claim) -> None:
        with pytest.raises(InvalidRequest):
            desk.write(claim)

    def test_uuids_are_taken_in_every_form(self, desk: Desk) -> None:
        h1 = _h1(desk)
        desk.write(Claim(A.replace("-", "").upper(), {h1.upper(): {"VCPU": 1}}))
        assert desk.held(A).allocations == {h1: {"VCPU": 1}}

    def test_no_claims_change_nothing(self, desk: Desk) -> None:
        before = desk.newest_change()
        assert desk.write().change_ids == ()
        assert desk.newest_change() == before

    def test_nothing_is_written_after_the_deadline(self, desk: Desk) -> None:
        h1 = _h1(desk)
        late = Deadline.after(1.0, desk.clock)
        desk.clock.advance(2)
        with pytest.raises(DeadlineExceeded):
            desk.store.claims.write([Claim(A, {h1: {"VCPU": 1}})], late)
        assert desk.used("h1") == {}


def test_a_database_in_memory_is_one_for_all_threads(open_desk: OpenDesk) -> None:
    desk = open_desk("sqlite://", CapacitySettings(initial_cpu_allocation_ratio=1.0))
    desk.report("h1", vcpus=1)
    desk.claim("h1", VCPU=1)
    with pytest.raises(ClaimConflict):
        desk.claim("h1", VCPU=1)
    assert desk.discrepancies() == []
