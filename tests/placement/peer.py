"""A forest put into openstack-placement over its API, and candidates asked of it there."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import Provider
from scheduler_lib.model.request import ResourceGroup
from tests.fleet.builders import Forest, uid
from tests.placement.twin import Answer

_AMPLE = {"total": 100_000}
# What is asked has to exist, whether or not a provider has it.
_CUSTOM_CLASSES = ("CUSTOM_GPU",)
_CUSTOM_TRAITS = ("CUSTOM_A", "CUSTOM_B", "CUSTOM_C")

App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Peer:
    """A Placement server called as a WSGI app."""

    def __init__(self, app: App) -> None:
        self._app = app

    def call(
        self, method: str, path: str, body: object = None, *, query: str = "", version: str = "1.39"
    ) -> tuple[int, Any]:
        """Return the status and the decoded body of one request."""
        data = b"" if body is None else json.dumps(body).encode()
        environ = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(data)),
            "HTTP_ACCEPT": "application/json",
            "HTTP_X_AUTH_TOKEN": "admin",
            "HTTP_OPENSTACK_API_VERSION": f"placement {version}",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(data),
            "wsgi.errors": io.StringIO(),
            "wsgi.multithread": False,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        heads: list[str] = []
        text = b"".join(self._app(environ, lambda status, *rest: heads.append(status)))
        return int(heads[0].split()[0]), json.loads(text) if text else None

    def fill(self, forest: Forest) -> None:
        """Create everything in a forest."""
        for name in _CUSTOM_TRAITS:
            self._write("PUT", f"/traits/{name}")
        for name in _CUSTOM_CLASSES:
            self._write("PUT", f"/resource_classes/{name}")
        for provider in forest.providers.values():
            self._put(provider)

    def answers(self, request: Mapping[str, Any]) -> tuple[set[Answer], dict[str, Any]]:
        """Return the candidates the server gives for a request, and its summaries.

        :raises PeerFailed: when it does not answer 200.
        """
        body = self._candidates(request, "1.39")
        return {_answer(item) for item in body["allocation_requests"]}, body["provider_summaries"]

    def amounts(
        self, request: Mapping[str, Any], *, version: str
    ) -> Counter[frozenset[tuple[str, str, int]]]:
        """Return what each candidate takes; where mappings are not shown, some look the same.

        :raises PeerFailed: when it does not answer 200.
        """
        body = self._candidates(request, version)
        return Counter(_answer(item)[0] for item in body["allocation_requests"])

    def _candidates(self, request: Mapping[str, Any], version: str) -> dict[str, Any]:
        query = query_of(request)
        status, body = self.call("GET", "/allocation_candidates", query=query, version=version)
        if status != 200:
            raise PeerFailed(status, query, body)
        return dict(body)

    def _put(self, provider: Provider) -> None:
        path = f"/resource_providers/{provider.uuid}"
        body = {"uuid": provider.uuid, "name": provider.name}
        if provider.parent_uuid is not None:
            body["parent_provider_uuid"] = provider.parent_uuid
        self._write("POST", "/resource_providers", body)
        self._put_stocks(provider, path)
        if provider.traits:
            self._guarded(provider, f"{path}/traits", traits=sorted(provider.traits))
        if provider.aggregates:
            self._guarded(provider, f"{path}/aggregates", aggregates=sorted(provider.aggregates))

    def _put_stocks(self, provider: Provider, path: str) -> None:
        used = {name: stock.used for name, stock in provider.stocks.items() if stock.used}
        if used:
            ample = dict.fromkeys(provider.stocks, _AMPLE)
            self._guarded(provider, f"{path}/inventories", inventories=ample)
            self._write(
                "PUT",
                f"/allocations/{uid('consumer of ' + provider.name)}",
                {
                    "allocations": {provider.uuid: {"resources": used}},
                    "project_id": "p",
                    "user_id": "u",
                    "consumer_generation": None,
                    "consumer_type": "INSTANCE",
                },
            )
        if provider.stocks:
            final = {name: _inventory(stock.inventory) for name, stock in provider.stocks.items()}
            self._guarded(provider, f"{path}/inventories", inventories=final)

    def _guarded(self, provider: Provider, path: str, **body: object) -> None:
        _, now = self.call("GET", f"/resource_providers/{provider.uuid}")
        self._write("PUT", path, {"resource_provider_generation": now["generation"], **body})

    def _write(self, method: str, path: str, body: object = None) -> None:
        status, answer = self.call(method, path, body)
        if status not in (200, 201, 204):
            raise PeerFailed(status, f"{method} {path}", answer)


class PeerFailed(Exception):
    """The server did not do what it was asked."""

    def __init__(self, status: int, asked: str, body: object) -> None:
        super().__init__(f"{status} for {asked}: {body}")
        self.status = status


def query_of(request: Mapping[str, Any]) -> str:
    """Return the query string that asks what a search is asked."""
    pairs: list[tuple[str, str]] = []
    groups: Mapping[str, ResourceGroup] = request["groups"]
    for suffix, group in groups.items():
        pairs += _pairs_of(suffix, group)
    if request.get("group_policy"):
        pairs.append(("group_policy", request["group_policy"]))
    root = [
        *sorted(request.get("root_required", ())),
        *(f"!{name}" for name in sorted(request.get("root_forbidden", ()))),
    ]
    if root:
        pairs.append(("root_required", ",".join(root)))
    for suffixes in request.get("same_subtree", ()):
        pairs.append(("same_subtree", ",".join(sorted(suffixes))))
    return urlencode(pairs, safe=":,!")


def _pairs_of(suffix: str, group: ResourceGroup) -> Iterable[tuple[str, str]]:
    if group.resources:
        amounts = ",".join(f"{name}:{amount}" for name, amount in group.resources.items())
        yield f"resources{suffix}", amounts
    traits = [*sorted(group.required), *(f"!{name}" for name in sorted(group.forbidden))]
    if traits:
        yield f"required{suffix}", ",".join(traits)
    for choice in group.any_of:
        yield f"required{suffix}", f"in:{','.join(sorted(choice))}"
    for choice in group.member_of:
        yield f"member_of{suffix}", f"in:{','.join(sorted(choice))}"
    if group.forbidden_aggregates:
        yield f"member_of{suffix}", f"!in:{','.join(sorted(group.forbidden_aggregates))}"
    if group.in_tree is not None:
        yield f"in_tree{suffix}", group.in_tree


def _inventory(inventory: Inventory) -> dict[str, object]:
    names = ("total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio")
    return {name: getattr(inventory, name) for name in names}


def _answer(item: Mapping[str, Any]) -> Answer:
    return (
        frozenset(
            (provider, name, amount)
            for provider, given in item["allocations"].items()
            for name, amount in given["resources"].items()
        ),
        frozenset(
            (suffix, frozenset(providers)) for suffix, providers in item.get("mappings", {}).items()
        ),
    )
