"""Traits: which there are, and which providers have."""

from __future__ import annotations

import pytest

from tests.api.conftest import Api

PROVIDERS = "/resource_providers"


def of(api: Api, uuid: str) -> list[str]:
    return list(api.get(f"{PROVIDERS}/{uuid}/traits").json["traits"])


def give(api: Api, uuid: str, *traits: str, generation: int | None = None) -> int:
    number = api.generation(uuid) if generation is None else generation
    body = {"traits": traits, "resource_provider_generation": number}
    return api.put(f"{PROVIDERS}/{uuid}/traits", body).status


def listed(api: Api, query: str) -> list[str]:
    return list(api.get(f"/traits?{query}").json["traits"])


def test_a_trait_is_made_once_found_and_removed(api_anywhere: Api) -> None:
    path = "/traits/CUSTOM_GOLD"
    assert api_anywhere.get(path).status == 404
    made, again = api_anywhere.put(path), api_anywhere.put(path)
    assert (made.status, again.status) == (201, 204)
    assert made.headers["location"].endswith(path)
    assert api_anywhere.get(path).status == 204
    assert listed(api_anywhere, "name=startswith:CUSTOM_") == ["CUSTOM_GOLD"]
    assert api_anywhere.delete(path).status == 204
    assert api_anywhere.delete(path).status == 404
    assert api_anywhere.get(path).status == 404
    assert listed(api_anywhere, "name=startswith:CUSTOM_") == []
    assert api_anywhere.put(path).status == 201


@pytest.mark.parametrize(
    "name",
    [
        "GOLD", "custom_gold", "CUSTOM_", "CUSTOM_a", "CUSTOM_A\n", "CUSTOM_\0",
        "CUSTOM_" + "A" * 249,
    ],
)  # fmt: skip
def test_only_names_of_ones_own_can_be_made(api: Api, name: str) -> None:
    refused = api.put(f"/traits/{name}")
    assert refused.status == 400
    assert "The trait is invalid." in refused.detail


def test_standard_traits_are_there_from_the_start_and_stay(api_anywhere: Api) -> None:
    assert api_anywhere.get("/traits/HW_CPU_X86_AVX").status == 204
    refused = api_anywhere.delete("/traits/HW_CPU_X86_AVX")
    assert refused.status == 400
    assert "Cannot delete standard trait HW_CPU_X86_AVX" in refused.detail


def test_a_list_has_the_names_that_pass_every_filter(api: Api) -> None:
    for name in ("CUSTOM_A", "CUSTOM_B"):
        api.put(f"/traits/{name}")
    uuid = api.make("a")
    give(api, uuid, "CUSTOM_A", "HW_CPU_X86_AVX")
    assert listed(api, "name=in:CUSTOM_A,HW_CPU_X86_AVX,NONE,no") == ["CUSTOM_A", "HW_CPU_X86_AVX"]
    assert listed(api, "name=startswith:CUSTOM_&associated=false") == ["CUSTOM_B"]
    assert listed(api, "associated=TRUE") == ["CUSTOM_A", "HW_CPU_X86_AVX"]
    assert "CUSTOM_A" not in listed(api, "associated=false")
    # Neither % nor _ stands for other letters.
    assert listed(api, "name=startswith:CUSTOM%25") == []
    assert listed(api, "name=startswith:______") == []
    assert set(listed(api, "")) > {"CUSTOM_A", "CUSTOM_B", "HW_CPU_X86_AVX", "COMPUTE_NODE"}


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("name=CUSTOM_A", "Badly formatted name parameter."),
        ("associated=yes", '"associated" only accepts "true" or "false"'),
        ("unknown=1", "Additional properties are not allowed"),
    ],
)
def test_filters_that_cannot_mean_anything_are_refused(api: Api, query: str, told: str) -> None:
    refused = api.get(f"/traits?{query}")
    assert refused.status == 400
    assert told in refused.detail


def test_a_provider_has_the_traits_it_was_given_last(api_anywhere: Api) -> None:
    uuid = api_anywhere.make("a")
    api_anywhere.put("/traits/CUSTOM_A")
    assert give(api_anywhere, uuid, "HW_CPU_X86_AVX", "CUSTOM_A", "CUSTOM_A") == 200
    assert of(api_anywhere, uuid) == ["CUSTOM_A", "HW_CPU_X86_AVX"]
    assert give(api_anywhere, uuid, "HW_CPU_X86_AVX") == 200
    assert of(api_anywhere, uuid) == ["HW_CPU_X86_AVX"]
    assert api_anywhere.delete(f"{PROVIDERS}/{uuid}/traits").status == 204
    assert of(api_anywhere, uuid) == []


def test_only_a_change_of_traits_counts_a_generation(api_anywhere: Api) -> None:
    uuid = api_anywhere.make("a")
    assert give(api_anywhere, uuid, "HW_CPU_X86_AVX") == 200
    assert api_anywhere.generation(uuid) == 1
    assert give(api_anywhere, uuid, "HW_CPU_X86_AVX") == 200
    assert api_anywhere.generation(uuid) == 1
    for _ in range(2):
        assert api_anywhere.delete(f"{PROVIDERS}/{uuid}/traits").status == 204
        assert api_anywhere.generation(uuid) == 2


def test_traits_are_written_under_the_generation_that_was_read(api_anywhere: Api) -> None:
    uuid = api_anywhere.make("a", VCPU=1)
    for names in (["HW_CPU_X86_AVX"], ["NONE"], ["no"]):
        body = {"traits": names, "resource_provider_generation": 0}
        refused = api_anywhere.put(f"{PROVIDERS}/{uuid}/traits", body)
        assert (refused.status, refused.code) == (409, "placement.concurrent_update")
        assert "Resource provider's generation already changed." in refused.detail
    assert of(api_anywhere, uuid) == []


def test_traits_that_are_not_there_are_named(api_anywhere: Api) -> None:
    uuid = api_anywhere.make("a")
    for names, told in (
        (["HW_CPU_X86_AVX", "NONE", "CUSTOM_NONE"], "No such trait CUSTOM_NONE, NONE"),
        (["HW_CPU_X86_AVX", "NONE", "no", "n\0"], "No such trait NONE, n\0, no"),
    ):
        body = {"traits": names, "resource_provider_generation": 0}
        refused = api_anywhere.put(f"{PROVIDERS}/{uuid}/traits", body)
        assert refused.status == 400
        assert told in refused.detail
    assert of(api_anywhere, uuid) == []


@pytest.mark.parametrize(
    "body",
    [
        {"traits": []}, {"resource_provider_generation": 0}, [], {"traits": "A"}, {"traits": [1]},
        {"traits": [""]}, {"traits": ["A" * 256]}, {"traits": ["A"] * 10_001},
    ],
)  # fmt: skip
def test_what_is_no_list_of_traits_is_refused(api: Api, body: object) -> None:
    uuid = api.make("a")
    if isinstance(body, dict) and "traits" in body and body["traits"]:
        body = {**body, "resource_provider_generation": 0}
    refused = api.put(f"{PROVIDERS}/{uuid}/traits", body)
    assert refused.status == 400
    assert "JSON does not validate" in refused.detail


def test_a_trait_that_somebody_has_cannot_go(api_anywhere: Api) -> None:
    uuid = api_anywhere.make("a")
    api_anywhere.put("/traits/CUSTOM_A")
    give(api_anywhere, uuid, "CUSTOM_A")
    refused = api_anywhere.delete("/traits/CUSTOM_A")
    assert refused.status == 409
    assert "The trait CUSTOM_A is in use by a resource provider." in refused.detail
    api_anywhere.delete(f"{PROVIDERS}/{uuid}/traits")
    assert api_anywhere.delete("/traits/CUSTOM_A").status == 204
    assert give(api_anywhere, uuid, "CUSTOM_A") == 400
