"""Random requests to every route but the candidates'."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.twin import names
from tests.twin.drawing import (
    Draw,
    aggregates,
    classes,
    consumers,
    inventories,
    mostly,
    provider_generations,
    providers,
    providers_and_nobody,
    some,
    stocks,
    traits,
    versions,
)
from tests.twin.exchange import Request
from tests.twin.generations import ProviderGeneration

Requests = st.SearchStrategy[Request]


@st.composite
def provider_writes(draw: Draw) -> Request:
    """Make, rename, move or delete a provider."""
    uuid = draw(providers)
    kind = draw(st.sampled_from(("post", "post", "put", "put", "delete")))
    if kind == "delete":
        return Request("DELETE", f"/resource_providers/{uuid}", version=draw(versions()))
    version = draw(versions("1.14"))
    body: dict[str, Any] = {"name": draw(mostly(names.provider_name(uuid), "p0", "other name"))}
    if draw(st.booleans()):
        body["parent_provider_uuid"] = draw(st.one_of(providers, st.none(), providers_and_nobody))
    if kind == "put":
        return Request("PUT", f"/resource_providers/{uuid}", body=body, version=version)
    return Request("POST", "/resource_providers", body={**body, "uuid": uuid}, version=version)


@st.composite
def inventory_writes(draw: Draw) -> Request:
    """Write or delete inventories."""
    uuid = draw(providers_and_nobody)
    path = f"/resource_providers/{uuid}/inventories"
    version = draw(versions())
    generation = draw(provider_generations(uuid))
    kind = draw(st.sampled_from(("all", "all", "post", "one", "delete", "clear")))
    if kind == "all":
        body = {"resource_provider_generation": generation, "inventories": draw(stocks())}
        return Request("PUT", path, body=body, version=version)
    if kind == "clear":
        return Request("DELETE", path, version=version)
    name = draw(st.one_of(classes, mostly(names.UNKNOWN_CLASS, "VCPU", weight=1)))
    if kind == "delete":
        return Request("DELETE", f"{path}/{name}", version=version)
    body = {**draw(inventories()), "resource_provider_generation": generation}
    if kind == "one":
        return Request("PUT", f"{path}/{name}", body=body, version=version)
    return Request("POST", path, body={**body, "resource_class": name}, version=version)


@st.composite
def aggregate_writes(draw: Draw) -> Request:
    """Set a provider's aggregates."""
    uuid = draw(providers_and_nobody)
    version = draw(versions("1.1"))
    wanted = draw(some(names.AGGREGATES, 3))
    body: Any = wanted
    if (names.minor(version) >= 19) == draw(mostly(True, False)):
        generation = draw(provider_generations(uuid))
        body = {"aggregates": wanted, "resource_provider_generation": generation}
    return Request("PUT", f"/resource_providers/{uuid}/aggregates", body=body, version=version)


@st.composite
def trait_writes(draw: Draw) -> Request:
    """Set or clear a provider's traits."""
    uuid = draw(providers_and_nobody)
    path = f"/resource_providers/{uuid}/traits"
    version = draw(versions("1.6"))
    if draw(st.integers(0, 4)) == 0:
        return Request("DELETE", path, version=version)
    body = {
        "traits": draw(some(names.TRAITS, 4, unknown=names.UNKNOWN_TRAIT)),
        "resource_provider_generation": draw(provider_generations(uuid)),
    }
    return Request("PUT", path, body=body, version=version)


@st.composite
def catalogue_writes(draw: Draw) -> Request:
    """Make, rename or delete traits and resource classes."""
    kind = draw(st.sampled_from(("trait", "class", "post", "rename")))
    method = draw(st.sampled_from(("PUT", "PUT", "DELETE", "GET")))
    if kind == "trait":
        name = draw(st.one_of(traits, st.sampled_from((names.UNKNOWN_TRAIT, "HW_NOT_STANDARD"))))
        return Request(method, f"/traits/{name}", version=draw(versions("1.6")))
    name = draw(st.one_of(classes, st.just(names.UNKNOWN_CLASS)))
    if kind == "class":
        return Request(method, f"/resource_classes/{name}", version=draw(versions("1.7")))
    version = draw(versions("1.2"))
    if kind == "post":
        return Request("POST", "/resource_classes", body={"name": name}, version=version)
    new_name = draw(st.sampled_from((*names.CUSTOM_CLASSES, "CUSTOM_RENAMED", "VCPU")))
    old = draw(st.sampled_from(("1.2", "1.4", "1.6")))
    return Request("PUT", f"/resource_classes/{name}", body={"name": new_name}, version=old)


@st.composite
def reads(draw: Draw) -> Request:
    """Read something."""
    uuid = draw(providers_and_nobody)
    noun = draw(
        st.sampled_from(("", "inventories", "usages", "aggregates", "traits", "allocations"))
    )
    version = draw(versions())
    kind = draw(st.sampled_from(("provider", "provider", "inventory", "list", "consumer", "total")))
    if kind == "provider":
        return Request("GET", f"/resource_providers/{uuid}/{noun}".rstrip("/"), version=version)
    if kind == "inventory":
        path = f"/resource_providers/{uuid}/inventories/{draw(classes)}"
        return Request("GET", path, version=version)
    if kind == "consumer":
        method = draw(st.sampled_from(("GET", "GET", "DELETE")))
        return Request(method, f"/allocations/{draw(consumers)}", version=version)
    if kind == "total":
        return draw(usage_reads())
    path, query = draw(
        st.sampled_from(
            (
                ("/resource_classes", ""),
                ("/traits", "associated=true"),
                ("/traits", "associated=false&name=startswith:CUSTOM_"),
                ("/traits", "name=in:CUSTOM_GOLD,CUSTOM_UNHEARD_OF,HW_NUMA_ROOT"),
                ("/", ""),
            )
        )
    )
    return Request("GET", path, query, version=version)


@st.composite
def usage_reads(draw: Draw) -> Request:
    """Read what projects and users hold."""
    version = draw(versions("1.9"))
    query = f"project_id={draw(st.sampled_from(names.PROJECTS))}"
    if draw(st.booleans()):
        query += f"&user_id={draw(st.sampled_from(names.USERS))}"
    if draw(st.integers(0, 2)) == 0:
        wanted = draw(st.sampled_from((*names.CONSUMER_TYPES, "all", "unknown", "NONE")))
        query += f"&consumer_type={wanted}"
    return Request("GET", "/usages", query, version=version)


@st.composite
def provider_lists(draw: Draw) -> Request:
    """List providers by random filters."""
    version = draw(versions("1.4"))
    parts = []
    if draw(st.integers(0, 3)) == 0:
        parts.append(f"name=p{draw(st.integers(0, 8))}")
    if draw(st.integers(0, 5)) == 0:
        parts.append(f"uuid={draw(providers_and_nobody)}")
    if draw(st.integers(0, 3)) == 0:
        parts.append(f"in_tree={draw(providers_and_nobody)}")
    if draw(st.integers(0, 2)) == 0:
        wanted = draw(st.dictionaries(classes, st.integers(1, 5), min_size=1, max_size=2))
        parts.append("resources=" + ",".join(f"{key}:{n}" for key, n in wanted.items()))
    parts += draw(member_of_parts())
    parts += draw(required_parts())
    return Request("GET", "/resource_providers", "&".join(parts), version=version)


@st.composite
def member_of_parts(draw: Draw, suffix: str = "") -> list[str]:
    """Give member_of arguments: mostly none, seldom two."""
    parts = []
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 1, 2)))):
        if draw(st.booleans()):
            value = draw(aggregates)
        else:
            value = "in:" + ",".join(draw(some(names.AGGREGATES, 2, 1, names.NOBODY)))
        parts.append(f"member_of{suffix}={draw(mostly('', '!', weight=4))}{value}")
    return parts


@st.composite
def required_parts(draw: Draw, suffix: str = "") -> list[str]:
    """Give required arguments: mostly none, seldom two."""
    parts = []
    for _ in range(draw(st.sampled_from((0, 0, 0, 0, 1, 1, 2)))):
        found = draw(some(names.TRAITS, 2, 1, names.UNKNOWN_TRAIT))
        if draw(st.integers(0, 3)) == 0:
            parts.append(f"required{suffix}=in:{','.join(found)}")
        else:
            signs = [draw(mostly("", "!", weight=2)) for _ in found]
            both = ",".join(map("".join, zip(signs, found, strict=True)))
            parts.append(f"required{suffix}={both}")
    return parts


@st.composite
def trees(draw: Draw) -> list[Request]:
    """Give the requests that build a few trees with things in them."""
    made: list[Request] = [
        *(Request("PUT", f"/traits/{name}") for name in names.CUSTOM_TRAITS),
        *(Request("PUT", f"/resource_classes/{name}") for name in names.CUSTOM_CLASSES),
    ]
    count = draw(st.integers(2, 6))
    for number, uuid in enumerate(names.PROVIDERS[:count]):
        body: dict[str, Any] = {"name": names.provider_name(uuid), "uuid": uuid}
        if number and draw(st.booleans()):
            body["parent_provider_uuid"] = draw(st.sampled_from(names.PROVIDERS[:number]))
        made.append(Request("POST", "/resource_providers", body=body))
        made += draw(_belongings(uuid))
    return made


@st.composite
def _belongings(draw: Draw, uuid: str) -> list[Request]:
    generation = ProviderGeneration(uuid)
    path = f"/resource_providers/{uuid}"
    wanted = draw(st.dictionaries(classes, inventories(), max_size=3))
    made = []
    if wanted:
        body: Any = {"resource_provider_generation": generation, "inventories": wanted}
        made.append(Request("PUT", f"{path}/inventories", body=body))
    groups = draw(some(names.AGGREGATES, 2))
    if groups:
        made.append(Request("PUT", f"{path}/aggregates", body=groups, version="1.18"))
    owned = draw(some(names.TRAITS, 3))
    if owned:
        body = {"resource_provider_generation": generation, "traits": owned}
        made.append(Request("PUT", f"{path}/traits", body=body))
    return made
