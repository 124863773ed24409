"""Code that asks for hosts, and its test without a scheduler."""

from __future__ import annotations

from collections.abc import Mapping

from scheduler_lib import SchedulerClient
from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.testing import FakeQuery, FakeReport


def build(client: SchedulerClient, request_spec: Mapping[str, object]) -> str:
    """Say where an instance is built, or that it has to wait."""
    try:
        return f"on {client.select_destinations(None, request_spec)[0]['host']}"
    except NoValidHost:
        return "later"


def test_an_instance_waits_while_there_is_no_host() -> None:
    query = FakeQuery(hosts=["h1"]).script(NoValidHost("Everything is full."))
    spec = {"instance_type": {"vcpus": 1, "memory_mb": 512}, "num_instances": 1}
    with SchedulerClient(query=query, report=FakeReport()) as client:
        assert build(client, spec) == "later"
        assert build(client, spec) == "on h1"
    assert [call.operation for call in query.calls] == ["select", "select"]
