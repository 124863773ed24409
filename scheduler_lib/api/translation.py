"""Our errors as Placement's: which status, which code, which words.

Handlers translate what their noun's clients know in other words; this is for the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import os_resource_classes

from scheduler_lib import exceptions
from scheduler_lib.api import errors
from scheduler_lib.api.errors import ApiError


class _Case(NamedTuple):
    """One class of errors; without words the error's own message is told."""

    kind: type[exceptions.SchedulerLibError]
    status: int
    code: str = errors.UNDEFINED
    words: str | None = None


# The first class that fits counts, so narrow ones come first. The words stand for fields.
_TABLE = (
    _Case(exceptions.InvalidInput, 400),
    _Case(
        exceptions.ProviderNotFound,
        404,
        words="No resource provider with uuid {provider} found",
    ),
    _Case(exceptions.ResourceClassNotFound, 404, words="No such resource class {resource_class}."),
    _Case(exceptions.TraitNotFound, 404, words="No such trait(s): {traits}."),
    _Case(
        exceptions.InventoryNotFound,
        404,
        words="No inventory of class {resource_class} for {provider}",
    ),
    _Case(exceptions.NotFound, 404),
    _Case(exceptions.GenerationConflict, 409, errors.CONCURRENT_UPDATE),
    _Case(exceptions.ConcurrentUpdate, 409, errors.CONCURRENT_UPDATE),
    _Case(
        exceptions.DuplicateProvider,
        409,
        errors.DUPLICATE_NAME,
        "Conflicting resource provider {field}: {value} already exists.",
    ),
    _Case(exceptions.ProviderInUse, 409, errors.PROVIDER_IN_USE),
    _Case(exceptions.ProviderHasChildren, 409, errors.PROVIDER_IS_PARENT),
    _Case(
        exceptions.InventoryInUse,
        409,
        errors.INVENTORY_IN_USE,
        "Inventory for '{resource_classes}' on resource provider '{provider}' in use.",
    ),
    _Case(
        exceptions.ResourceClassInUse,
        409,
        words=("Cannot delete resource class {resource_class}. Class is in use in inventory."),
    ),
    _Case(
        exceptions.ResourceClassExists,
        409,
        words="Resource class already exists: {resource_class}",
    ),
    _Case(exceptions.TraitInUse, 409, words="The trait {trait} is in use by a resource provider."),
    _Case(exceptions.Conflict, 409),
    _Case(exceptions.StorageFull, 503, words="The database has no room left."),
    _Case(
        exceptions.DeadlineExceeded, 503, words="It was not done in the time that a request has."
    ),
    _Case(exceptions.Unavailable, 503, words="The database did not answer."),
)

# Standard classes are named in the order that clients know, and before all other names.
_PLACES = {name: place for place, name in enumerate(os_resource_classes.STANDARDS)}
_LAST = len(_PLACES)


def as_api_error(error: exceptions.SchedulerLibError) -> ApiError:
    """Return the answer to a request that failed with an error of our tree.

    :raises SchedulerLibError: the error itself, when no caller can have caused it.
    """
    case = _case(error)
    if case is None:
        raise error
    headers = {"retry-after": "1"} if case.status == 503 else None
    return ApiError(case.status, told(error), case.code, headers)


def told(error: exceptions.SchedulerLibError) -> str:
    """Return what is wrong, in the words that Placement's clients know."""
    case = _case(error)
    if case is None or case.words is None:
        return error.message
    return case.words.format_map(_Fields(error.fields))


def absent(error: exceptions.ProviderNotFound, between: str = ": ") -> ApiError:
    """Return the answer where a provider that is not there is told twice, as clients know it."""
    words = told(error)
    return ApiError(404, f"{words}{between}{words}")


def stale() -> ApiError:
    """Return the answer to a write of traits or aggregates that somebody else overtook."""
    return ApiError(
        409,
        "Resource provider's generation already changed. "
        "Please update the generation and try again.",
        errors.CONCURRENT_UPDATE,
    )


def _case(error: exceptions.SchedulerLibError) -> _Case | None:
    return next((case for case in _TABLE if isinstance(error, case.kind)), None)


def fact(error: exceptions.SchedulerLibError, name: str) -> str:
    """Return one of an error's facts as a text, several of a kind in one line."""
    return _text(error.fields[name])


class _Fields(dict[str, str]):
    """Facts as texts; several names stand in one line."""

    def __init__(self, fields: Mapping[str, object]) -> None:
        super().__init__({name: _text(value) for name, value in fields.items()})

    def __missing__(self, name: str) -> str:
        return f"({name})"


def _text(value: object) -> str:
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(sorted(map(str, value), key=lambda name: (_PLACES.get(name, _LAST), name)))
    return str(value)
