"""Fields of JSON schemas as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_MOST_BIGINT = 2**63 - 1

Schema = Mapping[str, Any]


class Field(NamedTuple):
    """One field.

    :ivar path: where it is: names with dots between them, ``[]`` for each item of a list, and what
        stands for a name in braces.
    """

    path: str
    kind: str
    needed: bool
    since: str
    told: str


def fields(schema: Schema, path: str = "") -> Iterator[Field]:
    """Give the fields of a schema, outer ones first."""
    if schema.get("type") == "array":
        yield from fields(schema["items"], f"{path}[]")
    needed = schema.get("required", ())
    for name, inner in schema.get("properties", {}).items():
        yield from _field(inner, f"{path}.{name}".lstrip("."), needed=name in needed)
    patterns = dict(schema.get("patternProperties", {}))
    if isinstance(schema.get("additionalProperties"), dict):
        patterns[""] = schema["additionalProperties"]
    for pattern, inner in patterns.items():
        yield from _field(inner, f"{path}.{{{_named(pattern)}}}".lstrip("."), needed=False)


def _field(schema: Schema, path: str, *, needed: bool) -> Iterator[Field]:
    since = schema.get("x-min-version", "")
    yield Field(path, kind(schema), needed, since, schema.get("description", ""))
    yield from fields(schema, path)


def kind(schema: Schema) -> str:
    """Return what values a schema allows, in a few words."""
    if "anyOf" in schema:
        return " or ".join(map(kind, schema["anyOf"]))
    if "const" in schema:
        return f"``{schema['const']}``"
    if "enum" in schema:
        return " or ".join(f"``{value}``" for value in schema["enum"])
    types = schema.get("type", "any")
    text = " or ".join([types] if isinstance(types, str) else types)
    if schema.get("format"):
        return str(schema["format"])
    limits = _limits(schema)
    return f"{text}, {limits}" if limits else text


def _limits(schema: Schema) -> str:
    least = schema.get("minimum", schema.get("minLength"))
    most = schema.get("maximum", schema.get("maxLength"))
    if most == _MOST_BIGINT:
        return "64 bits" if (least or 0) < 0 else f"at least {least}, 64 bits"
    unit = " characters" if schema.get("type") == "string" else ""
    if least is not None and most is not None:
        return f"{least} to {most}{unit}"
    if most is not None:
        return f"at most {most}{unit}"
    return "" if least is None else f"at least {least}{unit}"


def _named(pattern: str) -> str:
    if "A-Z0-9_]+" in pattern:
        return "resource class"
    if "a-f" in pattern:
        return "uuid"
    return "suffix" if pattern else "consumer type"
