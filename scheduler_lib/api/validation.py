"""JSON schemas, compiled once: a fast check that accepts, a slow one that says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from uuid import UUID

import fastjsonschema
import jsonschema

from scheduler_lib.api.call import Json
from scheduler_lib.api.errors import BadRequest


def is_uuid_like(value: object) -> bool:
    """Tell whether Placement takes a value for a uuid: dashes and braces may be anywhere."""
    try:
        return str(UUID(str(value))).replace("-", "") == _bare(str(value))
    except (TypeError, ValueError, AttributeError):
        return False


def _bare(value: str) -> str:
    text = value.replace("urn:", "").replace("uuid:", "").strip("{}")
    return text.replace("-", "").lower()


FORMATS = jsonschema.FormatChecker(formats=())
FORMATS.checks("uuid")(is_uuid_like)


# Longer texts are not explained: jsonschema visits all of it again, and prints it.
_MAX_EXPLAINED = 16 * 1024
_MAX_WORDS = 2_000


class Schema:
    """One schema; it is compiled when it is first used.

    :ivar data: the schema itself.
    """

    def __init__(self, data: Mapping[str, object]) -> None:
        self.data = data

    def check(self, value: Json, told: str, length: int = 0) -> None:
        """Go on only with a value that the schema allows.

        :param told: how the message begins.
        :param length: of the text it was read from.
        :raises ApiError: 400, with jsonschema's own words, unless the text is long.
        """
        try:
            self._accept(value)
        except fastjsonschema.JsonSchemaException as refusal:
            why = str(refusal)[:_MAX_WORDS]
            if length <= _MAX_EXPLAINED:
                why = self._explained(value) or why
            raise BadRequest(f"{told}: {why}") from None

    def _explained(self, value: Json) -> str:
        """Return jsonschema's words about a value that is not allowed; empty where it has none."""
        try:
            error = jsonschema.exceptions.best_match(self._explainer.iter_errors(value))
            # A line break at the end is an end of a pattern for Python, and no error then.
            return "" if error is None else str(error)
        except RecursionError:
            # A value is printed whole, however deep it is.
            return ""

    @cached_property
    def _accept(self) -> Callable[[Json], object]:
        compiled: Callable[[Json], object] = fastjsonschema.compile(
            dict(self.data), formats={"uuid": is_uuid_like}, use_default=False
        )
        return compiled

    @cached_property
    def _explainer(self) -> jsonschema.Draft202012Validator:
        return jsonschema.Draft202012Validator(self.data, format_checker=FORMATS)


def parsed(body: bytes) -> Json:
    """Return a JSON text's value.

    :raises ApiError: 400 for what is none.
    """
    try:
        # Of bytes it would find out the encoding, but JSON is sent in UTF-8, without a mark.
        return json.loads(body.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        told = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise BadRequest(f"Malformed JSON: {told}") from None


def _no_number(name: str) -> Json:
    raise ValueError(f"{name} is no number of JSON")


__all__ = ["FORMATS", "Schema", "is_uuid_like", "parsed"]
