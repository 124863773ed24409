"""Faults that users of such systems met, by the name each has in the catalogue."""

import copy

import pytest

from scheduler_lib.exceptions import HostInUse, InvalidRequest, NoValidHost
from scheduler_lib.testing import a_host, a_legacy_request, a_request


def places(client, request):
    return [item.host for item in client.select(None, request).destinations]


def test_r09_of_several_instances_all_or_none_are_placed(client, used):
    for name in ("h1", "h2"):
        a_host(name).vcpus(2).report(client)
    with pytest.raises(NoValidHost, match=r"4 of 5") as caught:
        client.select(None, a_request(VCPU=1).instances(5).build())
    assert caught.value.decision is not None
    assert (used(client, "h1"), used(client, "h2")) == (0, 0)
    chosen = places(client, a_request(VCPU=1).instances(4).build())
    assert sorted(chosen) == ["h1", "h1", "h2", "h2"]
    assert (used(client, "h1"), used(client, "h2")) == (2, 2)


def test_r09_holds_for_the_dictionaries_too(client, used):
    a_host("h1").vcpus(2).report(client)
    flavor = {"vcpus": 1, "memory_mb": 0, "root_gb": 0}
    with pytest.raises(NoValidHost, match=r"2 of 3"):
        client.select_destinations(None, *a_legacy_request(instances=3, **flavor))
    assert used(client, "h1") == 0
    given = client.select_destinations(None, *a_legacy_request(instances=2, **flavor))
    assert [item["host"] for item in given] == ["h1", "h1"]


def test_m01_reserve_is_taken_off_before_the_ratio(client, used):
    a_host("h1").vcpus(16, ratio=2.0).field(reserved_host_cpus=2).report(client)
    for amount in (14, 14):
        client.select(None, a_request(VCPU=amount).build())
    with pytest.raises(NoValidHost, match="VCPU"):
        client.select(None, a_request(VCPU=1).build())
    assert used(client, "h1") == 28


def test_m03_host_pushed_over_capacity_takes_nothing_more_and_can_shrink(client, used):
    a_host("h1").vcpus(8, ratio=2.0).report(client)
    held = [a_request(VCPU=4).build() for _ in range(3)]
    for request in held:
        client.select(None, request)
    a_host("h1").vcpus(8, ratio=1.0).report(client)
    assert used(client, "h1") == 12
    with pytest.raises(NoValidHost):
        client.select(None, a_request(VCPU=1).build())
    client.release(None, held[0].consumers)
    assert used(client, "h1") == 8
    client.release(None, held[1].consumers)
    assert places(client, a_request(VCPU=4).build()) == ["h1"]


@pytest.mark.parametrize("ratio", [0.0, None])
def test_m07_ratio_of_zero_or_none_is_not_set(client, ratio):
    """Not set is the configured initial ratio: 4.0 for VCPU."""
    client.update_resource_stats(None, "h1", {"vcpus": 8, "cpu_allocation_ratio": ratio})
    assert places(client, a_request(VCPU=32 // 4).instances(4).build()) == ["h1"] * 4
    with pytest.raises(NoValidHost):
        client.select(None, a_request(VCPU=1).build())


def test_m13_amount_of_zero_is_left_out(client):
    client.update_resource_stats(None, "h1", {"vcpus": 4, "memory_mb": 4096})
    spec, properties = a_legacy_request(vcpus=1, memory_mb=512, root_gb=0)
    ((chosen,),) = client.select_destinations(None, spec, properties, return_objects=True)
    assert chosen.allocations == {chosen.provider_uuid: {"VCPU": 1, "MEMORY_MB": 512}}


def test_t02_required_and_forbidden_at_once_is_named(client):
    a_host("h1").report(client)
    with pytest.raises(InvalidRequest, match="CUSTOM_SSD"):
        a_request(VCPU=1).requires("CUSTOM_SSD").forbids("CUSTOM_SSD").build()
    flavor = {"extra_specs": {"trait:CUSTOM_SSD": "required"}}
    spec, properties = a_legacy_request(**flavor)
    spec["instance_type"]["extra_specs"]["trait:custom_ssd"] = "forbidden"
    with pytest.raises(InvalidRequest, match="custom_ssd"):
        client.select_destinations(None, spec, properties)


def test_l06_deleted_in_the_middle_of_a_move_holds_nothing(client, used):
    """The instance's hold moves with it; rolling the move back gives nothing to a deleted one."""
    a_host("h1").vcpus(4).report(client)
    a_host("h2").vcpus(4).report(client)
    instance = a_request(VCPU=4).field(force_hosts=("h1",)).build()
    migration = a_request(VCPU=4).field(force_hosts=("h2",), consumer_type="MIGRATION").build()
    client.select(None, instance)
    client.select(None, migration)
    assert client.release(None, instance.consumers) == instance.consumers
    assert client.release(None, [*migration.consumers, *instance.consumers]) == migration.consumers
    assert (used(client, "h1"), used(client, "h2")) == (0, 0)


def test_x01_incomplete_first_record_disturbs_nobody(client):
    a_host("h1").report(client)
    client.update_resource_stats(None, "h2", {"vcpus": 64, "free_disk_gb": None, "stats": None})
    assert places(client, a_request(VCPU=1, DISK_GB=1).build()) == ["h1"]


def test_x03_report_without_a_change_writes_nothing(client):
    a_host("h1").report(client)
    first = client.get_resource_stats(None, "h1")["updated_at"]
    for moment in range(10):
        a_host("h1").field(updated_at=f"2026-01-01T00:00:{moment:02}Z").report(client)
    assert client.get_resource_stats(None, "h1")["updated_at"] == first
    assert client.statistics.of("update_resource_stats").dropped == 10
    a_host("h1").vcpus(9).report(client)
    assert client.get_resource_stats(None, "h1")["vcpus"] == 9


def test_x05_host_deleted_elsewhere_is_chosen_no_more(make_client, tmp_path):
    """Another process deletes it; this one learns so from the feed."""
    connection = f"sqlite:///{tmp_path}/shared.sqlite"
    ours, theirs = make_client(connection), make_client(connection)
    a_host("h1").vcpus(64).report(ours)
    a_host("h2").vcpus(4).report(ours)
    request = a_request(VCPU=1).field(force_hosts=("h1",)).build()
    assert places(ours, request) == ["h1"]
    with pytest.raises(HostInUse):
        theirs.delete_resource(None, "h1")
    theirs.release(None, request.consumers)
    theirs.delete_resource(None, "h1")
    assert [places(ours, a_request(VCPU=1).build()) for _ in range(3)] == [["h2"]] * 3


def test_x07_no_hosts_known_is_not_no_capacity(client):
    request = a_request(VCPU=1)
    with pytest.raises(NoValidHost, match=r"(?i)no hosts are known"):
        client.select(None, request.build())
    a_host("h1").vcpus(1).report(client)
    assert places(client, request.build()) == ["h1"]
    with pytest.raises(NoValidHost) as caught:
        client.select(None, a_request(VCPU=1).build())
    assert "known" not in caught.value.message


def test_v01_reason_of_every_host_is_in_the_exception(make_client, clock):
    """1 down, 1 disabled, 2 short of memory, 1 without the trait, 1 in another zone."""
    client = make_client(clock=clock)
    now = clock.now()

    def good(name):
        return a_host(name).trait("CUSTOM_T").zone("az1").last_seen_up(now)

    good("down").last_seen_up(now - 3600).report(client)
    good("disabled").disabled("maintenance").report(client)
    good("small1").memory_mb(1024).report(client)
    good("small2").memory_mb(1024).report(client)
    a_host("plain").zone("az1").last_seen_up(now).report(client)
    good("elsewhere").zone("az2").report(client)
    request = a_request(VCPU=1, MEMORY_MB=2048).requires("CUSTOM_T").zone("az1").build()
    with pytest.raises(NoValidHost) as caught:
        client.select(None, request)
    reasons = {reason.host: reason for reason in caught.value.decision.reasons()}
    assert set(reasons) == {"down", "disabled", "small1", "small2", "plain", "elsewhere"}
    small = reasons["small1"]
    assert (small.check, small.asked, small.free) == ("MEMORY_MB", 2048, 1024)
    assert "1024" in small.message
    assert "2048" in small.message
    assert "CUSTOM_T" in reasons["plain"].message
    assert "az" in reasons["elsewhere"].message
    counts = caught.value.decision.counts
    assert counts[0].before == 6
    assert counts[-1].after == 0
    assert sum(count.before - count.after for count in counts) == 6


def test_v09_explain_lists_every_failed_check_of_a_host(client):
    a_host("h1").vcpus(4).zone("az1").report(client)
    request = a_request(VCPU=8).requires("CUSTOM_ROLE").zone("az2").build()
    (verdict,) = client.explain(None, request).verdicts
    assert not verdict.fits
    failed = {reason.check for reason in verdict.reasons}
    assert failed == {"availability_zone", "VCPU", "CUSTOM_ROLE"}


def test_same_request_key_is_answered_once(client, used):
    a_host("h1").vcpus(4).report(client)
    request = a_request(VCPU=1).build()
    first = client.select(None, request, request_key="k")
    again = client.select(None, request, request_key="k")
    assert (first.replayed, again.replayed) == (False, True)
    assert again.selections == first.selections
    assert used(client, "h1") == 1
    client.release(None, request.consumers)
    assert client.select(None, request, request_key="k").selections == first.selections
    assert used(client, "h1") == 0


def test_same_request_key_is_answered_alike_when_nothing_is_left(client):
    a_host("h1").vcpus(1).report(client)
    request = a_request(VCPU=1).build()
    first = client.select(None, request, request_key="k")
    assert client.select(None, request, request_key="k").selections == first.selections


def test_two_clients_on_two_databases_live_side_by_side(make_client, used):
    one, two = make_client(), make_client()
    a_host("h1").vcpus(1).report(one)
    a_host("h1").vcpus(2).report(two)
    assert places(one, a_request(VCPU=1).build()) == ["h1"]
    with pytest.raises(NoValidHost):
        one.select(None, a_request(VCPU=1).build())
    assert used(two, "h1") == 0
    assert places(two, a_request(VCPU=2).build()) == ["h1"]


def test_two_clients_on_one_database_see_each_other(make_client, tmp_path, used):
    connection = f"sqlite:///{tmp_path}/shared.sqlite"
    one, two = make_client(connection), make_client(connection)
    a_host("h1").vcpus(2).report(one)
    request = a_request(VCPU=2).build()
    assert places(two, request) == ["h1"]
    with pytest.raises(NoValidHost):
        one.select(None, a_request(VCPU=1).build())
    assert one.release(None, request.consumers) == request.consumers
    assert places(two, a_request(VCPU=2).build()) == ["h1"]


def test_what_was_accepted_is_there_after_a_restart(make_client, tmp_path, used):
    connection = f"sqlite:///{tmp_path}/kept.sqlite"
    first = make_client(connection)
    a_host("h1").vcpus(2).report(first)
    first.select(None, a_request(VCPU=2).build())
    first.close()
    second = make_client(connection)
    assert used(second, "h1") == 2
    with pytest.raises(NoValidHost):
        second.select(None, a_request(VCPU=1).build())


def test_dry_run_claims_nothing(client, used):
    a_host("h1").vcpus(1).report(client)
    decision = client.select(None, a_request(VCPU=1).build(), dry_run=True)
    assert not decision.destinations[0].claimed
    assert used(client, "h1") == 0


def test_accounting_by_reports_consumes_until_the_next_report(make_client):
    client = make_client(accounting="reported")
    a_host("h1").vcpus(2).report(client)
    decision = client.select(None, a_request(VCPU=2).build())
    assert not decision.destinations[0].claimed
    with pytest.raises(NoValidHost):
        client.select(None, a_request(VCPU=1).build())
    a_host("h1").vcpus(2, used=1).report(client)
    assert places(client, a_request(VCPU=1).build()) == ["h1"]
    with pytest.raises(NoValidHost):
        client.select(None, a_request(VCPU=1).build())


def test_requested_destination_narrows_and_the_filters_still_run(client):
    a_host("h1").vcpus(8).report(client)
    a_host("h2").vcpus(2).report(client)
    a_host("h3").disabled().report(client)

    def ask(host):
        spec = {
            "flavor": {"vcpus": 1, "memory_mb": 1},
            "requested_destination": {"host": host, "node": host},
        }
        return client.select_destinations(None, spec_obj=spec)

    assert [item["host"] for item in ask("h2")] == ["h2"]
    with pytest.raises(NoValidHost):
        ask("h3")


def test_callers_objects_stay_as_they_were_all_the_way_down(client):
    stats = a_host("h1").child("h1_gpu", {"VGPU": 2}).trait("CUSTOM_T").stats()
    spec, properties = a_legacy_request(extra_specs={"resources:VCPU": "2"}, instances=2)
    before = copy.deepcopy((stats, spec, properties))
    client.update_resource_stats(None, "h1", stats)
    client.select_destinations(None, spec, properties)
    assert (stats, spec, properties) == before
