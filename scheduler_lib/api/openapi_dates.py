"""Since when a field is there: worked out of the schemas of all microversions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scheduler_lib.api import versions
from scheduler_lib.api.operations import Versioned

Json = dict[str, Any]
_Schema = Mapping[str, Any]


def dated(schemas: Versioned, meanings: Mapping[str, str] | None = None) -> Json:
    """Return the newest schema, in which newer fields say their microversion.

    :param schemas: by the microversion that brought them.
    :param meanings: what fields mean, by name.
    :returns: a copy; fields that the first schema has not have an ``x-min-version``.
    """
    known = {minor: schema.data for minor, schema in schemas.items()}
    return _Dater(meanings or {}).object(schemas[max(schemas)].data, known)


class _Dater:
    """Walks down a schema, and down older ones beside it."""

    def __init__(self, meanings: Mapping[str, str]) -> None:
        self._meanings = meanings

    def object(self, newest: _Schema, known: Mapping[int, _Schema]) -> Json:
        told = dict(newest)
        for keyword in ("properties", "patternProperties"):
            fields = newest.get(keyword)
            if fields is not None:
                first = min(known, default=0)
                told[keyword] = {
                    name: self._field(name, schema, _inside(known, keyword, name), first)
                    for name, schema in fields.items()
                }
        return told

    def _field(self, name: str, schema: _Schema, known: Mapping[int, _Schema], first: int) -> Json:
        told = self.object(schema, known)
        since = min(known, default=first)
        if since > first:
            told["x-min-version"] = versions.text(since)
        if name in self._meanings:
            told["description"] = self._meanings[name]
        return told


def _inside(known: Mapping[int, _Schema], keyword: str, name: str) -> dict[int, _Schema]:
    return {
        minor: schema[keyword][name]
        for minor, schema in known.items()
        if name in schema.get(keyword, {})
    }
