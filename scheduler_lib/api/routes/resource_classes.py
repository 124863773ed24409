"""Operations of resource classes."""

from __future__ import annotations

from scheduler_lib.api.handlers import resource_classes
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas import answers
from scheduler_lib.api.schemas import resource_classes as schemas

_CLASSES = "/resource_classes"
_CLASS = "/resource_classes/{name}"
_RULE = "placement:resource_classes"

OPERATIONS = (
    Operation(
        "GET", _CLASSES, resource_classes.listed, "List resource classes.",
        rule=f"{_RULE}:list",
        since=2,
        answers={200: "The resource classes."},
        gives=answers.RESOURCE_CLASSES,
    ),
    Operation(
        "POST", _CLASSES, resource_classes.create, "Make a resource class.",
        rule=f"{_RULE}:create",
        since=2,
        body=schemas.CREATE,
        answers={201: "Made."},
        gives_json=False,
    ),
    Operation(
        "GET", _CLASS, resource_classes.show, "Show a resource class.",
        rule=f"{_RULE}:show",
        since=2,
        answers={200: "The resource class."},
        gives=answers.RESOURCE_CLASS,
    ),
    Operation(
        "PUT", _CLASS, resource_classes.rename, "Rename a resource class.",
        rule=f"{_RULE}:update",
        since=2,
        until=6,
        body=schemas.RENAME,
        answers={200: "The resource class under its new name."},
        gives=answers.RESOURCE_CLASS,
        gives_json=False,
    ),
    Operation(
        "PUT", _CLASS, resource_classes.ensure, "Make a resource class, or find that it is there.",
        rule=f"{_RULE}:update",
        since=7,
        answers={201: "Made.", 204: "It was there."},
        gives_json=False,
    ),
    Operation(
        "DELETE", _CLASS, resource_classes.delete, "Delete a resource class.",
        rule=f"{_RULE}:delete",
        since=2,
        answers={204: "Gone."},
        gives_json=False,
    ),
)  # fmt: skip
