"""What several schemas share."""

from __future__ import annotations

from typing import Final

Data = dict[str, object]

# A uuid in any of the forms that Placement takes.
UUID: Final[Data] = {"type": "string", "format": "uuid"}
# One in the query string of a list, where dashes belong.
DASHED_UUID: Final[Data] = {**UUID, "minLength": 36, "maxLength": 36}
# No database has a number that needs more than 64 bits.
GENERATION: Final[Data] = {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}
# A resource class; a trait has the same form.
CLASS_PATTERN: Final = "^[A-Z0-9_]+$"
CUSTOM_PATTERN: Final = "^CUSTOM_[A-Z0-9_]+$"
CUSTOM_NAME: Final[Data] = {
    "type": "string",
    "pattern": CUSTOM_PATTERN,
    "minLength": 1,
    "maxLength": 255,
}
MAX_INTEGER: Final = 2**31 - 1
# What a query string may say under one name.
TEXT: Final[Data] = {"type": "string", "maxLength": 65535}
# Far more traits, aggregates or inventories than any one provider has, or a consumer holds.
MAX_ITEMS: Final = 10_000


def closed(properties: Data, required: tuple[str, ...] = (), **rest: object) -> Data:
    """Return the schema of an object that has these properties and no others."""
    schema: Data = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = list(required)
    return {**schema, **rest}


def since(minor: int, schema: Data) -> Data:
    """Return the schema of a field that a microversion brought, for the API's document."""
    return {**schema, "x-min-version": f"1.{minor}"}
