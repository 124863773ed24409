"""What a refusal says: full, filtered, unreachable; reasons of hosts alike; nested values."""

import pytest

from scheduler_lib import SchedulerClient, conf
from scheduler_lib.exceptions import BackendUnavailable, NoValidHost
from scheduler_lib.testing import a_host, a_request


def test_v03_a_full_cloud_a_strict_filter_and_an_outage_are_told_apart(client):
    a_host("h1").zone("az1").report(client)
    with pytest.raises(NoValidHost) as full:
        client.select(None, a_request(VCPU=99).build())
    with pytest.raises(NoValidHost) as filtered:
        client.select(None, a_request(VCPU=1).zone("az2").build())
    lost = [
        {item.check for item in error.value.decision.counts if item.after < item.before}
        for error in (full, filtered)
    ]
    assert lost == [{"VCPU"}, {"availability_zone"}]


def test_v03_an_outage_is_no_answer():
    options = conf.load()
    options.set_override("connection", "postgresql+psycopg://x@127.0.0.1:1/none", "database")
    options.set_override("retry_attempts", 1, "scheduler")
    with SchedulerClient(options) as client, pytest.raises(BackendUnavailable):
        client.select(None, a_request(VCPU=1).build())


def test_v05_hosts_of_one_kind_each_have_the_reason_itself(client):
    for name in ("h1", "h2", "h3"):
        a_host(name).report(client)
    request = a_request(VCPU=1).requires("CUSTOM_C").build()
    client.explain(None, request)
    verdicts = {item.host: item for item in client.explain(None, request).verdicts}
    assert [reason.check for reason in verdicts["h2"].reasons] == ["CUSTOM_C"]
    assert "CUSTOM_C" in verdicts["h2"].reasons[0].message


def test_x09_nested_values_are_stored_and_an_empty_list_clears_them(client):
    pools = [{"vendor_id": "8086", "product_id": "1520", "count": 4}]
    a_host("h1").field(pci_device_pools=pools, metrics=None, stats={"b": {2, 1}}).report(client)
    stored = client.get_resource_stats(None, "h1")
    assert (stored["pci_stats"], stored["stats"]) == (pools, {"b": [1, 2]})
    a_host("h1").field(pci_device_pools=[]).report(client)
    assert client.get_resource_stats(None, "h1")["pci_stats"] == []
    assert client.select(None, a_request(VCPU=1).build()).destinations[0].host == "h1"
