"""Operations of providers."""

from __future__ import annotations

from scheduler_lib.api.handlers import providers
from scheduler_lib.api.handlers.addresses import provider
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas import answers
from scheduler_lib.api.schemas import providers as schemas

_PROVIDERS = "/resource_providers"
_PROVIDER = "/resource_providers/{uuid}"

OPERATIONS = (
    Operation(
        "GET", _PROVIDERS, providers.listed, "List providers.",
        rule="placement:resource_providers:list",
        query=schemas.LIST,
        answers={200: "The providers that pass every filter."},
        gives=answers.PROVIDERS,
    ),
    Operation(
        "POST", _PROVIDERS, providers.create, "Make a provider.",
        rule="placement:resource_providers:create",
        until=19,
        body=schemas.CREATE,
        answers={201: "Made."},
        gives_json=False,
    ),
    Operation(
        "POST", _PROVIDERS, providers.create, "Make a provider, and show it.",
        rule="placement:resource_providers:create",
        since=20,
        body=schemas.CREATE,
        answers={200: "The provider that was made."},
        gives=answers.PROVIDER,
        gives_json=False,
    ),
    Operation(
        "GET", _PROVIDER, providers.show, "Show a provider.",
        rule="placement:resource_providers:show",
        answers={200: "The provider."},
        gives=answers.PROVIDER,
    ),
    Operation(
        "PUT", _PROVIDER, providers.update, "Rename a provider, or move it.",
        rule="placement:resource_providers:update",
        body=schemas.UPDATE,
        there=provider,
        answers={200: "The provider as it is now."},
        gives=answers.PROVIDER,
        gives_json=False,
    ),
    Operation(
        "DELETE", _PROVIDER, providers.delete, "Delete a provider.",
        rule="placement:resource_providers:delete",
        answers={204: "Gone."},
        gives_json=False,
    ),
)  # fmt: skip
