"""What operations answer with, for the API's document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from scheduler_lib.api.content import JSON
from scheduler_lib.api.middleware.authentication import OPEN_PATHS
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas.parts import since

Json = dict[str, Any]

_FAILURES: Final = {
    400: "What was sent cannot mean anything.",
    401: "There is no token, or it is not known.",
    403: "The caller may not do this.",
    404: "What the path names is not there, or not at this microversion.",
    405: "There is no such method at this microversion.",
    406: "There is no such microversion, or the caller takes no JSON.",
    409: "Right in itself, but not with what is stored.",
    413: "The body is too long.",
    415: "The body is not said to be JSON.",
    431: "Path, query and headers are longer than the server takes, which says so itself.",
    503: "The database did not answer.",
}
_OF_BODIES: Final = frozenset({413, 415})
_OF_SERVERS: Final = frozenset({431})
_OF_CALLERS: Final = frozenset({401, 403, 503})
_MARK: Final = "x-min-version"
_READS: Final = frozenset({"GET"})

ERROR: Final[Json] = {
    "type": "object",
    "required": ["errors"],
    "properties": {
        "errors": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["status", "title", "detail", "request_id"],
                "properties": {
                    "status": {"type": "integer", "minimum": 400, "maximum": 599},
                    "title": {"type": "string"},
                    "detail": {
                        "type": "string",
                        "description": "What the status means, an empty line, what is wrong.",
                    },
                    "code": since(23, {"type": "string", "pattern": "^placement\\."}),
                    "request_id": {"type": "string", "pattern": "^req-"},
                    "min_version": {"type": "string", "description": "With status 406."},
                    "max_version": {"type": "string", "description": "With status 406."},
                },
            },
        }
    },
    "example": {
        "errors": [
            {
                "status": 409,
                "title": "Conflict",
                "detail": "There was a conflict when trying to complete your request.\n\n "
                "resource provider generation conflict  ",
                "code": "placement.concurrent_update",
                "request_id": "req-61f3bd9a-9c5d-4b3f-8f0b-2f4b6d9e3a10",
            }
        ]
    },
}

HEADERS: Final[Json] = {
    "Request-Id": {
        "description": "The id of this request, as it is in the log.",
        "required": True,
        "schema": {"type": "string", "pattern": "^req-"},
    },
    "Version": {
        "description": "The microversion that was answered: `placement 1.N`.",
        "required": True,
        "schema": {"type": "string", "pattern": "^placement 1\\.[0-9]+$"},
    },
    "Last-Modified": {
        "description": "When what is shown was last modified. Since 1.15.",
        "schema": {"type": "string"},
    },
    "Cache-Control": {
        "description": "That an answer with Last-Modified must not be kept. Since 1.15.",
        "schema": {"type": "string", "const": "no-cache"},
    },
    "Location": {"description": "Where what was made is.", "schema": {"type": "string"}},
}
_OF_ALL: Final = {"X-OpenStack-Request-Id": "Request-Id"}
_OF_SUCCESS: Final = {**_OF_ALL, "OpenStack-API-Version": "Version"}
_OF_ANSWERS: Final = {
    **_OF_SUCCESS,
    "Last-Modified": "Last-Modified",
    "Cache-Control": "Cache-Control",
}


def of(item: Operation, before: Iterable[Operation]) -> Json:
    """Return the responses of an operation, by status.

    :param before: what older microversions have in its place.
    """
    responses = {
        str(status): _success(each, status) for each in (*before, item) for status in each.answers
    }
    for status in _FAILURES:
        if _may_fail(item, status):
            responses[str(status)] = {"$ref": f"#/components/responses/{status}"}
    return responses


def failures() -> Json:
    """Return what each status of a failure means."""
    content = {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}
    ours = {"headers": _headers(_OF_ALL), "content": content}
    return {
        str(status): {"description": told, **(ours if status not in _OF_SERVERS else {})}
        for status, told in _FAILURES.items()
    }


def is_open(item: Operation) -> bool:
    """Tell whether who asks need not say who they are."""
    return item.path in OPEN_PATHS


def _may_fail(item: Operation, status: int) -> bool:
    if status in _OF_BODIES:
        return item.body is not None
    if status in _OF_CALLERS:
        return not is_open(item)
    if status in (404, 405):
        return (status == 404 and "{" in item.path) or (status == item.absent and item.since > 0)
    return status != 409 or item.method not in _READS


def _success(item: Operation, status: int) -> Json:
    names = dict(_OF_ANSWERS)
    if status == 201 or (item.method == "POST" and status == 200):
        names["Location"] = "Location"
    described: Json = {"description": item.answers[status], "headers": _headers(names)}
    if item.gives is not None and status in (200, 201):
        described["content"] = {JSON: {"schema": _of_any_version(item.gives)}}
    return described


def _of_any_version(schema: Any) -> Any:
    """Return a schema without the demand for fields that old microversions do not have."""
    if isinstance(schema, list):
        return [_of_any_version(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: _of_any_version(each) for name, each in schema.items()}
    fields = schema.get("properties")
    if fields and "required" in schema:
        told["required"] = [name for name in schema["required"] if _MARK not in fields[name]]
    return told


def _headers(names: dict[str, str]) -> Json:
    return {name: {"$ref": f"#/components/headers/{told}"} for name, told in names.items()}
