"""Paths of things, for links and locations; they begin where the application is mounted."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_lib.api.call import Call

# What a provider links to, and since when.
_RELATIONS = (
    (0, "inventories"),
    (0, "usages"),
    (1, "aggregates"),
    (6, "traits"),
    (11, "allocations"),
)


def provider(call: Call, uuid: str) -> str:
    """Return the path of a provider."""
    return f"{call.prefix}/resource_providers/{uuid}"


def inventory(call: Call, uuid: str, resource_class: str) -> str:
    """Return the path of one of a provider's inventories."""
    return f"{provider(call, uuid)}/inventories/{resource_class}"


def resource_class(call: Call, name: str) -> str:
    """Return the path of a resource class."""
    return f"{call.prefix}/resource_classes/{name}"


def trait(call: Call, name: str) -> str:
    """Return the path of a trait."""
    return f"{call.prefix}/traits/{name}"


def relations(call: Call) -> list[str]:
    """Return what providers link to at the call's microversion."""
    return [name for since, name in _RELATIONS if call.since(since)]


def of_provider(call: Call, uuid: str, related: Sequence[str]) -> list[dict[str, str]]:
    """Return a provider's links: to itself, and to what is related."""
    path = provider(call, uuid)
    return [
        {"rel": "self", "href": path},
        *[{"rel": name, "href": f"{path}/{name}"} for name in related],
    ]
