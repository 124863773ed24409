"""The document says what the server does, because both are made of the same data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import orjson
import pytest
from falcon.testing import TestClient

from scheduler_lib.api import openapi, openapi_parameters, policies
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.routes import OPERATIONS
from scheduler_lib.api.schemas.examples import STORY
from scheduler_lib.api.validation import FORMATS
from scheduler_lib.testing.api import ADMIN, Typed, make_app

DOCUMENT: dict[str, Any] = openapi.document(OPERATIONS, "1.2.3")
NEWEST = [item for item in OPERATIONS if item.covers(39)]


def named(item: Operation) -> str:
    return f"{item.method} {item.path} {item.since}"


def test_the_server_gives_its_document_to_everybody() -> None:
    with make_app() as app:
        answer = TestClient(app).simulate_get(openapi.PATH)
    assert answer.status_code == 200
    assert answer.json["openapi"] == "3.1.0"
    assert answer.json["paths"] == DOCUMENT["paths"]


@pytest.mark.parametrize("item", NEWEST, ids=named)
def test_every_operation_of_the_newest_version_is_there(item: Operation) -> None:
    described = DOCUMENT["paths"][item.path][item.method.lower()]
    assert described["summary"] == item.summary
    assert described.get("x-policy") == item.rule
    assert {str(status) for status in item.answers} <= described["responses"].keys()


def test_every_identifier_is_there_once() -> None:
    found = [
        described["operationId"]
        for path in DOCUMENT["paths"].values()
        for described in path.values()
    ]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("item", OPERATIONS, ids=named)
def test_every_schema_is_one(item: Operation) -> None:
    for versioned in (item.body, item.query):
        for schema in (versioned or {}).values():
            jsonschema.Draft202012Validator.check_schema(schema.data)
    if item.gives is not None:
        jsonschema.Draft202012Validator.check_schema(dict(item.gives))


@pytest.mark.parametrize("item", OPERATIONS, ids=named)
def test_every_rule_that_is_asked_is_a_rule(item: Operation) -> None:
    known = {rule.name for rule in policies.list_rules()}
    asked = item.rule
    assert asked in known or item.path == "/"


@pytest.mark.parametrize("item", OPERATIONS, ids=named)
def test_whoever_answers_with_json_says_how_it_looks(item: Operation) -> None:
    has_body = any(status in (200, 201) for status in item.answers) and item.gives_json
    assert not has_body or item.gives is not None


@pytest.mark.parametrize("item", NEWEST, ids=named)
def test_every_operation_has_an_example(item: Operation) -> None:
    assert openapi_parameters.examples(item)


@pytest.mark.parametrize("item", NEWEST, ids=named)
def test_every_part_of_a_path_and_every_key_of_a_query_is_explained(item: Operation) -> None:
    described = DOCUMENT["paths"][item.path][item.method.lower()]
    parameters = [each for each in described["parameters"] if "name" in each]
    assert all(each["description"] for each in parameters)
    assert all(f"{{{each['name']}}}" in item.path or each["in"] == "query" for each in parameters)
    assert len({each["name"] for each in parameters}) == len(parameters)


@pytest.mark.parametrize(
    ("path", "method", "name", "since"),
    [
        ("/allocation_candidates", "get", "resources", "1.10"),
        ("/allocation_candidates", "get", "required", "1.17"),
        ("/allocation_candidates", "get", "member_of", "1.21"),
        ("/allocation_candidates", "get", "in_tree", "1.31"),
        ("/allocation_candidates", "get", "same_subtree", "1.36"),
        ("/resource_providers", "get", "in_tree", "1.14"),
        ("/usages", "get", "consumer_type", "1.38"),
    ],
)
def test_keys_say_which_version_brought_them(path: str, method: str, name: str, since: str) -> None:
    parameters = DOCUMENT["paths"][path][method]["parameters"]
    (found,) = [each for each in parameters if each.get("name") == name]
    assert found["x-min-version"] == since


def test_fields_of_bodies_say_which_version_brought_them() -> None:
    content = DOCUMENT["paths"]["/reshaper"]["post"]["requestBody"]["content"]["application/json"]
    (consumer,) = content["schema"]["properties"]["allocations"]["patternProperties"].values()
    dates = {name: field.get("x-min-version") for name, field in consumer["properties"].items()}
    assert dates == {
        "allocations": None,
        "project_id": None,
        "user_id": None,
        "consumer_generation": None,
        "mappings": "1.34",
        "consumer_type": "1.38",
    }


@pytest.mark.parametrize("item", [item for item in NEWEST if item.body], ids=named)
def test_every_field_of_a_body_is_explained(item: Operation) -> None:
    def names(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for keyword in ("properties", "patternProperties"):
            for name, field in schema.get(keyword, {}).items():
                if keyword == "properties":
                    yield name, field
                yield from names(field)

    described = DOCUMENT["paths"][item.path][item.method.lower()]["requestBody"]
    found = list(names(described["content"]["application/json"]["schema"]))
    assert found
    assert [name for name, field in found if not field.get("description")] == []


def test_the_examples_go_well_in_their_order_and_look_as_they_shall() -> None:
    with make_app() as app:
        client = TestClient(Typed(app))
        for example in STORY:
            (item,) = [each for each in NEWEST if example in openapi_parameters.examples(each)]
            answer = client.simulate_request(
                example.method,
                example.path,
                params=dict(example.query),
                body=None if example.body is None else orjson.dumps(example.body),
                headers={**ADMIN, "x-roles": example.role, "content-type": "application/json"},
            )
            assert answer.status_code in item.answers, (named(item), answer.text)
            if item.gives is not None:
                validator = jsonschema.Draft202012Validator(item.gives, format_checker=FORMATS)
                validator.validate(answer.json)
            else:
                assert answer.text == ""
