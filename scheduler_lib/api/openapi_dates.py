"""Since when a field is there: worked out of the schemas of all microversions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scheduler_lib.api import versions
from scheduler_lib.api.operations import Versioned

Json = dict[str, Any]

_KEYED = ("properties", "patternProperties")


def dated(schemas: Versioned) -> Json:
    """Return the newest schema, in which newer fields say their microversion.

    :param schemas: by the microversion that brought them.
    :returns: a copy; fields that the first schema has not have an ``x-min-version``.
    """
    known = {minor: schema.data for minor, schema in schemas.items()}
    return _object(schemas[max(schemas)].data, known)


def _object(newest: Mapping[str, Any], known: Mapping[int, Mapping[str, Any]]) -> Json:
    told = dict(newest)
    for keyword in _KEYED:
        fields = newest.get(keyword)
        if fields is not None:
            told[keyword] = {
                name: _field(schema, _inside(known, keyword, name), min(known, default=0))
                for name, schema in fields.items()
            }
    return told


def _inside(
    known: Mapping[int, Mapping[str, Any]], keyword: str, name: str
) -> dict[int, Mapping[str, Any]]:
    return {
        minor: schema[keyword][name]
        for minor, schema in known.items()
        if name in schema.get(keyword, {})
    }


def _field(schema: Mapping[str, Any], known: Mapping[int, Mapping[str, Any]], first: int) -> Json:
    told = _object(schema, known)
    since = min(known, default=first)
    if since > first:
        told["x-min-version"] = versions.text(since)
    return told
