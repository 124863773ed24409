"""Errors as HTTP answers, in the form that Placement's clients know.

A body is ``{"errors": [{"status", "title", "detail", "code", "request_id"}]}``; ``code`` from 1.23
on. The detail is a general sentence about the status, a blank line, and the message: clients show
its last line.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from falcon import mediatypes

CODES_SINCE = 23

UNDEFINED = "placement.undefined_code"
INVENTORY_IN_USE = "placement.inventory.inuse"
CONCURRENT_UPDATE = "placement.concurrent_update"
DUPLICATE_NAME = "placement.duplicate_name"
PROVIDER_IN_USE = "placement.resource_provider.inuse"
PROVIDER_IS_PARENT = "placement.resource_provider.cannot_delete_parent"
PROVIDER_NOT_FOUND = "placement.resource_provider.not_found"
DUPLICATE_KEY = "placement.query.duplicate_key"
BAD_VALUE = "placement.query.bad_value"
MISSING_VALUE = "placement.query.missing_value"

STATUS = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}

_JSON, _HTML = "application/json", "text/html"
# Of a message that names what was sent, however much that was.
_MAX_LENGTH = 8_000
_TAGS = re.compile(r"<[^<>]*>")


class ApiError(Exception):
    """A request that is answered with an error.

    :param status: the HTTP status.
    :param message: what is wrong, for the caller.
    :param code: Placement's code.
    :param headers: further headers of the answer.
    :param names_versions: whether the answer says which microversions there are.
    :param sentence: what stands in place of the status's general sentence.
    """

    def __init__(
        self,
        status: int,
        message: str,
        code: str = UNDEFINED,
        headers: Mapping[str, str] | None = None,
        *,
        names_versions: bool = False,
        sentence: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = dict(headers or {})
        self.names_versions = names_versions
        self.sentence = sentence


class BadRequest(ApiError):
    """What was sent cannot mean anything."""

    def __init__(self, message: str, code: str = UNDEFINED) -> None:
        super().__init__(400, message, code)


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """An error, written.

    :ivar headers: including the content type.
    """

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def written(
    error: ApiError, *, minor: int | None, request_id: str | None, accept: str | None
) -> ErrorAnswer:
    """Return an error as it is sent.

    :param minor: the microversion; None when it is not known yet.
    :param accept: the value of ``Accept``: who prefers HTML gets HTML.
    """
    import webob.exc  # knows each status's title and general sentence

    kind = webob.exc.status_map[error.status]
    detail = _detail(error, kind.explanation)
    if _prefers_html(accept):
        return ErrorAnswer(
            error.status, _page(error.status, kind.title, detail), _typed(_HTML, error)
        )
    told: dict[str, object] = {"status": error.status, "title": kind.title, "detail": detail}
    if minor is not None and minor >= CODES_SINCE:
        told["code"] = error.code
    if request_id is not None:
        told["request_id"] = request_id
    if error.names_versions:
        from scheduler_lib.api.versions import MAXIMUM_TEXT, MINIMUM_TEXT

        told["max_version"], told["min_version"] = MAXIMUM_TEXT, MINIMUM_TEXT
    body = json.dumps({"errors": [told]}).encode()
    return ErrorAnswer(error.status, body, _typed(_JSON, error))


def _detail(error: ApiError, explanation: str) -> str:
    message = _one_line(_cut(error.message))
    if error.sentence is not None:
        return f"{_one_line(_cut(error.sentence))} \n\n {message}"
    return f"{explanation}\n\n {message}  "


def _prefers_html(accept: str | None) -> bool:
    if accept is None or "html" not in accept:
        return False
    try:
        return mediatypes.quality(_HTML, accept) > mediatypes.quality(_JSON, accept)
    except ValueError:
        return False


def _cut(message: str) -> str:
    return message if len(message) <= _MAX_LENGTH else f"{message[: _MAX_LENGTH - 3]}..."


def _typed(content_type: str, error: ApiError) -> dict[str, str]:
    if content_type == _HTML:
        content_type = f"{_HTML}; charset=UTF-8"
    return {**error.headers, "content-type": content_type}


def _one_line(message: str) -> str:
    return _TAGS.sub("", message.replace("\r", "").replace("\n", " "))


def _page(status: int, title: str, detail: str) -> bytes:
    head = html.escape(f"{status} {title}")
    text = html.escape(detail)
    return (
        f"<html><head><title>{head}</title></head>"
        f"<body><h1>{head}</h1><pre>{text}</pre></body></html>"
    ).encode()
