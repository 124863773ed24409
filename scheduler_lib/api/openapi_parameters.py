"""What parameters of paths and query strings mean, for the API's document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from scheduler_lib.api import versions
from scheduler_lib.api.openapi_dates import dated
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas.examples import STORY, Example
from scheduler_lib.api.schemas.parts import CUSTOM_NAME

Json = dict[str, Any]

_NAMED: Final = re.compile(r"{(\w+)}")
_SUFFIXED: Final = re.compile(r"\^(\w+)\((.+)\)\?\$\Z")

_ANYTHING: Final[Json] = {"type": "string", "minLength": 1, "pattern": "^[^/]+$"}
_IN_PATHS: Final = {
    "uuid": "The provider's uuid.",
    "consumer_uuid": "The consumer's uuid.",
    "resource_class": "The name of a resource class.",
    "name": "The name.",
}
_AMOUNTS = "Amounts by resource class: `VCPU:2,MEMORY_MB:1024`."
_AGGREGATES = (
    "An aggregate's uuid, or several of which one is enough: `in:A,B`. Several times: all must "
    "hold (1.24). `!A` and `!in:A,B`: in none of them (1.32)."
)
_TRAITS = (
    "Traits, all of which must be there: `A,B`. `!A`: it must not be there (1.22). `in:A,B`: one "
    "is enough; several times: all must hold (1.39)."
)
_TREE = "The uuid of any provider of a tree: only that tree counts."
# What a key of the query string means, by path, or anywhere.
_IN_QUERIES: Final = {
    ("/resource_providers", "name"): "The provider of that name.",
    ("/resource_providers", "uuid"): "The provider of that uuid.",
    ("/resource_providers", "resources"): f"{_AMOUNTS} A provider must have room for all itself.",
    ("/traits", "name"): "Some traits, `in:A,B`, or those that begin so, `startswith:CUSTOM_`.",
    ("/traits", "associated"): "`true`: traits that some provider has; `false`: the others.",
    "resources": _AMOUNTS,
    "required": _TRAITS,
    "member_of": _AGGREGATES,
    "in_tree": _TREE,
    "limit": "The most candidates that are wanted.",
    "group_policy": "Whether suffixed groups may share a provider, `none`, or not, `isolate`. "
    "Needed with more than one such group.",
    "root_required": "Traits that the root of the tree must have, or with `!` must not have.",
    "same_subtree": "Suffixes of groups, separated by commas: one of their providers must be above "
    "all the others, or the same. May be given several times.",
    "project_id": "The project.",
    "user_id": "One user of it.",
    "consumer_type": "Consumers of one type, `all` in one sum, or `unknown` for those without.",
}
_SUFFIXES = (
    "With a suffix, `{name}_GPU`, it belongs to a group of its own, which one provider must serve "
    "whole: numbers from 1 on since 1.25, up to 64 letters, digits, `_` and `-` since 1.33."
)


def of_path(item: Operation) -> Iterable[Json]:
    """Return the parameters of an operation's path."""
    shown = _example_of(item.path)
    for name in _NAMED.findall(item.path):
        # What is made is the cloud's own; what is asked for may be anything.
        made = item.method == "PUT" and name == "name"
        parameter: Json = {
            "name": name,
            "in": "path",
            "required": True,
            "description": _IN_PATHS[name],
            "schema": CUSTOM_NAME if made else _ANYTHING,
        }
        if name in shown:
            parameter["example"] = shown[name]
        yield parameter


def of_query(item: Operation) -> Iterable[Json]:
    """Return the parameters of an operation's query string at the newest microversion."""
    if item.query is None:
        return
    newest = dated(item.query)
    shown = _queried(item)
    required = newest.get("required", ())
    for name, schema in newest.get("properties", {}).items():
        yield _parameter(item, name, schema, required=name in required, shown=shown)
    for pattern, schema in newest.get("patternProperties", {}).items():
        found = _SUFFIXED.match(pattern)
        if found is None:
            raise ValueError(f"{pattern} is no pattern of suffixed keys")
        name, suffix = found.groups()
        parameter = _parameter(item, name, schema, required=False, shown=shown)
        parameter["description"] += " " + _SUFFIXES.format(name=name)
        yield {**parameter, "x-suffix": f"^{suffix}$"}


def _parameter(
    item: Operation, name: str, schema: Json, *, required: bool, shown: Mapping[str, str]
) -> Json:
    since = versions.text(_first(item, name))
    told = _IN_QUERIES.get((item.path, name)) or _IN_QUERIES[name]
    parameter = {
        "name": name,
        "in": "query",
        "required": required,
        "description": f"{told} Since {since}.",
        "schema": {key: value for key, value in schema.items() if key != "x-min-version"},
        "x-min-version": since,
    }
    if name in shown:
        parameter["example"] = shown[name]
    return parameter


def _first(item: Operation, name: str) -> int:
    """Return the microversion that brought a key, by itself or as one of a pattern."""
    found = []
    for minor, schema in (item.query or {}).items():
        keys = schema.data.get("properties", {}), schema.data.get("patternProperties", {})
        if name in keys[0] or any(re.match(pattern, name) for pattern in keys[1]):  # type: ignore[operator, attr-defined]
            found.append(minor)
    return min(found)


def route(path: str) -> re.Pattern[str]:
    """Return what the paths of a route look like."""
    return re.compile(_NAMED.sub(r"(?P<\1>[^/]+)", path) + r"\Z")


def examples(item: Operation) -> list[Example]:
    """Return the examples of an operation of the newest microversion."""
    form = route(item.path)
    return [each for each in STORY if each.method == item.method and form.match(each.path)]


def _example_of(path: str) -> Mapping[str, str]:
    form = route(path)
    found = (form.match(each.path) for each in STORY)
    return next((match.groupdict() for match in found if match), {})


def _queried(item: Operation) -> Mapping[str, str]:
    return {name: value for each in examples(item) for name, value in each.query}
