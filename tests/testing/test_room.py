"""What others' tests get: clients as fixtures, options, builders, a clock."""

import subprocess
import sys

import pytest

import scheduler_lib.testing
from scheduler_lib.exceptions import ClientClosed, NoValidHost
from scheduler_lib.model.request import Request
from scheduler_lib.testing import (
    FakeQuery,
    ManualClock,
    SchedulerClientFixture,
    a_host,
    a_legacy_request,
    a_request,
)


def test_every_exported_name_is_there_and_sorted():
    assert scheduler_lib.testing.__all__ == sorted(scheduler_lib.testing.__all__)
    for name in scheduler_lib.testing.__all__:
        assert getattr(scheduler_lib.testing, name) is not None
    with pytest.raises(AttributeError):
        _ = scheduler_lib.testing.nothing


def test_client_fixture_is_the_embedded_scheduler(scheduler_client):
    a_host("h1").vcpus(1).report(scheduler_client)
    assert scheduler_client.select(None, a_request(VCPU=1).build()).destinations[0].claimed
    with pytest.raises(NoValidHost):
        scheduler_client.select(None, a_request(VCPU=1).build())


def test_fake_client_fixture_answers_without_any_host(fake_scheduler_client):
    given = fake_scheduler_client.select_destinations(None, *a_legacy_request())
    assert given[0]["host"] == "fake-host"


def test_fixture_gives_the_fakes_to_look_at():
    with SchedulerClientFixture(query="fake", report="fake") as fixture:
        a_host("h1").report(fixture.client)
        fixture.client.select("context", a_request(VCPU=1).build())
        assert [name.host for name, _ in fixture.report.reports] == ["h1"]
        assert [call.context for call in fixture.query.calls] == ["context"]
    with pytest.raises(ClientClosed):
        fixture.client.list_resource_stats(None)


def test_fixture_takes_options_and_objects():
    query = FakeQuery(hosts=["x"])
    options = {("scheduler", "call_timeout_s"): 7.0, ("DEFAULT", "service_down_time"): 5.0}
    with SchedulerClientFixture(query=query, report="fake", options=options) as fixture:
        assert fixture.conf.scheduler.call_timeout_s == 7.0
        assert fixture.conf.service_down_time == 5.0
        assert fixture.client.select(None, a_request(VCPU=1).build()).destinations[0].host == "x"


def test_two_fixtures_have_two_databases():
    with SchedulerClientFixture() as one, SchedulerClientFixture() as two:
        a_host("h1").report(one.client)
        assert two.client.list_resource_stats(None) == []


def test_clock_moves_when_told_and_while_somebody_waits():
    clock = ManualClock(100.0)
    clock.advance(2)
    clock.sleep(3)
    assert (clock.now(), clock.monotonic(), clock.slept) == (105.0, 5.0, [3])


def test_request_builder_makes_groups_and_fields():
    request = (
        a_request(VCPU=1, MEMORY_MB=512)
        .requires("CUSTOM_A")
        .forbids("CUSTOM_B")
        .resources("_gpu", VGPU=1)
        .requires("CUSTOM_C", suffix="_gpu")
        .instances(2)
        .zone("az1")
        .field(group_policy="isolate")
        .build()
    )
    assert isinstance(request, Request)
    assert request.groups[""].required == {"CUSTOM_A"}
    assert request.groups[""].forbidden == {"CUSTOM_B"}
    assert dict(request.groups["_gpu"].resources) == {"VGPU": 1}
    assert request.groups["_gpu"].required == {"CUSTOM_C"}
    assert len(request.consumers) == 2
    assert (request.availability_zone, request.group_policy) == ("az1", "isolate")


def test_host_builder_makes_a_report_that_is_taken_whole(scheduler_client):
    host = (
        a_host(("h1", "n1"))
        .vcpus(4, ratio=2.0, used=1)
        .memory_mb(4096)
        .disk_gb(50)
        .inventory("CUSTOM_LICENCE", 3, max_unit=1)
        .trait("HW_CPU_X86_AVX2")
        .aggregate("11111111-1111-4111-8111-111111111111")
        .zone("az1")
        .child("h1_gpu", {"VGPU": 2}, traits=("CUSTOM_A100",))
        .last_seen_up(1_800_000_000.0)
        .disabled("kept out")
        .forced_down()
        .report(scheduler_client)
    )
    row = scheduler_client.get_resource_stats(None, host.name)
    assert row["inventories"]["VCPU"]["total"] == 4
    assert row["inventories"]["CUSTOM_LICENCE"]["max_unit"] == 1
    assert row["children"][0]["name"] == "h1_gpu"
    assert (row["disabled"], row["forced_down"]) == (True, True)


PROGRAM = """
from scheduler_lib.testing import a_request

def test_one(scheduler_client):
    assert scheduler_client.select(None, a_request(VCPU=1).build()).destinations[0].host
"""


def run(tmp_path, *options):
    (tmp_path / "test_one.py").write_text(PROGRAM)
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider",
        "-c", "/dev/null", f"--rootdir={tmp_path}", *options, str(tmp_path / "test_one.py"),
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)


def test_plug_in_is_there_wherever_the_library_is_installed(tmp_path):
    """Without a host the embedded scheduler refuses; an option swaps the backend."""
    assert "NoValidHost" in run(tmp_path).stdout
    fake = run(tmp_path, "--scheduler-query-backend=fake", "--scheduler-report-backend=fake")
    assert fake.returncode == 0, fake.stdout


def test_the_client_of_the_placement_api_takes_answers_without_a_body(placement_api):
    assert placement_api.simulate_put("/traits/CUSTOM_A").status_code == 201
    assert placement_api.simulate_put("/traits/CUSTOM_A").status_code == 204
