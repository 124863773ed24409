"""A real Placement database: made by its own migrations, filled through its own API."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any
from uuid import uuid4

from tests.peers import ROOT, need_reference


class PlacementPeer:
    """The released Placement, in another process, on an empty database.

    :param url: of the database.
    """

    def __init__(self, url: str) -> None:
        need_reference()
        self.url = url
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.store.placement_server", url],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def close(self) -> None:
        self._process.stdin.close()  # type: ignore[union-attr]
        self._process.wait(30)
        self._process.stdout.close()  # type: ignore[union-attr]

    def call(self, method: str, path: str, body: object = None, version: str = "1.39") -> Any:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps([method, path, body, version]) + "\n")
        stdin.flush()
        status, text = json.loads(stdout.readline())
        assert status < 400, (path, text)
        return json.loads(text) if text else None

    def provider(self, name: str, parent: str | None = None, **inventories: object) -> str:
        uuid = str(uuid4())
        body = {"name": name, "uuid": uuid}
        if parent is not None:
            body["parent_provider_uuid"] = parent
        self.call("POST", "/resource_providers", body)
        if inventories:
            self.stock(uuid, **inventories)
        return uuid

    def generation(self, uuid: str) -> int:
        return int(self.call("GET", f"/resource_providers/{uuid}")["generation"])

    def stock(self, uuid: str, **inventories: object) -> None:
        body = {"resource_provider_generation": self.generation(uuid), "inventories": inventories}
        self.call("PUT", f"/resource_providers/{uuid}/inventories", body)

    def tag(self, uuid: str, traits: list[str], aggregates: list[str]) -> None:
        for name in traits:
            if name.startswith("CUSTOM_"):
                self.call("PUT", f"/traits/{name}")
        path, key = f"/resource_providers/{uuid}", "resource_provider_generation"
        self.call("PUT", f"{path}/traits", {"traits": traits, key: self.generation(uuid)})
        body = {"aggregates": aggregates, key: self.generation(uuid)}
        self.call("PUT", f"{path}/aggregates", body)

    def claim(
        self, consumer: str, allocations: dict[str, dict[str, int]], generation: int | None = None,
        **booking: object,
    ) -> None:  # fmt: skip
        body = {
            "allocations": {uuid: {"resources": held} for uuid, held in allocations.items()},
            "project_id": "p", "user_id": "u", "consumer_type": "INSTANCE",
            "consumer_generation": generation, **booking,
        }  # fmt: skip
        self.call("PUT", f"/allocations/{consumer}", body)
