"""The fakes keep exactly what they declare."""

from collections.abc import Sequence

from scheduler_lib.query.base import QueryBackend
from scheduler_lib.query.fake import FakeQuery
from scheduler_lib.report.base import ReportBackend
from scheduler_lib.report.fake import FakeReport
from scheduler_lib.testing.builders import HostBuilder
from scheduler_lib.testing.contract import QueryContract, ReportContract


class TestFakeQuery(QueryContract):
    def make_backend(self, hosts: Sequence[HostBuilder]) -> QueryBackend:
        return FakeQuery(hosts=[host.name for host in hosts])


class TestFakeReport(ReportContract):
    def make_backend(self) -> ReportBackend:
        return FakeReport()
