"""The API in memory, or on each database, and a client for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from falcon.testing import StartResponseMock, create_environ

from scheduler_lib.api.app import PlacementApp
from scheduler_lib.testing.api import make_app

UUIDS = tuple(
    f"{digit * 8}-{digit * 4}-4{digit * 3}-8{digit * 3}-{digit * 12}" for digit in "123456789"
)


class Answer(NamedTuple):
    """What came back: the status, the body read as JSON, and headers by lower-case name."""

    status: int
    json: Any
    headers: Mapping[str, str]

    @property
    def detail(self) -> str:
        """What is wrong, from the first error."""
        return str(self.json["errors"][0]["detail"])

    @property
    def code(self) -> str:
        """The code of the first error."""
        return str(self.json["errors"][0]["code"])


class Api:
    """Asks the application, without a socket."""

    def __init__(self, app: PlacementApp) -> None:
        self.app = app

    def get(self, path: str, **asked: Any) -> Answer:
        return self.ask("GET", path, **asked)

    def put(self, path: str, body: object = None, **asked: Any) -> Answer:
        return self.ask("PUT", path, body, **asked)

    def post(self, path: str, body: object = None, **asked: Any) -> Answer:
        return self.ask("POST", path, body, **asked)

    def delete(self, path: str, **asked: Any) -> Answer:
        return self.ask("DELETE", path, **asked)

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        version: int | None = 39,
        token: str | None = "admin",
        headers: Mapping[str, str] | None = None,
        root: str = "",
    ) -> Answer:
        """Send one request.

        :param path: may have a query string.
        :param body: sent as JSON; bytes as they are.
        :param version: the microversion's minor number; None for no header.
        :param root: where the application is mounted.
        """
        sent = dict(headers or {})
        if version is not None:
            sent["openstack-api-version"] = f"placement 1.{version}"
        if token is not None:
            sent["x-auth-token"] = token
        content = None
        if body is not None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent["content-type"] = "application/json"
        path, _, query = path.partition("?")
        # Not falcon's client: it has its answers judged by wsgiref, which wants a type of what has
        # no body.
        environ = create_environ(
            path,
            query_string=query,
            method=method,
            headers=sent,
            body=content or b"",
            root_path=root,
        )
        started = StartResponseMock()
        text = b"".join(self.app(environ, started))
        headers_sent = {name.lower(): value for name, value in started.headers or ()}
        status = int(str(started.status).split()[0])
        return Answer(status, json.loads(text) if text else None, headers_sent)

    def make(self, name: str, parent: str | None = None, **inventories: int) -> str:
        """Make a provider that has these totals; return its uuid."""
        body = {"name": name, "parent_provider_uuid": parent}
        uuid = str(self.post("/resource_providers", body).json["uuid"])
        for resource_class, total in inventories.items():
            given = {"resource_class": resource_class, "total": total}
            answer = self.post(f"/resource_providers/{uuid}/inventories", given)
            assert answer.status == 201, answer
        return uuid

    def generation(self, uuid: str) -> int:
        """Return the generation of a provider."""
        return int(self.get(f"/resource_providers/{uuid}").json["generation"])

    def allocate(self, consumer: str, provider: str, **amounts: int) -> None:
        """Book amounts of a provider on a consumer that holds nothing yet."""
        body = {
            "allocations": {provider: {"resources": amounts}},
            "project_id": "project",
            "user_id": "user",
            "consumer_generation": None,
            "consumer_type": "INSTANCE",
        }
        answer = self.put(f"/allocations/{consumer}", body)
        assert answer.status == 204, answer


@pytest.fixture
def uuids() -> tuple[str, ...]:
    """A few uuids that nothing has yet."""
    return UUIDS


OpenApi = Callable[..., Api]


@pytest.fixture
def open_api() -> Iterator[OpenApi]:
    """Opens APIs of any profile, on any database; each is closed in the end."""
    opened: list[PlacementApp] = []

    def open_(profile: str = "default", url: str | None = None) -> Api:
        app = make_app(profile, connection=url)
        opened.append(app)
        return Api(app)

    yield open_
    for app in opened:
        app.close()


@pytest.fixture
def api(open_api: OpenApi) -> Api:
    """An API on a database in memory."""
    return open_api()


@pytest.fixture
def api_anywhere(open_api: OpenApi, database_url: str) -> Api:
    """An API on each database in turn."""
    return open_api(url=database_url)
