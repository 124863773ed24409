"""Operations of aggregates."""

from __future__ import annotations

from scheduler_lib.api.handlers import aggregates
from scheduler_lib.api.handlers.addresses import provider
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas import aggregates as schemas
from scheduler_lib.api.schemas import answers

_AGGREGATES = "/resource_providers/{uuid}/aggregates"

OPERATIONS = (
    Operation(
        "GET", _AGGREGATES, aggregates.listed, "List the aggregates a provider is in.",
        rule="placement:resource_providers:aggregates:list",
        since=1,
        answers={200: "The uuids of the aggregates."},
        gives=answers.AGGREGATES,
    ),
    Operation(
        "PUT", _AGGREGATES, aggregates.replace, "Set the aggregates a provider is in.",
        rule="placement:resource_providers:aggregates:update",
        since=1,
        body=schemas.REPLACE,
        there=provider,
        answers={200: "The uuids of the aggregates as they are now."},
        gives=answers.AGGREGATES,
        gives_json=False,
    ),
)  # fmt: skip
