"""Aggregates of a provider."""

from __future__ import annotations

from typing import Final

from scheduler_lib.api.operations import Versioned
from scheduler_lib.api.schemas.parts import GENERATION, MAX_ITEMS, UUID, Data, closed
from scheduler_lib.api.validation import Schema

_UUIDS: Final[Data] = {
    "type": "array",
    "items": UUID,
    "uniqueItems": True,
    "maxItems": MAX_ITEMS,
}

REPLACE: Final[Versioned] = {
    1: Schema(_UUIDS),
    19: Schema(
        closed(
            {"aggregates": _UUIDS, "resource_provider_generation": GENERATION},
            ("aggregates", "resource_provider_generation"),
        )
    ),
}
