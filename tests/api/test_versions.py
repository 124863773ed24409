"""Microversions: what each answer shows, and from when on."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime

import pytest

from scheduler_lib.api.operations import Operation
from scheduler_lib.api.routes import OPERATIONS
from tests.api.conftest import Api

LATE = [one for one in OPERATIONS if one.since > 0]
NAMED = re.compile(r"{\w+}")


def told(operation: Operation) -> str:
    return f"{operation.method} {operation.path} {operation.since}-{operation.until}"


@pytest.mark.parametrize("operation", LATE, ids=told)
def test_an_operation_is_not_there_before_its_microversion(api: Api, operation: Operation) -> None:
    path = NAMED.sub("11111111-1111-4111-8111-111111111111", operation.path)
    body = {} if operation.body is not None else None
    others = [
        one for one in OPERATIONS if (one.method, one.path) == (operation.method, operation.path)
    ]
    if not any(one.covers(operation.since - 1) for one in others):
        early = api.ask(operation.method, path, body, version=operation.since - 1)
        assert early.status == operation.absent
        assert early.detail.strip() == early.detail.splitlines()[0].strip()
    at_last = api.ask(operation.method, path, body, version=operation.since)
    assert at_last.status != 405


@pytest.mark.parametrize(
    ("version", "relations"),
    [
        (0, "self inventories usages"),
        (1, "self inventories usages aggregates"),
        (6, "self inventories usages aggregates traits"),
        (11, "self inventories usages aggregates traits allocations"),
    ],
)
def test_a_provider_links_to_what_there_is(api: Api, version: int, relations: str) -> None:
    uuid = api.make("a")
    links = api.get(f"/resource_providers/{uuid}", version=version).json["links"]
    path = f"/resource_providers/{uuid}"
    assert {link["rel"]: link["href"] for link in links} == {
        name: path if name == "self" else f"{path}/{name}" for name in relations.split()
    }


def test_trees_are_shown_since_1_14(api: Api) -> None:
    path = f"/resource_providers/{api.make('a')}"
    tree = {"parent_provider_uuid", "root_provider_uuid"}
    assert not tree & set(api.get(path, version=13).json)
    assert tree <= set(api.get(path, version=14).json)


def test_since_1_15_reads_say_when_it_was_modified_and_that_it_may_change(api: Api) -> None:
    uuid = api.make("a", VCPU=1)
    api.put("/traits/CUSTOM_A")
    provider = f"/resource_providers/{uuid}"
    for path in (
        "/resource_providers", provider, f"{provider}/inventories", f"{provider}/inventories/VCPU",
        f"{provider}/usages", f"{provider}/traits", f"{provider}/aggregates", "/traits",
        "/traits/CUSTOM_A", "/traits/HW_CPU_X86_AVX", "/resource_classes",
        "/resource_classes/VCPU", "/usages?project_id=p",
    ):  # fmt: skip
        headers = api.get(path, version=15).headers
        assert headers["cache-control"] == "no-cache", path
        assert parsedate_to_datetime(headers["last-modified"]), path
        assert not {"cache-control", "last-modified"} & set(api.get(path, version=14).headers), path


def test_what_removes_says_nothing_of_times(api: Api) -> None:
    uuid = api.make("a", VCPU=1)
    provider = f"/resource_providers/{uuid}"
    for path in (f"{provider}/inventories/VCPU", f"{provider}/traits", provider):
        answer = api.delete(path)
        assert (answer.status, answer.json) == (204, None)
        assert not {"cache-control", "last-modified", "content-type"} & set(answer.headers)


def test_links_begin_where_the_application_is_mounted(api: Api) -> None:
    uuid = api.make("a")
    answer = api.get(f"/resource_providers/{uuid}", root="/placement")
    assert all(link["href"].startswith("/placement/") for link in answer.json["links"])
    made = api.post("/resource_providers", {"name": "b"}, root="/placement")
    assert "/placement/resource_providers/" in made.headers["location"]
