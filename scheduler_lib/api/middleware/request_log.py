"""An id for every request, and a line in the log."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from uuid import uuid4

from scheduler_lib.api.versions import text

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LOG = logging.getLogger(__name__)

REQUEST_ID = "openstack.request_id"
GLOBAL_REQUEST_ID = "openstack.global_request_id"
MINOR = "scheduler_lib.minor"
_HEADER = "x-openstack-request-id"
_ID = re.compile(r"req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")


class RequestLog:
    """Gives each request an id, sends it back in a header, and writes one line about it.

    :param application: what answers.
    """

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        request_id = environ[REQUEST_ID] = f"req-{uuid4()}"
        caller_id = environ.get("HTTP_X_OPENSTACK_REQUEST_ID", "")
        if _ID.match(caller_id):
            # The caller's own id, which links what several services did for one request.
            environ[GLOBAL_REQUEST_ID] = caller_id
        if not environ.get("HTTP_ACCEPT") or environ["HTTP_ACCEPT"] == "*/*":
            environ["HTTP_ACCEPT"] = "application/json"

        def start(status, headers, exc_info=None):  # type: ignore[no-untyped-def]
            headers.append((_HEADER, request_id))
            if LOG.isEnabledFor(logging.INFO):
                _write(environ, status, headers)
            return start_response(status, headers, exc_info)

        return self._application(environ, start)


def _write(environ: WSGIEnvironment, status: str, headers: list[tuple[str, str]]) -> None:
    length = next((value for name, value in headers if name.lower() == "content-length"), "-")
    minor = environ.get(MINOR)
    LOG.info(
        '%s "%s %s" status: %s len: %s microversion: %s [%s]',
        environ.get("REMOTE_ADDR", "-"),
        environ["REQUEST_METHOD"],
        _uri(environ),
        status.partition(" ")[0],
        length,
        "-" if minor is None else text(minor),
        " ".join(filter(None, (environ[REQUEST_ID], environ.get(GLOBAL_REQUEST_ID)))),
    )


def _uri(environ: WSGIEnvironment) -> str:
    path = f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}"
    query = environ.get("QUERY_STRING")
    uri = f"{path}?{query}" if query else path
    # Line breaks in a path would forge lines of the log.
    return uri.encode("unicode_escape").decode("ascii")
