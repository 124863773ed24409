"""The application: made out of options, called by a WSGI server, closed at the end."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from random import Random
from types import TracebackType
from typing import TYPE_CHECKING, Self

from scheduler_lib import conf as options
from scheduler_lib.api import openapi
from scheduler_lib.api.authorization import Authorizer
from scheduler_lib.api.door import falcon_app
from scheduler_lib.api.pipeline import surrounded
from scheduler_lib.api.routes import OPERATIONS
from scheduler_lib.api.service import Service
from scheduler_lib.model.clock import Clock, SystemClock
from scheduler_lib.store.store import Store

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from oslo_config.cfg import ConfigOpts


class PlacementApp:
    """The Placement API as a WSGI application; no socket is needed to call it."""

    def __init__(self, application: WSGIApplication, service: Service) -> None:
        self._application = application
        self._service = service

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        return self._application(environ, start_response)

    def close(self) -> None:
        """Disconnect from the database."""
        self._service.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def create_app(
    conf: ConfigOpts,
    *,
    clock: Clock | None = None,
    random: Random | None = None,
    policy_overrides: Mapping[str, str] | None = None,
) -> PlacementApp:
    """Return the application, connected to its database.

    :param conf: options made by :func:`scheduler_lib.conf.load`.
    :param clock: what time it is; None for the machine's clock.
    :param random: where random choices begin; None for anywhere.
    :param policy_overrides: check strings by rule, for tests; ``*`` for all but ``admin_api``.
    :raises InvalidConfiguration: when the options cannot work.
    :raises SchemaMismatch: when the database belongs to another version.
    :raises BackendUnavailable: when it does not answer.
    """
    options.placement.register_libraries(conf)
    settings = options.placement.settings(conf)
    clock = clock or SystemClock()
    store = Store(options.database.settings(conf), options.capacity.settings(conf), clock)
    if settings.sync_on_startup:
        store.upgrade()
    # Seeded by the system: two processes must not give the same candidates.
    service = Service(store, settings, clock, random or Random(os.urandom(32)))  # noqa: S311
    service.open()
    try:
        authorizer = Authorizer(conf, clock, policy_overrides)
        authorizer.load()
        operations = (*OPERATIONS, openapi.operation(OPERATIONS))
        application = falcon_app(operations, service, authorizer)
        return PlacementApp(surrounded(application, conf, settings), service)
    except BaseException:
        service.close()
        raise
