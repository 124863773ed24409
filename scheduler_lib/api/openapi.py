"""The API as an OpenAPI 3.1 document, made of the same data that answers requests."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import orjson

from scheduler_lib.api import openapi_parameters, openapi_responses, versions
from scheduler_lib.api.call import Call, Reply
from scheduler_lib.api.content import JSON
from scheduler_lib.api.openapi_dates import dated
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas import meanings

PATH = "/openapi.json"

Json = dict[str, Any]

_ABOUT = """\
The books of a cloud: who has what, who holds how much of it, and who could give what is asked for.

This is the newest microversion. A request says which one it means in the header
`OpenStack-API-Version`; without it, 1.0 is meant. `x-min-version` says since when an operation, a
parameter or a field is there.
"""


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
            before = [each for each in operations if _is_before(each, item)]
            paths.setdefault(item.path, {})[item.method.lower()] = _operation(item, before)
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
            "schemas": {"Error": openapi_responses.ERROR},
            "headers": openapi_responses.HEADERS,
            "responses": openapi_responses.failures(),
            "parameters": {"version": _version_parameter()},
        },
    }


def _history() -> str:
    lines = [
        f"* {versions.text(minor)}: {told.replace('``', '`')}"
        for minor, told in enumerate(versions.HISTORY)
    ]
    return f"{_ABOUT}\nWhat each microversion brought:\n\n" + "\n".join(lines)


def _version_parameter() -> Json:
    return {
        "name": "OpenStack-API-Version",
        "in": "header",
        "description": "The microversion, here the newest; without it, 1.0 is meant.",
        "schema": {"type": "string", "const": f"placement {versions.MAXIMUM_TEXT}"},
        "required": False,
    }


def _is_before(item: Operation, newer: Operation) -> bool:
    """Tell whether an operation is what an older microversion has for a newer one."""
    same = (item.path, item.method) == (newer.path, newer.method)
    return same and item.until < newer.since


def _operation(item: Operation, before: Sequence[Operation]) -> Json:
    described: Json = {
        "operationId": f"{item.method.lower()}_{_identifier(item.path)}",
        "summary": item.summary,
        "tags": [item.path.strip("/").split("/")[0] or "root"],
        "x-min-version": versions.text(item.since),
        "parameters": [
            {"$ref": "#/components/parameters/version"},
            *openapi_parameters.of_path(item),
            *openapi_parameters.of_query(item),
        ],
        "responses": openapi_responses.of(item, before),
    }
    if openapi_responses.is_open(item):
        described["security"] = []
    if rule := item.rule:
        described["x-policy"] = rule
    if item.body is not None:
        described["requestBody"] = _body(item)
    return described


def _body(item: Operation) -> Json:
    content: Json = {"schema": dated(item.body or {}, meanings.FIELDS)}
    bodies = [example.body for example in openapi_parameters.examples(item)]
    if bodies:
        content["example"] = bodies[0]
    return {"required": True, "content": {JSON: content}}


def _identifier(path: str) -> str:
    return re.sub(r"\W+", "_", path).strip("_") or "root"
