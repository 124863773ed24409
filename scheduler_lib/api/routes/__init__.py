"""The table of operations: the API, whole, as data; one module a noun.

``OPERATIONS`` is read by the door, which answers them, and by the OpenAPI document.
"""

from __future__ import annotations

from scheduler_lib.api.operations import Operation
from scheduler_lib.api.routes import providers, root

OPERATIONS: tuple[Operation, ...] = (*root.OPERATIONS, *providers.OPERATIONS)
