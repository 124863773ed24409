"""The reference of the Placement API as reStructuredText, written out of the API's own data."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlencode

import placement_fields
from falcon.testing import TestClient

from scheduler_lib.api import openapi_parameters, openapi_responses, policies, versions
from scheduler_lib.api.openapi_dates import dated
from scheduler_lib.api.operations import Operation, Versioned
from scheduler_lib.api.routes import OPERATIONS
from scheduler_lib.api.schemas import meanings
from scheduler_lib.api.schemas.examples import STORY, Example
from scheduler_lib.testing.api import ADMIN, Typed, make_app

# Of longer answers the beginning is shown.
_MOST_LINES = 40


class Exchange(NamedTuple):
    """An example, and what it got for an answer."""

    example: Example
    status: int
    answer: str


def history() -> Iterator[str]:
    """Give the table of microversions."""
    rows = [(versions.text(minor), told) for minor, told in enumerate(versions.HISTORY)]
    yield from _table((8, 92), ("version", "what it brought"), rows)


def reference(operations: Sequence[Operation] = OPERATIONS) -> Iterator[str]:
    """Give the sections of all operations."""
    exchanges = played()
    by_noun: dict[str, list[Operation]] = {}
    for item in operations:
        by_noun.setdefault(item.path.split("/")[1] or "root", []).append(item)
    for noun, items in by_noun.items():
        yield from _heading(noun.replace("_", " ").capitalize(), "-")
        for item in items:
            yield from _operation(item, [each for each in exchanges if _shows(item, each.example)])


def played() -> list[Exchange]:
    """Send the examples to a fresh application."""
    exchanges = []
    with make_app() as app:
        client = TestClient(Typed(app), headers=dict(ADMIN))
        for example in STORY:
            answer = client.simulate_request(
                example.method,
                example.path,
                params=dict(example.query),
                body=None if example.body is None else json.dumps(example.body),
                headers={"x-roles": example.role, "content-type": "application/json"},
            )
            exchanges.append(Exchange(example, answer.status_code, answer.text))
    return exchanges


def _shows(item: Operation, example: Example) -> bool:
    return item.covers(versions.LATEST) and example in openapi_parameters.examples(item)


def _operation(item: Operation, exchanges: Sequence[Exchange]) -> Iterator[str]:
    until = f" (until {versions.text(item.until)})" if item.until < versions.LATEST else ""
    yield from _heading(f"{item.method} {item.path}{until}", "~")
    yield from (item.summary, "")
    yield from _facts(item)
    yield from _parameters(item)
    yield from _bodies(item.body)
    if item.gives is not None:
        yield from _fields("Answer", item.gives)
    for exchange in exchanges[:1]:
        yield from _example(exchange)


def _facts(item: Operation) -> Iterator[str]:
    yield f":since: {versions.text(item.since)}" + (f"; before, {item.absent}" * bool(item.since))
    if rule := item.rule:
        yield f":policy: ``{rule}``, by default ``{_check(rule)}``"
    for status, meaning in item.answers.items():
        yield f":{status}: {meaning}"
    failures = [status for status in openapi_responses.of(item, ()) if int(status) >= 400]
    yield f":failures: {', '.join(failures)}"
    yield ""


def _check(name: str) -> str:
    """Return what a rule asks for, without the rules that it names."""
    rules = {rule.name: rule.check_str for rule in policies.list_rules()}
    check: str = rules[name]
    while "rule:" in check:
        named = check.split("rule:", 1)[1].split()[0]
        check = check.replace(f"rule:{named}", rules[named])
    return check


def _parameters(item: Operation) -> Iterator[str]:
    rows = [
        (f"``{each['name']}``", each["in"], "yes" if each["required"] else "", _marked(each))
        for each in (*openapi_parameters.of_path(item), *openapi_parameters.of_query(item))
    ]
    if rows:
        yield from _table((20, 8, 8, 64), ("parameter", "in", "needed", "meaning"), rows)


def _marked(parameter: dict[str, Any]) -> str:
    return str(parameter["description"]).replace("`", "``")


def _bodies(schemas: Versioned | None) -> Iterator[str]:
    """Give the fields of the newest body, and of older ones that have other fields."""
    if schemas is None:
        return
    newest = dated(schemas, meanings.FIELDS)
    yield from _fields("Body", newest)
    known = {field.path for field in placement_fields.fields(newest)}
    later = sorted(schemas)[1:]
    for minor, until in zip(sorted(schemas), later, strict=False):
        found = {field.path for field in placement_fields.fields(schemas[minor].data)}
        if not found <= known or (known and not found):
            title = f"Body from {versions.text(minor)} to {versions.text(until - 1)}"
            yield from _fields(title, schemas[minor].data)


def _fields(title: str, schema: placement_fields.Schema) -> Iterator[str]:
    found = list(placement_fields.fields(schema))
    if not found:
        yield from (f"{title}: {placement_fields.kind(schema)}.", "")
        return
    rows = [
        (
            f"``{field.path}``",
            field.kind,
            "yes" if field.needed else "",
            field.since,
            field.told.replace("`", "``"),
        )
        for field in found
    ]
    yield from _table((40, 20, 8, 8, 24), (title.lower(), "value", "always", "since", ""), rows)


def _example(exchange: Exchange) -> Iterator[str]:
    example = exchange.example
    query = f"?{urlencode(example.query, safe=':,!')}" if example.query else ""
    text = [f"{example.method} {example.path}{query}"]
    if example.body is not None:
        text += ["", *json.dumps(example.body, indent=2).splitlines()]
    text += ["", f"{exchange.status} {HTTPStatus(exchange.status).phrase}"]
    if exchange.answer:
        lines = json.dumps(json.loads(exchange.answer), indent=2).splitlines()
        text += ["", *lines[:_MOST_LINES], *["..."] * (len(lines) > _MOST_LINES)]
    yield from (".. code-block:: text", "")
    yield textwrap.indent("\n".join(text), "   ")
    yield ""


def _heading(text: str, line: str) -> Iterator[str]:
    yield from (text, line * len(text), "")


def _table(
    widths: Iterable[int], head: Sequence[str], rows: Iterable[Sequence[str]]
) -> Iterator[str]:
    yield from (".. list-table::", "   :header-rows: 1")
    yield f"   :widths: {' '.join(map(str, widths))}"
    yield ""
    for row in (head, *rows):
        for number, cell in enumerate(row):
            yield f"   {'* -' if number == 0 else '  -'} {cell}".rstrip()
    yield ""
