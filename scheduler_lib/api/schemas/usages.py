"""Usages of a project."""

from __future__ import annotations

from typing import Final

from scheduler_lib.api.operations import Versioned
from scheduler_lib.api.schemas.parts import CLASS_PATTERN, Data, closed
from scheduler_lib.api.validation import Schema

_NAME: Final[Data] = {"type": "string", "minLength": 1, "maxLength": 255}
_WHO: Final[Data] = {"project_id": _NAME, "user_id": _NAME}
_TYPE: Final[Data] = {**_NAME, "pattern": f"{CLASS_PATTERN}|^all$|^unknown$"}

SUM: Final[Versioned] = {
    9: Schema(closed(_WHO, ("project_id",))),
    38: Schema(closed({**_WHO, "consumer_type": _TYPE}, ("project_id",))),
}
