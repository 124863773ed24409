"""Providers."""

from __future__ import annotations

from typing import Final

from scheduler_lib.api.operations import Versioned
from scheduler_lib.api.schemas.parts import DASHED_UUID, TEXT, UUID, Data, closed
from scheduler_lib.api.validation import Schema

_NAME: Final[Data] = {"type": "string", "minLength": 1, "maxLength": 200}
_PARENT: Final[Data] = {"anyOf": [UUID, {"type": "null"}]}

CREATE: Final[Versioned] = {
    0: Schema(closed({"name": _NAME, "uuid": UUID}, ("name",))),
    14: Schema(closed({"name": _NAME, "uuid": UUID, "parent_provider_uuid": _PARENT}, ("name",))),
}
UPDATE: Final[Versioned] = {
    0: Schema(closed({"name": _NAME}, ("name",))),
    14: Schema(closed({"name": _NAME, "parent_provider_uuid": _PARENT}, ("name",))),
}

_LIST: Final[Data] = {"name": TEXT, "uuid": DASHED_UUID}
_RESOURCES: Final[Data] = {**_LIST, "member_of": TEXT, "resources": TEXT}
_TREE: Final[Data] = {**_RESOURCES, "in_tree": DASHED_UUID}
LIST: Final[Versioned] = {
    0: Schema(closed(_LIST)),
    3: Schema(closed({**_LIST, "member_of": TEXT})),
    4: Schema(closed(_RESOURCES)),
    14: Schema(closed(_TREE)),
    18: Schema(closed({**_TREE, "required": TEXT})),
}
