"""What each method gives, as a type checker sees it."""

from __future__ import annotations

from typing import assert_type

from scheduler_lib import SchedulerClient
from scheduler_lib.client import OperationStatistics
from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.model.decision import Decision, Destination, Explanation, Reason
from scheduler_lib.model.request import Request
from scheduler_lib.query.base import QueryBackend
from scheduler_lib.report.base import ReportBackend
from scheduler_lib.testing import FakeQuery, FakeReport

SPEC: dict[str, object] = {"instance_type": {"vcpus": 1}, "num_instances": 1}
CONSUMER = "11111111-1111-4111-8111-111111111111"


def conductor(client: SchedulerClient, spec_obj: object) -> None:
    """Without objects the answer is dictionaries; with them, lists of destinations."""
    assert_type(client.select_destinations(None, SPEC, {}), list[dict[str, object]])
    assert_type(client.select_resources(None, {"request_spec": SPEC}), list[dict[str, object]])
    assert_type(
        client.select_destinations(None, spec_obj=spec_obj, return_objects=False),
        list[dict[str, object]],
    )
    assert_type(
        client.select_destinations(
            None,
            spec_obj=spec_obj,
            instance_uuids=[CONSUMER],
            return_objects=True,
            return_alternates=True,
        ),
        list[list[Destination]],
    )


def passing_on(client: SchedulerClient, *, return_objects: bool) -> None:
    """Who does not know which form is asked for gets either."""
    assert_type(
        client.select_destinations(None, SPEC, return_objects=return_objects),
        list[dict[str, object]] | list[list[Destination]],
    )


def typed(client: SchedulerClient) -> None:
    """The typed form gives a decision, or an error that may carry one."""
    request = Request.build({"VCPU": 1}, consumers=[CONSUMER])
    try:
        assert_type(client.select(None, request, request_key="k", deadline_s=1.5), Decision)
    except NoValidHost as error:
        assert_type(error.decision, Decision | None)
        if error.decision is not None:
            assert_type(error.decision.reasons(), tuple[Reason, ...])
    assert_type(client.explain(None, request), Explanation)
    assert_type(client.release(None, [CONSUMER]), tuple[str, ...])


def tracker(client: SchedulerClient) -> None:
    """A name is a text or a pair; what is read back is plain."""
    client.update_resource_stats(None, "host1", {"vcpus": 8})
    client.update_resource_stats(None, ("host1", "node1"), {"vcpus": 8})
    assert_type(client.get_resource_stats(None, "host1"), dict[str, object])
    assert_type(client.list_resource_stats(None), list[dict[str, object]])
    client.delete_resource(None, ("host1", "node1"))
    assert_type(client.statistics.of("select"), OperationStatistics)


def backends() -> SchedulerClient:
    """The fakes are backends; a client takes them as objects or by name."""
    query: QueryBackend = FakeQuery(hosts=["h1", ("h2", "n2")])
    report: ReportBackend = FakeReport()
    with SchedulerClient(query=query, report=report) as client:
        assert_type(client, SchedulerClient)
    return SchedulerClient(query="fake", report="fake")
