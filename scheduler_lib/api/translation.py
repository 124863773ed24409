"""Our errors as Placement's: which status, which code, which words.

Handlers translate what their noun's clients know in other words; this is for the rest.
"""

from __future__ import annotations

from scheduler_lib import exceptions
from scheduler_lib.api import errors
from scheduler_lib.api.errors import ApiError

# The first class that fits counts, so narrow ones come first: class, status, code.
_TABLE: tuple[tuple[type[exceptions.SchedulerLibError], int, str], ...] = (
    (exceptions.InvalidInput, 400, errors.UNDEFINED),
    (exceptions.NotFound, 404, errors.UNDEFINED),
    (exceptions.GenerationConflict, 409, errors.CONCURRENT_UPDATE),
    (exceptions.DuplicateProvider, 409, errors.DUPLICATE_NAME),
    (exceptions.ProviderInUse, 409, errors.PROVIDER_IN_USE),
    (exceptions.ProviderHasChildren, 409, errors.PROVIDER_IS_PARENT),
    (exceptions.InventoryInUse, 409, errors.INVENTORY_IN_USE),
    (exceptions.Conflict, 409, errors.UNDEFINED),
    (exceptions.Unavailable, 503, errors.UNDEFINED),
)


def as_api_error(error: exceptions.SchedulerLibError) -> ApiError:
    """Return the answer to a request that failed with an error of our tree.

    :raises SchedulerLibError: the error itself, when no caller can have caused it.
    """
    for kind, status, code in _TABLE:
        if isinstance(error, kind):
            return ApiError(status, error.message, code)
    raise error
