"""A test of code that speaks to Placement: here, a function that makes a provider once."""

from __future__ import annotations

from falcon.testing import TestClient


def ensure_provider(client: TestClient, uuid: str, name: str) -> int:
    """Return the generation of a provider, made if it is not there: what is tested."""
    found = client.simulate_get(f"/resource_providers/{uuid}")
    if found.status_code == 404:
        found = client.simulate_post("/resource_providers", json={"uuid": uuid, "name": name})
    return found.json["generation"]


def test_a_provider_is_made_once(placement_api: TestClient) -> None:
    uuid = "4e8e5957-649f-477b-9e5b-f1f75b21c03c"
    assert ensure_provider(placement_api, uuid, "host1") == 0
    traits = {"traits": ["HW_CPU_X86_AVX2"], "resource_provider_generation": 0}
    placement_api.simulate_put(f"/resource_providers/{uuid}/traits", json=traits)
    assert ensure_provider(placement_api, uuid, "host1") == 1
    assert len(placement_api.simulate_get("/resource_providers").json["resource_providers"]) == 1
