"""Operations of allocations."""

from __future__ import annotations

from scheduler_lib.api.handlers import allocations
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas import allocations as schemas
from scheduler_lib.api.schemas import answers

_CONSUMER = "/allocations/{consumer_uuid}"

OPERATIONS = (
    Operation(
        "GET", _CONSUMER, allocations.show, "Show what a consumer holds.",
        rule="placement:allocations:list",
        answers={200: "What it holds, by provider."},
        gives=answers.ALLOCATIONS,
    ),
    Operation(
        "PUT", _CONSUMER, allocations.put, "Replace what a consumer holds.",
        rule="placement:allocations:update",
        body=schemas.PUT,
        answers={204: "Written."},
        gives_json=False,
    ),
    Operation(
        "DELETE", _CONSUMER, allocations.delete, "Let a consumer hold nothing.",
        rule="placement:allocations:delete",
        answers={204: "It holds nothing any more."},
        gives_json=False,
    ),
    Operation(
        "POST", "/allocations", allocations.post,
        "Replace what several consumers hold, all or nothing.",
        rule="placement:allocations:manage",
        since=13,
        body=schemas.POST,
        answers={204: "Written."},
        gives_json=False,
    ),
    Operation(
        "GET", "/resource_providers/{uuid}/allocations", allocations.of_provider,
        "Show who holds what of a provider.",
        rule="placement:resource_providers:allocations:list",
        answers={200: "What each consumer holds of it."},
        gives=answers.HOLDERS,
    ),
)  # fmt: skip
