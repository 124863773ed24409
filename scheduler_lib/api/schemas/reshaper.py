"""The reshaper: inventories and allocations together."""

from __future__ import annotations

from typing import Final

from scheduler_lib.api.operations import Versioned
from scheduler_lib.api.schemas import allocations, inventories
from scheduler_lib.api.schemas.parts import Data, closed
from scheduler_lib.api.validation import Schema

_INVENTORIES: Final[Data] = {
    "type": "object",
    "patternProperties": {allocations.UUID_KEY: inventories.REPLACE[0].data},
    "minProperties": 1,
    "additionalProperties": False,
}


def _schema(minor: int) -> Schema:
    """Nothing need be held of what is reshaped, so there may be no allocations at all."""
    properties: Data = {
        "inventories": _INVENTORIES,
        "allocations": allocations.several(minor, least=0),
    }
    return Schema(closed(properties, ("inventories", "allocations")))


RESHAPE: Final[Versioned] = {30: _schema(28), 34: _schema(34), 38: _schema(38)}
