"""Operations of providers."""

from __future__ import annotations

from scheduler_lib.api.handlers import providers
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas import providers as schemas

_PROVIDERS = "/resource_providers"
_PROVIDER = "/resource_providers/{uuid}"

OPERATIONS = (
    Operation(
        "POST", _PROVIDERS, providers.create, "Make a provider.",
        rule="placement:resource_providers:create",
        body=schemas.CREATE,
        answers={200: "Made; since 1.20.", 201: "Made; before 1.20."},
        gives_json=False,
    ),
    Operation(
        "GET", _PROVIDER, providers.show, "Show a provider.",
        rule="placement:resource_providers:show",
    ),
    Operation(
        "DELETE", _PROVIDER, providers.delete, "Delete a provider.",
        rule="placement:resource_providers:delete",
        answers={204: "Gone."},
        gives_json=False,
    ),
)  # fmt: skip
