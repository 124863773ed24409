"""The WSGI applications around the API, in their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from scheduler_lib.api.middleware.authentication import BelievedTokens, KeystoneTokens
from scheduler_lib.api.middleware.request_log import RequestLog
from scheduler_lib.model.settings import PlacementSettings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from oslo_config.cfg import ConfigOpts

NOAUTH = "noauth2"


def surrounded(
    application: WSGIApplication, conf: ConfigOpts, settings: PlacementSettings
) -> WSGIApplication:
    """Return the application with everything around it that the options ask for.

    Each of oslo.middleware's layers reads and writes the whole request anew, so only those stand
    there that do something.
    """
    if settings.auth_strategy == NOAUTH:
        application = BelievedTokens(application)
    else:
        application = KeystoneTokens(application, conf)
    if conf.cors.allowed_origin:
        from oslo_middleware import CORS

        application = CORS(application, conf)
    if settings.healthcheck_path:
        from oslo_middleware import Healthcheck

        health = Healthcheck(None, conf)
        application = _Fork(settings.healthcheck_path, health, application)
    application = RequestLog(application)
    if conf.oslo_middleware.enable_proxy_headers_parsing:
        from oslo_middleware import HTTPProxyToWSGI

        application = HTTPProxyToWSGI(application, conf)
    return application


class _Fork:
    """Sends one path to another application."""

    def __init__(self, path: str, there: WSGIApplication, else_: WSGIApplication) -> None:
        self._path = path
        self._there = there
        self._else = else_

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        chosen = self._there if environ.get("PATH_INFO") == self._path else self._else
        return chosen(environ, start_response)
