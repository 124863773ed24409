"""Traits, and traits of a provider."""

from __future__ import annotations

from typing import Final

from scheduler_lib.api.operations import Versioned
from scheduler_lib.api.schemas.parts import CUSTOM_NAME, GENERATION, MAX_ITEMS, TEXT, Data, closed
from scheduler_lib.api.validation import Schema

# A name that is no trait's form is a trait that does not exist.
_TRAIT: Final[Data] = {"type": "string", "minLength": 1, "maxLength": 255}

LIST: Final[Versioned] = {6: Schema(closed({"name": TEXT, "associated": TEXT}))}
NAME: Final = Schema(CUSTOM_NAME)
REPLACE: Final[Versioned] = {
    6: Schema(
        closed(
            {
                "traits": {"type": "array", "items": _TRAIT, "maxItems": MAX_ITEMS},
                "resource_provider_generation": GENERATION,
            },
            ("traits", "resource_provider_generation"),
        )
    )
}
