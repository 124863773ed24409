"""A Placement API for other people's tests: whole, in memory, without a socket."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from typing import TYPE_CHECKING

from scheduler_lib import conf as options
from scheduler_lib.exceptions import InvalidConfiguration

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from scheduler_lib.api.app import PlacementApp

PROFILES = ("default", "secure-rbac", "open-policy", "cors")

ADMIN = {"x-auth-token": "admin", "openstack-api-version": "placement latest"}

_CORS = {"allowed_origin": ["http://valid.example.com"], "allow_headers": ["openstack-api-version"]}
_OPEN = {"*": "@"}


def make_app(profile: str = "default", *, connection: str | None = None) -> PlacementApp:
    """Return a fresh application; close it with ``close()``, or use it with ``with``.

    :param profile: ``default`` (any token is taken for the user it names; ``admin`` may
        everything), ``secure-rbac`` (the rules of today alone, without those of before),
        ``open-policy`` (everybody may everything) or ``cors`` (browsers from
        ``http://valid.example.com`` may call).
    :param connection: a database's URL; None for one in memory, empty and gone at the end.
    :raises InvalidConfiguration: for a profile that there is not.
    """
    from scheduler_lib.api.app import create_app

    if profile not in PROFILES:
        raise InvalidConfiguration(
            f"There is no profile {profile!r}.", hint=f"Use one of {PROFILES}.", field="profile"
        )
    conf = options.load(environment={"XDG_STATE_HOME": tempfile.gettempdir()})
    options.placement.register_libraries(conf)
    url = (connection or "sqlite://").replace("$", "$$")
    conf.set_override("connection", url, group="database")
    conf.set_override("auth_strategy", "noauth2", group="api")
    conf.set_override("enforce_new_defaults", profile == "secure-rbac", group="oslo_policy")
    if profile == "cors":
        for name, value in _CORS.items():
            conf.set_override(name, value, group="cors")
    return create_app(conf, policy_overrides=_OPEN if profile == "open-policy" else None)


class Typed:
    """The same application, whose answers all have a content type, but for 204.

    Placement leaves it out where there is no body. Test clients that go through
    ``wsgiref.validate``, as falcon's does, take no such answer.
    """

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""

        def start(status, headers, exc_info=None):  # type: ignore[no-untyped-def]
            typed = any(name.lower() == "content-type" for name, _ in headers)
            if not typed and not status.startswith("204"):
                headers = [*headers, ("content-type", "application/json")]
            return start_response(status, headers, exc_info)

        return self._application(environ, start)
