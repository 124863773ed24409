"""Aggregates: which ones providers are in."""

from __future__ import annotations

import pytest

from tests.api.conftest import Api


def path(uuid: str) -> str:
    return f"/resource_providers/{uuid}/aggregates"


def test_before_1_19_aggregates_are_a_list_without_a_generation(
    api_anywhere: Api, uuids: tuple[str, ...]
) -> None:
    uuid = api_anywhere.make("a", VCPU=1)
    written = api_anywhere.put(path(uuid), [uuids[1], uuids[0]], version=18)
    assert written.json == {"aggregates": [uuids[1], uuids[0]]}
    assert set(api_anywhere.get(path(uuid), version=1).json["aggregates"]) == set(uuids[:2])
    assert api_anywhere.generation(uuid) == 1
    assert api_anywhere.put(path(uuid), [], version=1).json == {"aggregates": []}


def test_since_1_19_every_write_asks_for_the_generation_and_counts_one(
    api_anywhere: Api, uuids: tuple[str, ...]
) -> None:
    uuid = api_anywhere.make("a")

    def write(generation: int) -> int:
        body = {"aggregates": [uuids[0]], "resource_provider_generation": generation}
        return api_anywhere.put(path(uuid), body).status

    assert [write(0), write(1)] == [200, 200]
    assert [write(0), write(3)] == [409, 409]
    assert api_anywhere.get(path(uuid)).json == {
        "aggregates": [uuids[0]],
        "resource_provider_generation": 2,
    }


def test_an_old_generation_has_its_code(api: Api) -> None:
    body = {"aggregates": [], "resource_provider_generation": 7}
    refused = api.put(path(api.make("a")), body)
    assert refused.code == "placement.concurrent_update"
    assert "Resource provider's generation already changed." in refused.detail


def test_a_uuid_is_one_aggregate_however_it_is_written(
    api_anywhere: Api, uuids: tuple[str, ...]
) -> None:
    letters = "abcdefab-cdef-4abc-8def-abcdefabcdef"
    uuid = api_anywhere.make("a")
    body = [letters.upper(), letters.replace("-", "")]
    assert api_anywhere.put(path(uuid), body, version=18).status == 200
    assert api_anywhere.get(path(uuid)).json["aggregates"] == [letters]
    found = api_anywhere.get(f"/resource_providers?member_of={letters.upper()}")
    assert [one["uuid"] for one in found.json["resource_providers"]] == [uuid]


@pytest.mark.parametrize(
    "given",
    [["no"], [1], [None], "no", {}, ["1" * 32, "1" * 32], [f"{n:032x}" for n in range(10_001)]],
)
def test_what_is_no_list_of_different_uuids_is_refused(api: Api, given: object) -> None:
    uuid = api.make("a")
    body = {"aggregates": given, "resource_provider_generation": 0}
    assert api.put(path(uuid), body).status == 400
    assert api.put(path(uuid), given, version=18).status == 400
    assert api.get(path(uuid)).json["aggregates"] == []
