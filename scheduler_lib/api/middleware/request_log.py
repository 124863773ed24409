"""An id for every request, and a line in the log."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from uuid import uuid4

from scheduler_lib.api.errors import STATUS, ApiError, written
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
        if not environ.get("PATH_INFO", "").isascii():
            environ["PATH_INFO"] = _as_bytes(environ["PATH_INFO"])

        def start(status, headers, exc_info=None):  # type: ignore[no-untyped-def]
            headers.append((_HEADER, request_id))
            if LOG.isEnabledFor(logging.INFO):
                _write(environ, status, headers)
            return start_response(status, headers, exc_info)

        try:
            return self._application(environ, start)
        except Exception as error:
            # Of what stands around the API; the API itself answers its own.
            LOG.exception("Request %s failed: %r", request_id, error)  # noqa: TRY401 - in one line
            told = f"It is in the log of the service as request {request_id}."
            return answered(ApiError(500, told), environ, start)


def answered(
    error: ApiError, environ: WSGIEnvironment, start_response: StartResponse
) -> Iterable[bytes]:
    """Answer a request with an error, before or beside the API."""
    answer = written(
        error,
        minor=environ.get(MINOR),
        request_id=environ.get(REQUEST_ID),
        accept=environ.get("HTTP_ACCEPT"),
    )
    headers = [*answer.headers.items(), ("content-length", str(len(answer.body)))]
    start_response(STATUS[answer.status], headers)
    return [answer.body]


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


def _as_bytes(path: str) -> str:
    """Return a path with a character for each byte (PEP 3333); callers in process may decode it."""
    try:
        path.encode("latin-1")
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogatepass").decode("latin-1")
    return path


def _uri(environ: WSGIEnvironment) -> str:
    path = f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}"
    query = environ.get("QUERY_STRING")
    uri = f"{path}?{query}" if query else path
    # Line breaks in a path would forge lines of the log.
    return uri.encode("unicode_escape").decode("ascii")
