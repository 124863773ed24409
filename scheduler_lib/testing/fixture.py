"""A client, or a Placement API, for one test, as a ``fixtures.Fixture``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import fixtures  # type: ignore[import-not-found, unused-ignore]

from scheduler_lib import conf
from scheduler_lib.client import SchedulerClient
from scheduler_lib.model.clock import Clock
from scheduler_lib.query.base import QueryBackend
from scheduler_lib.query.fake import FakeQuery
from scheduler_lib.report.base import ReportBackend
from scheduler_lib.report.fake import FakeReport

if TYPE_CHECKING:
    from falcon.testing import TestClient
    from oslo_config.cfg import ConfigOpts

    from scheduler_lib.api.app import PlacementApp


class SchedulerClientFixture(fixtures.Fixture):  # type: ignore[misc, unused-ignore]
    """Gives a client on a database of its own, and closes it when the test ends.

    ``"fake"`` backends are made here; ``fixture.query`` and ``fixture.report`` reach them.

    :param connection: the database's URL; None for a temporary SQLite file.
    :param query: the query backend, by name or as an object.
    :param report: the report backend, by name or as an object.
    :param options: further options, by group and name: ``{("scheduler", "alternates"): 1}``.
    :param clock: what the time is read on; None for the machine's clock.
    :ivar client: the client.
    :ivar conf: its options.
    """

    client: SchedulerClient
    conf: ConfigOpts

    def __init__(
        self,
        connection: str | None = None,
        *,
        query: QueryBackend | str = "local",
        report: ReportBackend | str = "db",
        options: Mapping[tuple[str, str], object] | None = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__()
        self.query = FakeQuery() if query == "fake" else query
        self.report = FakeReport() if report == "fake" else report
        self._connection = connection
        self._options = dict(options or {})
        self._clock = clock

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures.Fixture calls
        directory = self.useFixture(fixtures.TempDir()).path
        self.conf = conf.load(environment={"XDG_STATE_HOME": directory})
        connection = self._connection or f"sqlite:///{directory}/scheduler.sqlite"
        self.conf.set_override("connection", connection, group="database")
        for (group, name), value in self._options.items():
            self.conf.set_override(name, value, group=None if group == "DEFAULT" else group)
        self.client = SchedulerClient(
            self.conf, query=self.query, report=self.report, clock=self._clock
        )
        self.addCleanup(self.client.close)


class PlacementApiFixture(fixtures.Fixture):  # type: ignore[misc, unused-ignore]
    """Gives a Placement API of its own, without a socket, and closes it when the test ends.

    :param profile: as in :func:`scheduler_lib.testing.api.make_app`.
    :param connection: a database's URL; None for one in memory.
    :ivar app: the WSGI application.
    :ivar client: falcon's test client on it, as the user ``admin``, at the newest microversion.
    """

    app: PlacementApp
    client: TestClient

    def __init__(self, profile: str = "default", *, connection: str | None = None) -> None:
        super().__init__()
        self._profile = profile
        self._connection = connection

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures.Fixture calls
        from falcon.testing import TestClient

        from scheduler_lib.testing.api import ADMIN, Typed, make_app

        self.app = make_app(self._profile, connection=self._connection)
        self.addCleanup(self.app.close)
        self.client = TestClient(Typed(self.app), headers=dict(ADMIN))
