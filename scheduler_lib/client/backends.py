"""The two backends of a client: named or given, made once, closed once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from scheduler_lib import plugins
from scheduler_lib.exceptions import ClientClosed, InvalidConfiguration
from scheduler_lib.model.clock import Clock
from scheduler_lib.model.naming import shortened
from scheduler_lib.model.settings import CallSettings
from scheduler_lib.query.base import QueryBackend
from scheduler_lib.report.base import ReportBackend

if TYPE_CHECKING:
    from oslo_config.cfg import ConfigOpts

    from scheduler_lib.store.connections import Connections


class Backends:
    """What a client asks, and what it tells.

    :param conf: the options; None for the defaults.
    :param query: a name, an object, or None for the configured one.
    :param report: a name, an object, or None for the configured one.
    :param clock: passed on to the backends that are made here.
    """

    def __init__(
        self,
        conf: ConfigOpts | None,
        query: QueryBackend | str | None,
        report: ReportBackend | str | None,
        clock: Clock,
    ) -> None:
        self._conf = conf
        self._wanted_query = query
        self._wanted_report = report
        self._clock = clock
        self._connections: Connections | None = None
        self._query: QueryBackend | None = None
        self._report: ReportBackend | None = None
        self._closed = False
        self._lock = threading.Lock()

    def settings(self) -> CallSettings:
        """Return what the facade does for each call; with nothing to configure, the defaults.

        :raises InvalidConfiguration: for an option that cannot work.
        """
        given = (self._wanted_query, self._wanted_report)
        if self._conf is None and not any(item is None or isinstance(item, str) for item in given):
            return CallSettings()
        from scheduler_lib.conf import calls

        with self._lock:
            return calls.settings(self._options())

    def query(self) -> QueryBackend:
        """Return the query backend; the first call makes it.

        :raises ClientClosed: after :meth:`close`.
        :raises PluginNotFound: when no such backend is installed.
        """
        ready = self._query
        if ready is not None:
            return ready
        with self._lock:
            self._check_open()
            if self._query is None:
                made = self._made(self._wanted_query, "query")
                if not isinstance(made, QueryBackend):
                    raise _no_backend(made, "query")
                self._query = made
            return self._query

    def report(self) -> ReportBackend:
        """Return the report backend; the first call makes it.

        :raises ClientClosed: after :meth:`close`.
        :raises PluginNotFound: when no such backend is installed.
        """
        ready = self._report
        if ready is not None:
            return ready
        with self._lock:
            self._check_open()
            if self._report is None:
                made = self._made(self._wanted_report, "report")
                if not isinstance(made, ReportBackend):
                    raise _no_backend(made, "report")
                self._report = made
            return self._report

    def close(self) -> None:
        """Close both backends, and the connections that they share; later calls are refused."""
        with self._lock:
            self._closed = True
            holders = (self._query, self._report, self._connections)
            self._query = self._report = self._connections = None
        for holder in holders:
            if holder is not None:
                holder.close()

    def _check_open(self) -> None:
        if self._closed:
            raise ClientClosed("This SchedulerClient is closed.")

    def _options(self) -> ConfigOpts:
        from scheduler_lib import conf

        if self._conf is None:
            self._conf = conf.load()
        elif "scheduler" not in self._conf:
            conf.register(self._conf)
        return self._conf

    def _made(self, wanted: object, kind: str) -> object:
        if wanted is not None and not isinstance(wanted, str):
            return wanted
        options = self._options()
        name = wanted or options["scheduler"][f"{kind}_backend"]
        make = plugins.load(f"scheduler_lib.{kind}", name)
        return make(options, self._shared(), self._clock)

    def _shared(self) -> Connections:
        from scheduler_lib.store.connections import Connections

        if self._connections is None:
            self._connections = Connections(self._clock)
        return self._connections


def _no_backend(made: object, kind: str) -> InvalidConfiguration:
    return InvalidConfiguration(
        f"{kind}: {shortened(made)} is no {kind} backend.",
        hint=f"scheduler_lib.{kind}.base says what it owes.",
        field=kind,
    )
