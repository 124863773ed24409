"""Values as canonical JSON text, whichever of the two forms they came in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from scheduler_lib.exceptions import InvalidStats
from scheduler_lib.model.naming import shortened


def as_json_text(value: object, field: str) -> str:
    """Return JSON text with sorted keys, so that equal values have equal texts.

    :param value: JSON text, or the value itself; sets become sorted lists, times ISO 8601.
    :raises InvalidStats: when it is neither.
    """
    if isinstance(value, str):
        return value if value == "" else _canonical(_decoded(value, field), field)
    return _canonical(value, field)


def _decoded(text: str, field: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidStats(f"{field} is not JSON: {shortened(text)}.", field=field) from error


def _canonical(value: object, field: str) -> str:
    try:
        return json.dumps(
            value, default=_plain, sort_keys=True, separators=(",", ":"), allow_nan=False
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidStats(f"{field} cannot be written as JSON: {error}.", field=field) from error


def _plain(value: object) -> object:
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"no JSON form for {type(value).__name__}")
