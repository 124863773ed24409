"""Resource classes: which there are, and what they are called."""

from __future__ import annotations

import os_resource_classes
import pytest

from tests.api.conftest import Api

CLASSES = "/resource_classes"


def names(api: Api) -> list[str]:
    return [one["name"] for one in api.get(CLASSES).json["resource_classes"]]


def test_standard_classes_are_there_from_the_start_and_stay(api_anywhere: Api) -> None:
    assert names(api_anywhere) == os_resource_classes.STANDARDS
    path = f"{CLASSES}/VCPU"
    assert api_anywhere.get(path).json == {
        "name": "VCPU",
        "links": [{"rel": "self", "href": path}],
    }
    refused = api_anywhere.delete(path)
    assert refused.status == 400
    assert "Cannot delete standard resource class VCPU" in refused.detail
    refused = api_anywhere.put(path, {"name": "CUSTOM_A"}, version=6)
    assert refused.status == 400
    assert "Cannot update standard resource class VCPU" in refused.detail


def test_a_class_is_made_once_and_removed(api_anywhere: Api) -> None:
    made = api_anywhere.post(CLASSES, {"name": "CUSTOM_A"})
    assert (made.status, made.json) == (201, None)
    assert made.headers["location"].endswith(f"{CLASSES}/CUSTOM_A")
    again = api_anywhere.post(CLASSES, {"name": "CUSTOM_A"})
    assert again.status == 409
    assert "Conflicting resource class already exists: CUSTOM_A" in again.detail
    assert names(api_anywhere)[-1] == "CUSTOM_A"
    assert api_anywhere.delete(f"{CLASSES}/CUSTOM_A").status == 204
    for gone in (api_anywhere.delete, api_anywhere.get):
        answer = gone(f"{CLASSES}/CUSTOM_A")
        assert answer.status == 404
        assert "No such resource class CUSTOM_A." in answer.detail
    assert "CUSTOM_A" not in names(api_anywhere)


def test_since_1_7_a_put_makes_a_class_or_finds_it(api_anywhere: Api) -> None:
    path = f"{CLASSES}/CUSTOM_A"
    assert [api_anywhere.put(path).status for _ in range(2)] == [201, 204]
    assert api_anywhere.put(path, version=7).headers["location"].endswith(path)


@pytest.mark.parametrize(
    "name", ["VCPU", "A", "custom_a", "CUSTOM_", "CUSTOM_a", "CUSTOM_A\n", "CUSTOM_" + "A" * 249]
)
def test_only_names_of_ones_own_can_be_made(api: Api, name: str) -> None:
    for refused in (api.post(CLASSES, {"name": name}), api.put(f"{CLASSES}/{name}")):
        assert refused.status == 400
        assert "JSON does not validate" in refused.detail


@pytest.mark.parametrize("body", [{}, [], {"name": 1}, {"name": "CUSTOM_A", "more": 1}])
def test_what_is_no_class_is_not_made(api: Api, body: object) -> None:
    assert api.post(CLASSES, body).status == 400


@pytest.mark.parametrize("name", ["NONE", "no", "\0", "☃"])
def test_what_cannot_be_a_class_is_not_there(api: Api, name: str) -> None:
    assert api.get(f"{CLASSES}/{name}").status == 404
    assert api.delete(f"{CLASSES}/{name}").status == 404
    assert api.put(f"{CLASSES}/{name}", {"name": "CUSTOM_A"}, version=2).status == 404


def test_before_1_7_a_class_is_renamed_wherever_it_stands(
    api_anywhere: Api, uuids: tuple[str, ...]
) -> None:
    api_anywhere.put(f"{CLASSES}/CUSTOM_OLD")
    uuid = api_anywhere.make("a", CUSTOM_OLD=8)
    api_anywhere.allocate(uuids[0], uuid, CUSTOM_OLD=3)
    answer = api_anywhere.put(f"{CLASSES}/CUSTOM_OLD", {"name": "CUSTOM_NEW"}, version=6)
    assert answer.status == 200
    assert answer.json["name"] == "CUSTOM_NEW"
    assert names(api_anywhere)[-1] == "CUSTOM_NEW"
    assert api_anywhere.get(f"{CLASSES}/CUSTOM_OLD").status == 404
    usages = api_anywhere.get(f"/resource_providers/{uuid}/usages").json["usages"]
    assert usages == {"CUSTOM_NEW": 3}
    for amount, found in ((5, 1), (6, 0)):
        answer = api_anywhere.get(f"/resource_providers?resources=CUSTOM_NEW:{amount}")
        assert len(answer.json["resource_providers"]) == found
    assert api_anywhere.get("/resource_providers?resources=CUSTOM_OLD:1").status == 400


def test_a_class_is_not_renamed_to_one_that_is_there(api: Api) -> None:
    for name in ("CUSTOM_A", "CUSTOM_B"):
        api.put(f"{CLASSES}/{name}")
    refused = api.put(f"{CLASSES}/CUSTOM_A", {"name": "CUSTOM_B"}, version=2)
    assert refused.status == 409
    assert "Resource class already exists: CUSTOM_B" in refused.detail


def test_a_class_of_which_somebody_has_an_inventory_cannot_go(api_anywhere: Api) -> None:
    api_anywhere.put(f"{CLASSES}/CUSTOM_A")
    uuid = api_anywhere.make("a", CUSTOM_A=1)
    refused = api_anywhere.delete(f"{CLASSES}/CUSTOM_A")
    assert refused.status == 409
    assert "Error in delete resource class" in refused.detail
    assert "Class is in use in inventory" in refused.detail
    assert api_anywhere.delete(f"/resource_providers/{uuid}/inventories").status == 204
    assert api_anywhere.delete(f"{CLASSES}/CUSTOM_A").status == 204
    body = {"resource_class": "CUSTOM_A", "total": 1}
    assert api_anywhere.post(f"/resource_providers/{uuid}/inventories", body).status == 400
