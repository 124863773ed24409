"""Allocations: of one consumer, and of several at once."""

from __future__ import annotations

from typing import Final

from scheduler_lib.api.operations import Versioned
from scheduler_lib.api.schemas.parts import CLASS_PATTERN, MAX_ITEMS, UUID, Data, closed
from scheduler_lib.api.validation import Schema

_MOST: Final = 2**63 - 1
_COUNTER: Final[Data] = {"type": "integer", "minimum": -_MOST - 1, "maximum": _MOST}
# A uuid as a key: 36 characters, wherever the dashes are.
UUID_KEY: Final = "^[0-9a-fA-F-]{36}$"
_SUFFIX: Final = "[a-zA-Z0-9_-]{1,64}"

_AMOUNT: Final[Data] = {"type": "integer", "minimum": 1, "maximum": _MOST}
_RESOURCES: Final[Data] = {
    "type": "object",
    "minProperties": 1,
    "maxProperties": MAX_ITEMS,
    "patternProperties": {CLASS_PATTERN: _AMOUNT},
    "additionalProperties": False,
}
_OWNER: Final[Data] = {"type": "string", "minLength": 1, "maxLength": 255}
_OWNERS: Final[Data] = {"project_id": _OWNER, "user_id": _OWNER}
_OWNED: Final = ("allocations", "project_id", "user_id")

_LIST: Final[Data] = {
    "type": "array",
    "minItems": 1,
    "maxItems": MAX_ITEMS,
    "items": closed(
        {"resource_provider": closed({"uuid": UUID}, ("uuid",)), "resources": _RESOURCES},
        ("resource_provider", "resources"),
    ),
}
# Whoever sends back what was shown sends the providers' generations too; they are not looked at.
_SHARE: Final[Data] = closed({"generation": _COUNTER, "resources": _RESOURCES}, ("resources",))
_DELETABLE: Final[Data] = {
    "type": "object",
    "minProperties": 0,
    "maxProperties": MAX_ITEMS,
    "patternProperties": {UUID_KEY: _SHARE},
    "additionalProperties": False,
}
_DICT: Final[Data] = {**_DELETABLE, "minProperties": 1}

_GENERATION: Final[Data] = {**_COUNTER, "type": ["integer", "null"]}
_MAPPINGS: Final[Data] = {
    "type": "object",
    "minProperties": 1,
    "patternProperties": {_SUFFIX: {"type": "array", "minItems": 1, "items": UUID}},
}
_TYPE: Final[Data] = {
    "type": "string",
    "pattern": CLASS_PATTERN,
    "minLength": 1,
    "maxLength": 255,
}

_GUARDED: Final[Data] = {
    "allocations": _DELETABLE,
    **_OWNERS,
    "consumer_generation": _GENERATION,
}
_MAPPED: Final[Data] = {**_GUARDED, "mappings": _MAPPINGS}
_TYPED: Final[Data] = {**_MAPPED, "consumer_type": _TYPE}
_GUARDED_NEEDS: Final = (*_OWNED, "consumer_generation")
_TYPED_NEEDS: Final = (*_GUARDED_NEEDS, "consumer_type")

# One consumer, since 1.13, as it stands in a request that names several.
_ONE_OF_SEVERAL: Final[dict[int, Data]] = {
    13: closed({"allocations": _DELETABLE, **_OWNERS}, _OWNED),
    28: closed(_GUARDED, _GUARDED_NEEDS),
    34: closed(_MAPPED, _GUARDED_NEEDS),
    38: closed(_TYPED, _TYPED_NEEDS),
}


def several(minor: int, *, least: int) -> Data:
    """Return the schema of allocations by consumer.

    :param minor: the microversion that brought this form: 13, 28, 34 or 38.
    :param least: how many consumers there must be.
    """
    return {
        "type": "object",
        "minProperties": least,
        "additionalProperties": False,
        "patternProperties": {UUID_KEY: _ONE_OF_SEVERAL[minor]},
    }


PUT: Final[Versioned] = {
    0: Schema(closed({"allocations": _LIST}, ("allocations",))),
    8: Schema(closed({"allocations": _LIST, **_OWNERS}, _OWNED)),
    12: Schema(closed({"allocations": _DICT, **_OWNERS}, _OWNED)),
    28: Schema(_ONE_OF_SEVERAL[28]),
    34: Schema(_ONE_OF_SEVERAL[34]),
    38: Schema(_ONE_OF_SEVERAL[38]),
}
POST: Final[Versioned] = {minor: Schema(several(minor, least=1)) for minor in _ONE_OF_SEVERAL}
