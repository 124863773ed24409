"""Usages: what is used of a provider, and by a project."""

from __future__ import annotations

import pytest

from tests.api.conftest import Api


def book(
    api: Api, consumer: str, provider: str, user: str, kind: str | None, **amounts: int
) -> None:
    body: dict[str, object] = {
        "allocations": {provider: {"resources": amounts}},
        "project_id": "mine",
        "user_id": user,
        "consumer_generation": None,
    }
    if kind is not None:
        body["consumer_type"] = kind
    answer = api.put(f"/allocations/{consumer}", body, version=39 if kind else 37)
    assert answer.status == 204, answer


@pytest.fixture
def busy(api_anywhere: Api, uuids: tuple[str, ...]) -> Api:
    """A provider with two instances, and a consumer without a type."""
    provider = api_anywhere.make("a", VCPU=16, DISK_GB=100)
    book(api_anywhere, uuids[0], provider, "me", "INSTANCE", VCPU=1, DISK_GB=10)
    book(api_anywhere, uuids[1], provider, "you", "INSTANCE", VCPU=2)
    book(api_anywhere, uuids[2], provider, "me", None, VCPU=4)
    return api_anywhere


def used(api: Api, query: str, version: int = 39) -> object:
    answer = api.get(f"/usages?{query}", version=version)
    assert answer.status == 200, answer
    return answer.json["usages"]


def test_a_provider_shows_every_class_it_has(api: Api, uuids: tuple[str, ...]) -> None:
    uuid = api.make("a", VCPU=4, DISK_GB=10)
    api.allocate(uuids[0], uuid, VCPU=3)
    assert api.get(f"/resource_providers/{uuid}/usages").json == {
        "resource_provider_generation": 3,
        "usages": {"VCPU": 3, "DISK_GB": 0},
    }


def test_before_1_38_a_project_uses_sums(busy: Api) -> None:
    assert used(busy, "project_id=mine", 9) == {"VCPU": 7, "DISK_GB": 10}
    assert used(busy, "project_id=mine&user_id=you", 37) == {"VCPU": 2}
    assert used(busy, "project_id=nobodys", 37) == {}


def test_since_1_38_a_project_uses_by_type_of_consumers(busy: Api) -> None:
    instances = {"VCPU": 3, "DISK_GB": 10, "consumer_count": 2}
    others = {"VCPU": 4, "consumer_count": 1}
    both = {"INSTANCE": instances, "unknown": others}
    assert used(busy, "project_id=mine") == both
    assert used(busy, "project_id=mine&consumer_type=INSTANCE") == {"INSTANCE": instances}
    assert used(busy, "project_id=mine&consumer_type=unknown") == {"unknown": others}
    assert used(busy, "project_id=mine&consumer_type=MIGRATION") == {}
    assert used(busy, "project_id=mine&consumer_type=all") == {
        "all": {"VCPU": 7, "DISK_GB": 10, "consumer_count": 3}
    }
    assert used(busy, "project_id=nobodys&consumer_type=all") == {}
    assert used(busy, "project_id=mine&user_id=you") == {
        "INSTANCE": {"VCPU": 2, "consumer_count": 1}
    }


@pytest.mark.parametrize(
    "query",
    [
        "", "project_id=", "user_id=me", f"project_id={'p' * 256}", "project_id=p&user_id=",
        "project_id=p&consumer_type=small", "project_id=p&more=1", "project_id=p%00",
    ],
)  # fmt: skip
def test_a_question_that_names_no_project_is_refused(api: Api, query: str) -> None:
    assert api.get(f"/usages?{query}").status == 400


def test_before_1_38_nobody_asks_for_a_type(api: Api) -> None:
    query = "/usages?project_id=p&consumer_type=INSTANCE"
    assert api.get(query, version=37).status == 400
    assert api.get(query, version=38).status == 200


def test_who_may_not_ask_is_not_told_what_is_wrong_with_the_question(api: Api) -> None:
    assert api.get("/usages").status == 400
    assert api.get("/usages", token="somebody").status == 403
