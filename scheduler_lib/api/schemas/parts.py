"""What several schemas share."""

from __future__ import annotations

from typing import Final

Data = dict[str, object]

# A uuid in any of the forms that Placement takes.
UUID: Final[Data] = {"type": "string", "format": "uuid"}
GENERATION: Final[Data] = {"type": "integer"}
# A resource class; a trait has the same form.
CLASS_PATTERN: Final = "^[A-Z0-9_]+$"
CUSTOM_PATTERN: Final = "^CUSTOM\\_[A-Z0-9_]+$"
CUSTOM_NAME: Final[Data] = {
    "type": "string",
    "pattern": CUSTOM_PATTERN,
    "minLength": 1,
    "maxLength": 255,
}
MAX_INTEGER: Final = 2**31 - 1


def closed(properties: Data, required: tuple[str, ...] = (), **rest: object) -> Data:
    """Return the schema of an object that has these properties and no others."""
    schema: Data = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = list(required)
    return {**schema, **rest}
