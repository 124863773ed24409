"""Operations of traits."""

from __future__ import annotations

from scheduler_lib.api.handlers import traits
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas import answers
from scheduler_lib.api.schemas import traits as schemas

_TRAIT = "/traits/{name}"
_OF_PROVIDER = "/resource_providers/{uuid}/traits"

OPERATIONS = (
    Operation(
        "GET", "/traits", traits.listed, "List traits.",
        rule="placement:traits:list",
        since=6,
        query=schemas.LIST,
        answers={200: "The names of the traits that pass every filter."},
        gives=answers.TRAITS,
    ),
    Operation(
        "GET", _TRAIT, traits.show, "Ask whether there is a trait.",
        rule="placement:traits:show",
        since=6,
        answers={204: "There is."},
        gives_json=False,
    ),
    Operation(
        "PUT", _TRAIT, traits.create, "Make a trait.",
        rule="placement:traits:update",
        since=6,
        answers={201: "Made.", 204: "It was there."},
        gives_json=False,
    ),
    Operation(
        "DELETE", _TRAIT, traits.delete, "Delete a trait.",
        rule="placement:traits:delete",
        since=6,
        answers={204: "Gone."},
        gives_json=False,
    ),
    Operation(
        "GET", _OF_PROVIDER, traits.of_provider, "List a provider's traits.",
        rule="placement:resource_providers:traits:list",
        since=6,
        answers={200: "The names of the traits."},
        gives=answers.TRAITS_OF_PROVIDER,
    ),
    Operation(
        "PUT", _OF_PROVIDER, traits.replace, "Set a provider's traits.",
        rule="placement:resource_providers:traits:update",
        since=6,
        body=schemas.REPLACE,
        answers={200: "The names of the traits as they are now."},
        gives=answers.TRAITS_OF_PROVIDER,
        gives_json=False,
    ),
    Operation(
        "DELETE", _OF_PROVIDER, traits.delete_all, "Take all traits off a provider.",
        rule="placement:resource_providers:traits:delete",
        since=6,
        answers={204: "It has none."},
        gives_json=False,
    ),
)  # fmt: skip
