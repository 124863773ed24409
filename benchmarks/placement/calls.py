"""A WSGI application called as a server would call it, without a socket."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

VERSION = "placement 1.39"


class Refused(Exception):
    """An answer is not the one that the measurement needs."""


class Answer(NamedTuple):
    """Status and body of one answer."""

    status: int
    body: bytes

    def expect(self, *statuses: int) -> Answer:
        """Go on only with one of these statuses.

        :raises Refused: with the beginning of the body.
        """
        if self.status not in statuses:
            raise Refused(f"{self.status}: {self.body[:500].decode(errors='replace')}")
        return self

    def json(self) -> Any:
        """Give the decoded body."""
        return json.loads(self.body)


class Caller:
    """Sends requests as the administrator, at microversion 1.39."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def call(self, method: str, path: str, body: object = None) -> Answer:
        """Send one request; the encoding of the body is the caller's, and in its time."""
        data = b"" if body is None else json.dumps(body).encode()
        path, _, query = path.partition("?")
        heads: list[str] = []

        def started(status: str, headers: object, exc_info: object = None) -> None:
            heads.append(status)

        answer = self._application(_environ(method, path, query, data), started)
        try:
            text = b"".join(answer)
        finally:
            close = getattr(answer, "close", None)
            if close is not None:
                close()
        return Answer(int(heads[-1][:3]), text)

    def get(self, path: str) -> Answer:
        """Read; anything but 200 is an error."""
        return self.call("GET", path).expect(200)

    def put(self, path: str, body: object) -> Answer:
        """Write; anything but success is an error."""
        return self.call("PUT", path, body).expect(200, 201, 204)

    def post(self, path: str, body: object) -> Answer:
        """Write; anything but success is an error."""
        return self.call("POST", path, body).expect(200, 201, 204)

    def delete(self, path: str) -> Answer:
        """Delete; anything but 204 is an error."""
        return self.call("DELETE", path).expect(204)


def _environ(method: str, path: str, query: str, data: bytes) -> dict[str, Any]:
    environ = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "REMOTE_ADDR": "127.0.0.1",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "localhost",
        "HTTP_ACCEPT": "application/json",
        "HTTP_X_AUTH_TOKEN": "admin",
        "HTTP_OPENSTACK_API_VERSION": VERSION,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(data),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    if data:
        environ["CONTENT_TYPE"] = "application/json"
        environ["CONTENT_LENGTH"] = str(len(data))
    return environ
