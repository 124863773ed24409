"""Allocation candidates: which keys a query may have; values are read by ``candidate_query``."""

from __future__ import annotations

from typing import Final

from scheduler_lib.api.operations import Versioned
from scheduler_lib.api.schemas.parts import Data, closed
from scheduler_lib.api.validation import Schema

_TEXT: Final[Data] = {"type": "string"}
_LIMIT: Final[Data] = {"type": "string", "pattern": "^[1-9][0-9]*$", "minLength": 1}
_POLICY: Final[Data] = {"type": "string", "enum": ["none", "isolate"]}
_NUMBER: Final = "[1-9][0-9]*"
_SUFFIX: Final = "[a-zA-Z0-9_-]{1,64}"

_RESOURCES: Final[Data] = {"resources": _TEXT}
_LIMITED: Final[Data] = {**_RESOURCES, "limit": _LIMIT}
_TRAITS: Final[Data] = {**_LIMITED, "required": _TEXT}
_WIDE: Final[Data] = {"limit": _LIMIT, "group_policy": _POLICY}
_ROOTED: Final[Data] = {**_WIDE, "root_required": _TEXT}


def _groups(properties: Data, suffix: str, *kinds: str) -> Schema:
    patterns: Data = {f"^{kind}({suffix})?$": _TEXT for kind in kinds}
    return Schema(closed(properties, patternProperties=patterns))


_GROUPED: Final = ("resources", "required", "member_of")
_IN_TREES: Final = (*_GROUPED, "in_tree")

LIST: Final[Versioned] = {
    10: Schema(closed(_RESOURCES, ("resources",))),
    16: Schema(closed(_LIMITED, ("resources",))),
    17: Schema(closed(_TRAITS, ("resources",))),
    21: Schema(closed({**_TRAITS, "member_of": _TEXT}, ("resources",))),
    25: _groups(_WIDE, _NUMBER, *_GROUPED),
    31: _groups(_WIDE, _NUMBER, *_IN_TREES),
    33: _groups(_WIDE, _SUFFIX, *_IN_TREES),
    35: _groups(_ROOTED, _SUFFIX, *_IN_TREES),
    36: _groups({**_ROOTED, "same_subtree": _TEXT}, _SUFFIX, *_IN_TREES),
}
