"""The API as an OpenAPI 3.1 document, made of the same data that answers requests."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import orjson

from scheduler_lib.api import versions
from scheduler_lib.api.call import Call, Reply
from scheduler_lib.api.content import JSON
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.validation import Schema

PATH = "/openapi.json"

_NAMED = re.compile(r"{(\w+)}")
_FAILURES = {
    400: "What was sent cannot mean anything.",
    401: "There is no token, or it is not known.",
    403: "The caller may not do this.",
    404: "What was named is not there, or not at this microversion.",
    406: "There is no such microversion, or the caller takes no JSON.",
    409: "Right in itself, but not with what is stored.",
    413: "The body is too long.",
    415: "The body is not said to be JSON.",
    503: "The database did not answer.",
}
_OF_BODIES = frozenset({413, 415})
_OF_WRITES = frozenset({409})

Json = dict[str, Any]

_ERROR: Json = {
    "type": "object",
    "required": ["errors"],
    "properties": {
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["status", "title", "detail"],
                "properties": {
                    "status": {"type": "integer"},
                    "title": {"type": "string"},
                    "detail": {"type": "string"},
                    "code": {"type": "string"},
                    "request_id": {"type": "string"},
                    "min_version": {"type": "string"},
                    "max_version": {"type": "string"},
                },
            },
        }
    },
}


def operation(operations: Sequence[Operation]) -> Operation:
    """Return the operation that serves the document of these operations."""

    @cache
    def text() -> bytes:
        return orjson.dumps(document(operations, importlib.metadata.version("scheduler_lib")))

    def show(call: Call) -> Reply:
        return Reply(body=text())

    return Operation("GET", PATH, show, "This document.", gives={"type": "object"})


def document(operations: Sequence[Operation], version: str) -> Json:
    """Return the document of the newest microversion.

    :param operations: the API.
    :param version: the version of this library.
    """
    paths: dict[str, Json] = {}
    for item in operations:
        if item.covers(versions.LATEST):
            paths.setdefault(item.path, {})[item.method.lower()] = _operation(item)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Placement",
            "version": version,
            "description": _history(),
            "x-min-version": versions.MINIMUM_TEXT,
            "x-max-version": versions.MAXIMUM_TEXT,
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "apiKey", "in": "header", "name": "X-Auth-Token"}
            },
            "schemas": {"Error": _ERROR},
            "responses": {
                str(status): _failure(told) for status, told in sorted(_FAILURES.items())
            },
            "parameters": {"version": _version_parameter()},
        },
    }


def _history() -> str:
    lines = [f"* {versions.text(minor)}: {told}" for minor, told in enumerate(versions.HISTORY)]
    return "What each microversion brought:\n\n" + "\n".join(lines)


def _version_parameter() -> Json:
    return {
        "name": "OpenStack-API-Version",
        "in": "header",
        "description": "`placement 1.N` or `placement latest`; without it, 1.0 is meant.",
        "schema": {"type": "string", "const": f"placement {versions.MAXIMUM_TEXT}"},
        "required": True,
    }


def _operation(item: Operation) -> Json:
    described: Json = {
        "operationId": f"{item.method.lower()}_{_identifier(item.path)}",
        "summary": item.summary,
        "tags": [item.path.strip("/").split("/")[0] or "root"],
        "x-min-version": versions.text(item.since),
        "parameters": [
            {"$ref": "#/components/parameters/version"},
            *_path_parameters(item.path),
            *_query_parameters(item.query),
        ],
        "responses": _responses(item),
    }
    if item.rule is not None:
        described["x-policy"] = item.rule
    if item.body is not None:
        schema = _newest(item.body)
        described["requestBody"] = {"required": True, "content": {JSON: {"schema": schema}}}
    return described


def _identifier(path: str) -> str:
    return re.sub(r"\W+", "_", path).strip("_") or "root"


def _newest(schemas: Mapping[int, Schema]) -> Json:
    return dict(schemas[max(schemas)].data)


def _path_parameters(path: str) -> Iterable[Json]:
    for name in _NAMED.findall(path):
        schema: Json = {"type": "string", "minLength": 1, "pattern": "^[^/]+$"}
        yield {"name": name, "in": "path", "required": True, "schema": schema}


def _query_parameters(schemas: Mapping[int, Schema] | None) -> Iterable[Json]:
    if schemas is None:
        return
    newest = _newest(schemas)
    required = newest.get("required", ())
    for name, schema in newest.get("properties", {}).items():
        since = min(
            minor
            for minor, item in schemas.items()
            if name in item.data.get("properties", {})  # type: ignore[operator]
        )
        yield {
            "name": name,
            "in": "query",
            "required": name in required,
            "schema": schema,
            "description": f"Since {versions.text(since)}.",
        }


def _responses(item: Operation) -> Json:
    responses: Json = {str(status): _success(item, status) for status in item.answers}
    for status in _FAILURES:
        if status in _OF_BODIES and item.body is None:
            continue
        if status in _OF_WRITES and item.method == "GET":
            continue
        responses[str(status)] = {"$ref": f"#/components/responses/{status}"}
    return responses


def _success(item: Operation, status: int) -> Json:
    described: Json = {"description": item.answers[status]}
    if item.gives is not None and status in (200, 201):
        described["content"] = {JSON: {"schema": dict(item.gives)}}
    return described


def _failure(told: str) -> Json:
    content = {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {"description": told, "content": content}
