"""Fills a server, or empties it, by ordinary requests."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

import httpx

# The last version before consumers had types.
VERSION = "1.37"
# The last version that sets aggregates without counting the provider's generation up.
AGGREGATES_VERSION = "1.18"


class SeedError(RuntimeError):
    """The server refused something that a data set needs."""


class Seeder:
    """Puts data into a server and collects what the files read as ``$ENVIRON[...]``.

    The state it leaves is the one that upstream's own fixtures leave: one POST for each inventory
    (files assert the generation that this ends at), ``max_unit`` is the total unless told, and
    aggregates and allocations are written at the versions above.

    :ivar environment: the values that the files read.
    :ivar requests: how many requests were sent.
    """

    def __init__(
        self, client: httpx.Client, environment: MutableMapping[str, str], token: str = "admin"
    ) -> None:
        self._client = client
        self._token = token
        self.environment = environment
        self.requests = 0
        self._uuids: dict[str, str] = {}
        self._known_classes: set[str] = set()
        self._known_traits: set[str] = set()

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        version: str = VERSION,
        accepted: Iterable[int] = (200, 201, 204),
    ) -> httpx.Response:
        """Send a request.

        :raises SeedError: when the status is none of those accepted.
        """
        headers = {
            "x-auth-token": self._token,
            "accept": "application/json",
            "openstack-api-version": f"placement {version}",
        }
        content: dict[str, Any] = {} if body is None else {"json": body}
        self.requests += 1
        response = self._client.request(method, path, headers=headers, **content)
        if response.status_code not in accepted:
            raise SeedError(
                f"{method} {path} (placement {version}) -> "
                f"{response.status_code} {response.text[:400]}"
            )
        return response

    def new_uuid(self) -> str:
        """Return a random uuid."""
        return str(uuid.uuid4())

    def named_uuid(self, name: str) -> str:
        """Return one random uuid a name."""
        return self._uuids.setdefault(name, self.new_uuid())

    def generation(self, provider_uuid: str) -> int:
        """Return a provider's generation."""
        found = self.call("GET", f"/resource_providers/{provider_uuid}").json()["generation"]
        return int(found)

    def provider(
        self, name: str, *aggregates: str, uuid: str | None = None, parent: str | None = None
    ) -> str:
        """Make a provider; return its uuid."""
        provider_uuid = uuid or self.named_uuid(name)
        body = {"name": name, "uuid": provider_uuid}
        if parent:
            body["parent_provider_uuid"] = parent
        self.call("POST", "/resource_providers", body)
        if aggregates:
            self.aggregates(provider_uuid, *aggregates)
        return provider_uuid

    def aggregates(self, provider_uuid: str, *aggregates: str) -> None:
        """Set a provider's aggregates; its generation stays."""
        path = f"/resource_providers/{provider_uuid}/aggregates"
        self.call("PUT", path, list(aggregates), version=AGGREGATES_VERSION)

    def inventory(
        self, provider_uuid: str, resource_class: str, total: int, **attributes: float
    ) -> None:
        """Add an inventory."""
        if resource_class.startswith("CUSTOM_") and resource_class not in self._known_classes:
            self.call("PUT", f"/resource_classes/{resource_class}")
            self._known_classes.add(resource_class)
        body = {
            "max_unit": total,
            **attributes,
            "resource_class": resource_class,
            "total": total,
            "resource_provider_generation": self.generation(provider_uuid),
        }
        self.call("POST", f"/resource_providers/{provider_uuid}/inventories", body)

    def traits(self, provider_uuid: str, *names: str) -> None:
        """Set a provider's traits."""
        for name in names:
            if name.startswith("CUSTOM_") and name not in self._known_traits:
                self.call("PUT", f"/traits/{name}")
                self._known_traits.add(name)
        body = {
            "resource_provider_generation": self.generation(provider_uuid),
            "traits": list(names),
        }
        self.call("PUT", f"/resource_providers/{provider_uuid}/traits", body)

    def allocate(
        self, provider_uuid: str, resources: Mapping[str, int], project_id: str, user_id: str
    ) -> str:
        """Claim for a new consumer; return its uuid."""
        consumer_uuid = self.new_uuid()
        body = {
            "allocations": {provider_uuid: {"resources": dict(resources)}},
            "project_id": project_id,
            "user_id": user_id,
            "consumer_generation": None,
        }
        self.call("PUT", f"/allocations/{consumer_uuid}", body)
        return consumer_uuid


def wipe(seeder: Seeder) -> None:
    """Empty a server: allocations, providers, custom traits, custom classes.

    Consumer types, projects and users have no API and stay behind; no file depends on them.
    """
    providers = seeder.call("GET", "/resource_providers").json()["resource_providers"]
    for consumer_uuid in _consumers(seeder, [provider["uuid"] for provider in providers]):
        seeder.call("DELETE", f"/allocations/{consumer_uuid}", accepted=(204, 404))
    _drop_leaves_first(seeder, {item["uuid"]: item["parent_provider_uuid"] for item in providers})
    for trait in seeder.call("GET", "/traits?name=startswith:CUSTOM_").json()["traits"]:
        seeder.call("DELETE", f"/traits/{trait}", accepted=(204, 404))
    for item in seeder.call("GET", "/resource_classes").json()["resource_classes"]:
        if item["name"].startswith("CUSTOM_"):
            seeder.call("DELETE", f"/resource_classes/{item['name']}", accepted=(204, 404))


def _consumers(seeder: Seeder, provider_uuids: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for provider_uuid in provider_uuids:
        path = f"/resource_providers/{provider_uuid}/allocations"
        answer = seeder.call("GET", path, accepted=(200, 404))
        if answer.status_code == 200:
            found.update(answer.json()["allocations"])
    return found


def _drop_leaves_first(seeder: Seeder, parents: dict[str, str | None]) -> None:
    while parents:
        leaves = set(parents) - set(parents.values())
        if not leaves:
            raise SeedError("the providers form a ring")
        for leaf in leaves:
            seeder.call("DELETE", f"/resource_providers/{leaf}", accepted=(204, 404))
            del parents[leaf]
