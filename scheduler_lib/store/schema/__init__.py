"""The tables, one module a noun; importing this room gives the whole ``METADATA``.

Names follow the published schemas of Nova's ``compute_nodes`` and of Placement, so that operators
know them. Ours beside theirs: ``inventories.used`` and ``inventories.capacity``, ``removed_at`` of
``traits`` and ``resource_classes``, ``changes``, ``request_keys``, and the columns of
``compute_nodes`` that Nova keeps elsewhere.
"""

from scheduler_lib.store.schema.aggregates import PLACEMENT_AGGREGATES, PROVIDER_AGGREGATES
from scheduler_lib.store.schema.allocations import ALLOCATIONS
from scheduler_lib.store.schema.changes import CHANGES
from scheduler_lib.store.schema.compute_nodes import COMPUTE_NODES
from scheduler_lib.store.schema.consumers import CONSUMER_TYPES, CONSUMERS, PROJECTS, USERS
from scheduler_lib.store.schema.inventories import INVENTORIES, RESOURCE_CLASSES
from scheduler_lib.store.schema.metadata import METADATA
from scheduler_lib.store.schema.providers import RESOURCE_PROVIDERS
from scheduler_lib.store.schema.request_keys import REQUEST_KEYS
from scheduler_lib.store.schema.traits import PROVIDER_TRAITS, TRAITS

__all__ = [
    "ALLOCATIONS",
    "CHANGES",
    "COMPUTE_NODES",
    "CONSUMERS",
    "CONSUMER_TYPES",
    "INVENTORIES",
    "METADATA",
    "PLACEMENT_AGGREGATES",
    "PROJECTS",
    "PROVIDER_AGGREGATES",
    "PROVIDER_TRAITS",
    "REQUEST_KEYS",
    "RESOURCE_CLASSES",
    "RESOURCE_PROVIDERS",
    "TRAITS",
    "USERS",
]
