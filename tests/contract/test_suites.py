"""The suites themselves: they fail on a promise that is broken, and on one that is not made."""

import subprocess
import sys

import pytest

PLUGIN = """
from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.model.capability import Capability
from scheduler_lib.query.fake import FakeQuery
from scheduler_lib.report.fake import FakeReport
from scheduler_lib.testing.contract import QueryContract, ReportContract

class Query(FakeQuery):
    capabilities = FakeQuery.capabilities {query}

class Report(FakeReport):
    capabilities = FakeReport.capabilities {report}

class TestQuery(QueryContract):
    def make_backend(self, hosts):
        return Query(hosts=[host.name for host in hosts])

class TestReport(ReportContract):
    def make_backend(self):
        return Report()
"""


@pytest.fixture
def suite(tmp_path):
    def run(query="", report=""):
        path = tmp_path / "test_plugin.py"
        path.write_text(PLUGIN.format(query=query, report=report))
        command = [
            sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider",
            f"--rootdir={tmp_path}", "-c", "/dev/null", str(path),
        ]  # fmt: skip
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)

    return run


def failed(done):
    """Return what the failed checks of capabilities said."""
    return {
        line.partition("AssertionError: Capability.")[2]
        for line in done.stdout.splitlines()
        if "AssertionError: Capability." in line
    }


def test_backend_that_keeps_its_promises_passes(suite):
    done = suite()
    assert done.returncode == 0, done.stdout


def test_every_promise_that_is_broken_fails(suite):
    done = suite(
        "| {Capability.CLAIMS, Capability.EXPLAINS, Capability.ALL_OR_NOTHING}",
        "| {Capability.DURABLE, Capability.SHARED}",
    )
    broken = ("CLAIMS", "EXPLAINS", "ALL_OR_NOTHING", "DURABLE", "SHARED")
    assert failed(done) == {f"{name} is declared, but not there" for name in broken}, done.stdout


def test_every_promise_that_is_not_made_fails(suite):
    done = suite("- {Capability.RELEASES, Capability.DRY_RUN}", "- {Capability.NESTED}")
    unmade = ("RELEASES", "DRY_RUN", "NESTED")
    assert failed(done) == {f"{name} is there, but not declared" for name in unmade}, done.stdout


def test_promise_that_is_not_for_such_a_backend_fails(suite):
    done = suite("| {Capability.NESTED}")
    assert done.returncode == 1
    assert "test_backend_has_the_shape_of_one" in done.stdout
