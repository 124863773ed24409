"""Who calls: by a token that keystone knows, or by one that is believed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from scheduler_lib.api.errors import ApiError
from scheduler_lib.api.middleware.request_log import answered
from scheduler_lib.exceptions import InvalidConfiguration

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from oslo_config.cfg import ConfigOpts

# Whoever asks for these need not say who they are.
OPEN_PATHS = frozenset({"", "/", "/openapi.json"})
_SAID = ("X_USER_ID", "X_TENANT_ID", "X_PROJECT_ID", "X_ROLES")


class BelievedTokens:
    """Takes the token for the user it names: ``user`` or ``user:project`` (Placement's noauth2).

    ``X-Project-Id`` names another project. Roles are those of the header ``X-Roles``; without it
    the user ``admin`` has the role admin, and others have none. ``OpenStack-System-Scope`` makes
    the caller act for no project.
    """

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        if environ.get("PATH_INFO", "") in OPEN_PATHS:
            return self._application(environ, start_response)
        token = environ.get("HTTP_X_AUTH_TOKEN")
        user, _, project = (token or "").partition(":")
        if not user:
            return refused(environ, start_response)
        roles = environ.get("HTTP_X_ROLES", "admin" if user == "admin" else "")
        project = environ.get("HTTP_X_PROJECT_ID") or project or user
        for name in _SAID:
            environ.pop(f"HTTP_{name}", None)
        environ["HTTP_X_USER_ID"] = user
        environ["HTTP_X_ROLES"] = roles
        if not environ.get("HTTP_OPENSTACK_SYSTEM_SCOPE"):
            environ["HTTP_X_TENANT_ID"] = environ["HTTP_X_PROJECT_ID"] = project
        return self._application(environ, start_response)


class KeystoneTokens:
    """Has keystonemiddleware check the token; open paths pass it by.

    :param conf: the options, with the group ``[keystone_authtoken]``.
    :raises InvalidConfiguration: when they do not say how to reach keystone.
    """

    def __init__(self, application: WSGIApplication, conf: ConfigOpts) -> None:
        from keystonemiddleware import auth_token

        self._application = application
        self._checked = auth_token.AuthProtocol(
            _named_callers(application), {"oslo_config_config": conf}
        )
        group = conf.keystone_authtoken
        if not (group.auth_type or group.auth_section):
            raise InvalidConfiguration(
                "[keystone_authtoken] does not say how to reach keystone.",
                hint="Set auth_type and what it needs, or [api] auth_strategy = noauth2 for tests.",
                field="keystone_authtoken.auth_type",
            )

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        if environ.get("PATH_INFO", "") in OPEN_PATHS:
            return self._application(environ, start_response)
        answer: Iterable[bytes] = self._checked(environ, start_response)
        return answer


def _named_callers(application: WSGIApplication) -> WSGIApplication:
    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not environ.get("HTTP_X_USER_ID"):
            return refused(environ, start_response)
        return application(environ, start_response)

    return answer


def refused(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Answer a request whose caller is not known."""
    return answered(ApiError(401, ""), environ, start_response)
