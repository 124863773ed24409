"""One request to a WSGI app, and what it says to it; nothing in between tidies either up."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

App = Callable[..., Iterable[bytes]]


@dataclass(frozen=True)
class Request:
    """What is sent.

    :ivar path: as it stands in the URL, percent-encoded.
    :ivar query: as it stands in the URL, without the question mark.
    :ivar body: a value that is sent as JSON, bytes as they are, or None for no body.
    :ivar version: a microversion, or what stands in the place of one; None: no header.
    :ivar headers: on top of, or None to take away.
    """

    method: str
    path: str
    query: str = ""
    body: object = None
    version: str | None = "1.39"
    headers: Mapping[str, str | None] = field(default_factory=dict)

    def at(self, version: str) -> Request:
        """Return the same at another microversion."""
        return replace(self, version=version)

    def __str__(self) -> str:
        query = f"?{self.query}" if self.query else ""
        shown = f"{self.method} {self.path}{query} @{self.version}"
        if self.headers:
            shown += f" {dict(self.headers)}"
        if self.body is not None:
            text = self.body if isinstance(self.body, bytes) else json.dumps(self.body)
            shown += f" {text[:2000]!r}"
        return shown[:4000]


@dataclass(frozen=True)
class Response:
    """What came back; ``headers`` by lower-case name."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, read as JSON; None when it is something else."""
        kind = self.headers.get("content-type", "")
        if not self.body or not kind.startswith("application/json"):
            return None
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        """The first error in the body; empty when there is none."""
        found = self.json
        if isinstance(found, dict) and found.get("errors"):
            return dict(found["errors"][0])
        return {}


def send(app: App, request: Request) -> Response:
    """Send a request to an app.

    :raises Exception: whatever the app lets out.
    """
    told: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> None:
        told[:] = [status, headers]

    answer = app(_environ(request), start_response)
    try:
        body = b"".join(answer)
    finally:
        close = getattr(answer, "close", None)
        if close:
            close()
    status, headers = told
    return Response(int(status.split()[0]), _joined(headers), body)


def _environ(request: Request) -> dict[str, Any]:
    content = _content(request.body)
    headers: dict[str, str | None] = {"x-auth-token": "admin", "accept": "application/json"}
    if request.version is not None:
        headers["openstack-api-version"] = f"placement {request.version}"
    if request.body is not None:
        headers |= {"content-type": "application/json", "content-length": str(len(content))}
    headers |= request.headers
    environ = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": _unquoted(request.path),
        "QUERY_STRING": request.query,
        "SERVER_NAME": "twin.invalid",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(content),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in headers.items():
        if value is not None:
            environ[_variable(name)] = value
    return environ


def _content(body: object) -> bytes:
    if body is None:
        return b""
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def _variable(header: str) -> str:
    name = header.upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


def _unquoted(path: str) -> str:
    """Return what a server puts into PATH_INFO: bytes, each as one Latin-1 letter."""
    from urllib.parse import unquote_to_bytes

    return unquote_to_bytes(quote(path, safe="/%:;,@!$&'()*+=~-._")).decode("latin-1")


def _joined(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found
