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

_JSON = "application/json"
_TAGS = re.compile(r"<[^<>]*>")


class ApiError(Exception):
    """A request that is answered with an error.

    :param status: the HTTP status.
    :param message: what is wrong, for the caller.
    :param code: Placement's code.
    :param headers: further headers of the answer.
    :param names_versions: whether the answer says which microversions there are.
    """

    def __init__(
        self,
        status: int,
        message: str,
        code: str = UNDEFINED,
        headers: Mapping[str, str] | None = None,
        *,
        names_versions: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = dict(headers or {})
        self.names_versions = names_versions


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
    :param accept: the value of ``Accept``: who asks for HTML gets HTML.
    """
    import webob.exc  # knows each status's title and general sentence

    kind = webob.exc.status_map[error.status]
    detail = f"{kind.explanation}\n\n {_one_line(error.message)}  "
    if accept and "text/html" in accept and _JSON not in accept:
        return ErrorAnswer(
            error.status, _page(error.status, kind.title, detail), _typed("text/html", error)
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


def _typed(content_type: str, error: ApiError) -> dict[str, str]:
    if content_type == "text/html":
        content_type = "text/html; charset=UTF-8"
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
