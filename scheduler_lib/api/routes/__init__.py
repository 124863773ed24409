"""The table of operations: the API, whole, as data; one module a noun.

``OPERATIONS`` is read by the door, which answers them, and by the OpenAPI document.
"""

from __future__ import annotations

from scheduler_lib.api.operations import Operation
from scheduler_lib.api.routes import (
    aggregates,
    allocation_candidates,
    allocations,
    inventories,
    providers,
    reshaper,
    resource_classes,
    root,
    traits,
    usages,
)

OPERATIONS: tuple[Operation, ...] = (
    *root.OPERATIONS,
    *providers.OPERATIONS,
    *inventories.OPERATIONS,
    *usages.OPERATIONS,
    *aggregates.OPERATIONS,
    *traits.OPERATIONS,
    *resource_classes.OPERATIONS,
    *allocations.OPERATIONS,
    *allocation_candidates.OPERATIONS,
    *reshaper.OPERATIONS,
)
