"""Inventories of a provider."""

from __future__ import annotations

from typing import Final

from scheduler_lib.api.operations import Versioned
from scheduler_lib.api.schemas.parts import (
    CLASS_PATTERN,
    GENERATION,
    MAX_INTEGER,
    MAX_ITEMS,
    Data,
    closed,
)
from scheduler_lib.api.validation import Schema

_UNITS: Final[Data] = {"type": "integer", "minimum": 1, "maximum": MAX_INTEGER}
# The largest number that a column of single precision keeps.
_MAX_RATIO: Final = 3.40282e38
_FIELDS: Final[Data] = {
    "total": _UNITS,
    "reserved": {**_UNITS, "minimum": 0},
    "min_unit": _UNITS,
    "max_unit": _UNITS,
    "step_size": _UNITS,
    "allocation_ratio": {"type": "number", "minimum": 0, "maximum": _MAX_RATIO},
}
_GENERATION: Final[Data] = {"resource_provider_generation": GENERATION}
_CLASS: Final[Data] = {"type": "string", "pattern": CLASS_PATTERN, "maxLength": 255}

# One inventory among several. It may name a generation, which says nothing there.
INVENTORY: Final[Data] = closed({**_GENERATION, **_FIELDS}, ("total",))

CREATE: Final[Versioned] = {
    0: Schema(
        closed({**_GENERATION, **_FIELDS, "resource_class": _CLASS}, ("total", "resource_class"))
    )
}
UPDATE: Final[Versioned] = {
    0: Schema(closed({**_GENERATION, **_FIELDS}, ("total", "resource_provider_generation")))
}
REPLACE: Final[Versioned] = {
    0: Schema(
        closed(
            {
                **_GENERATION,
                "inventories": {
                    "type": "object",
                    "patternProperties": {CLASS_PATTERN: INVENTORY},
                    "additionalProperties": False,
                    "maxProperties": MAX_ITEMS,
                },
            },
            ("resource_provider_generation", "inventories"),
        )
    )
}
