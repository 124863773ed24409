"""Storage that hosts share through an aggregate, from the report to the claim."""

import pytest

from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.testing import a_host, a_request

A = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
SHARES = "MISC_SHARES_VIA_AGGREGATE"


def _pool(name, *aggregates):
    host = a_host(name).field(vcpus=None, memory_mb=None, local_gb=None)
    return host.inventory("DISK_GB", 1000).trait(SHARES).aggregate(*aggregates)


@pytest.fixture
def cluster(client):
    """S01: two pools, one of them in the first host's aggregate; hosts with disks of their own."""
    for pool in (_pool("ss1", A), _pool("ss2")):
        pool.report(client)
    a_host("cn1").disk_gb(1000).aggregate(A).report(client)
    a_host("cn2").disk_gb(1000).report(client)
    return client


def test_s01_a_pool_serves_the_hosts_of_its_aggregate_when_their_own_disk_is_short(client, used):
    _pool("ss1", A).report(client)
    _pool("ss2").report(client)
    a_host("cn1").disk_gb(5).aggregate(A).report(client)
    a_host("cn2").disk_gb(5).report(client)
    decision = client.select(None, a_request(VCPU=1, MEMORY_MB=512, DISK_GB=500).build())
    assert [item.host for item in decision.destinations] == ["cn1"]
    assert used(client, "ss1", "DISK_GB") == 500
    assert used(client, "ss2", "DISK_GB") == used(client, "cn1", "DISK_GB") == 0
    assert used(client, "cn1") == 1


def test_s01_a_host_without_a_pool_has_only_its_own_disk(client):
    _pool("ss2").report(client)
    a_host("cn2").disk_gb(5).report(client)
    with pytest.raises(NoValidHost) as caught:
        client.select(None, a_request(VCPU=1, DISK_GB=500).build())
    messages = {item.host: item.message for item in caught.value.decision.reasons()}
    assert "500 DISK_GB" in messages["cn2"]


def test_s03_asking_only_for_the_shared_class_takes_any_provider_of_it(cluster):
    request = a_request(DISK_GB=10).build()
    explained = cluster.explain(None, request)
    assert sorted(item.host for item in explained.verdicts if item.fits) == [
        "cn1",
        "cn2",
        "ss1",
        "ss2",
    ]
    assert cluster.select(None, request).destinations[0].host == "cn1"


def test_s05_who_loses_the_pool_leaves_nothing_on_its_host(client, used):
    _pool("ss1", A).inventory("DISK_GB", 20).report(client)
    for name in ("cn1", "cn2"):
        a_host(name).field(local_gb=None).aggregate(A).report(client)
    request = a_request(VCPU=1, DISK_GB=20)
    first = client.select(None, request.build()).destinations[0].host
    with pytest.raises(NoValidHost):
        client.select(None, a_request(VCPU=1, DISK_GB=20).build())
    other = {"cn1": "cn2", "cn2": "cn1"}[first]
    assert (used(client, first), used(client, other)) == (1, 0)
    assert used(client, "ss1", "DISK_GB") == 20
