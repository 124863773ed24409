"""Operations of inventories."""

from __future__ import annotations

from scheduler_lib.api.handlers import inventories
from scheduler_lib.api.handlers.addresses import provider
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas import answers
from scheduler_lib.api.schemas import inventories as schemas

_ALL = "/resource_providers/{uuid}/inventories"
_ONE = "/resource_providers/{uuid}/inventories/{resource_class}"
_RULE = "placement:resource_providers:inventories"

OPERATIONS = (
    Operation(
        "GET", _ALL, inventories.listed, "List a provider's inventories.",
        rule=f"{_RULE}:list",
        answers={200: "The inventories, by resource class."},
        gives=answers.INVENTORIES,
    ),
    Operation(
        "POST", _ALL, inventories.create, "Add an inventory.",
        rule=f"{_RULE}:create",
        body=schemas.CREATE,
        there=provider,
        answers={201: "Added."},
        gives=answers.INVENTORY,
        gives_json=False,
    ),
    Operation(
        "PUT", _ALL, inventories.replace, "Set all of a provider's inventories.",
        rule=f"{_RULE}:update",
        body=schemas.REPLACE,
        there=provider,
        answers={200: "The inventories as they are now."},
        gives=answers.INVENTORIES,
        gives_json=False,
    ),
    Operation(
        "DELETE", _ALL, inventories.delete_all, "Delete all of a provider's inventories.",
        rule=f"{_RULE}:delete",
        since=5,
        absent=405,
        answers={204: "Gone."},
        gives_json=False,
    ),
    Operation(
        "GET", _ONE, inventories.show, "Show an inventory.",
        rule=f"{_RULE}:show",
        answers={200: "The inventory."},
        gives=answers.INVENTORY,
    ),
    Operation(
        "PUT", _ONE, inventories.update, "Change an inventory.",
        rule=f"{_RULE}:update",
        body=schemas.UPDATE,
        there=provider,
        answers={200: "The inventory as it is now."},
        gives=answers.INVENTORY,
        gives_json=False,
    ),
    Operation(
        "DELETE", _ONE, inventories.delete, "Delete an inventory.",
        rule=f"{_RULE}:delete",
        answers={204: "Gone."},
        gives_json=False,
    ),
)  # fmt: skip
