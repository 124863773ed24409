"""The backends of the embedded scheduler keep exactly what they declare, on every database."""

from collections.abc import Sequence

import pytest

from scheduler_lib import conf
from scheduler_lib.model.clock import SystemClock
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.stats import HostStats
from scheduler_lib.query.base import QueryBackend
from scheduler_lib.query.local import LocalQuery
from scheduler_lib.report.base import ReportBackend
from scheduler_lib.report.db import DatabaseReport
from scheduler_lib.store.connections import Connections
from scheduler_lib.testing.builders import HostBuilder
from scheduler_lib.testing.contract import QueryContract, ReportContract


class Embedded:
    """Makes backends over one database, each with connections of its own."""

    options: dict[str, object] = {}

    @pytest.fixture(autouse=True)
    def _database(self, database_url):
        self.url = database_url
        self.connections = []
        yield
        for connections in self.connections:
            connections.close()

    def make(self, kind):
        options = conf.load()
        options.set_override("connection", self.url, group="database")
        for name, value in self.options.items():
            options.set_override(name, value, group="scheduler")
        clock = SystemClock()
        self.connections.append(Connections(clock))
        return kind(options, self.connections[-1], clock)


class TestLocalQuery(Embedded, QueryContract):
    def make_backend(self, hosts: Sequence[HostBuilder]) -> QueryBackend:
        report = self.make(DatabaseReport)
        for host in hosts:
            stats = HostStats.parse(host.stats())
            report.update(None, ResourceName.parse(host.name), stats, deadline=self.deadline())
        return self.make(LocalQuery)


class TestLocalQueryOverReports(TestLocalQuery):
    """Nothing is claimed where reports say what is used."""

    options = {"accounting": "reported"}


class TestDatabaseReport(Embedded, ReportContract):
    def make_backend(self) -> ReportBackend:
        return self.make(DatabaseReport)


def test_database_in_memory_promises_neither_durable_nor_shared():
    options = conf.load()
    options.set_override("connection", "sqlite://", group="database")
    clock = SystemClock()
    promised = DatabaseReport(options, Connections(clock), clock).capabilities
    assert {item.value for item in promised} == {"reads_back", "nested"}
