"""What two answers have to have in common."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.twin.deviations import TOLERATED_HEADERS
from tests.twin.exchange import Response

# Of these, only that they are there; a length is checked against its own body.
PRESENCE_ONLY = {"last-modified", "x-openstack-request-id", "content-length", "date", "server"}
REQUEST_ID = re.compile(rb"req-[0-9a-f-]{36}")

# A schema that does not hold is printed whole. Ours have limits that the reference's lack.
SCHEMA = re.compile(r"(Failed validating .*? in schema[^\n]*?:) .*?(?= On instance|$)", re.DOTALL)


def differences(expected: Response, found: Response) -> list[str]:
    """Return what two answers differ in, a line each."""
    if expected.status != found.status:
        return [
            f"status {found.status}, not {expected.status}: {_short(found)} / {_short(expected)}"
        ]
    return [
        *_header_differences(expected, found),
        *_body_differences(expected, found),
    ]


def normal(value: Any) -> Any:
    """Return a body with its lists in one order: what the API lists are sets."""
    if isinstance(value, dict):
        kept = {key: normal(item) for key, item in value.items() if key != "request_id"}
        if isinstance(kept.get("detail"), str):
            kept["detail"] = SCHEMA.sub(r"\1", kept["detail"])
        return kept
    if isinstance(value, list):
        return sorted((normal(item) for item in value), key=_key)
    return value


def candidate_differences(expected: Any, everything: Any, found: Any, limit: int) -> list[str]:
    """Return what is wrong with the candidates of a request with a limit: any may be left out.

    :param expected: the reference's body.
    :param everything: the reference's body without the limit.
    :param found: the body to judge.
    """
    told = []
    known = {_key(normal(item)) for item in everything["allocation_requests"]}
    given = [_key(normal(item)) for item in found["allocation_requests"]]
    if len(given) != min(limit, len(known)):
        told.append(f"{len(given)} candidates of {len(known)} with limit {limit}")
    if len(set(given)) != len(given):
        told.append("a candidate twice")
    told += [f"no candidate of the reference: {item}" for item in given if item not in known]
    told += _summary_differences(found, everything["provider_summaries"], limit >= len(known))
    if set(expected) != set(found):
        told.append(f"keys {sorted(found)}, not {sorted(expected)}")
    return told


def _summary_differences(found: Any, everything: Any, whole: bool) -> list[str]:
    given = found["provider_summaries"]
    if whole:
        return _unequal("provider_summaries", everything, given)
    if all("root_provider_uuid" in item for item in everything.values()):
        wanted = _of_trees_used(found["allocation_requests"], everything)
        return _unequal("provider_summaries", wanted, given)
    known = {uuid: everything.get(uuid) for uuid in given}
    return _unequal("provider_summaries", known, given)


def _of_trees_used(candidates: Any, summaries: Any) -> Any:
    used = {provider for item in candidates for provider in _providers(item["allocations"])}
    roots = {summaries[uuid].get("root_provider_uuid") for uuid in used if uuid in summaries}
    return {
        uuid: item for uuid, item in summaries.items() if item.get("root_provider_uuid") in roots
    }


def _providers(allocations: Any) -> list[str]:
    if isinstance(allocations, dict):
        return list(allocations)
    return [item["resource_provider"]["uuid"] for item in allocations]


def _header_differences(expected: Response, found: Response) -> list[str]:
    told = []
    for name in sorted({*expected.headers, *found.headers}):
        one, other = expected.headers.get(name), found.headers.get(name)
        if name in PRESENCE_ONLY and one is not None and other is not None:
            continue
        if one != other and not _tolerated(name, one, other):
            told.append(f"header {name}: {other!r}, not {one!r}")
    length = found.headers.get("content-length")
    if length is not None and int(length) != len(found.body):
        told.append(f"content-length {length} of a body of {len(found.body)}")
    return told


def _tolerated(name: str, expected: str | None, found: str | None) -> bool:
    return any(name == header and may(expected, found) for header, _, may in TOLERATED_HEADERS)


def _body_differences(expected: Response, found: Response) -> list[str]:
    one, other = expected.json, found.json
    if one is None or other is None:
        bodies = [REQUEST_ID.sub(b"req", response.body) for response in (expected, found)]
        if bodies[0] != bodies[1]:
            return [f"body {found.body[:400]!r}, not {expected.body[:400]!r}"]
        return []
    return _unequal("body", one, other)


def _unequal(name: str, one: Any, other: Any) -> list[str]:
    """Tell of each value that differs, by its path."""
    return _walk(name, normal(one), normal(other))[:12]


def _walk(path: str, one: Any, other: Any) -> list[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        told = [f"{path}: no {key}" for key in one if key not in other]
        told += [f"{path}: {key} too much ({other[key]!r})" for key in other if key not in one]
        for key in one:
            if key in other:
                told += _walk(f"{path}.{key}", one[key], other[key])
        return told
    if isinstance(one, list) and isinstance(other, list):
        missing = [item for item in one if item not in other]
        excess = [item for item in other if item not in one]
        if len(missing) == len(excess) == 1 and isinstance(missing[0], dict):
            return _walk(f"{path}[]", missing[0], excess[0])
        told = [f"{path}: missing {_key(item)}" for item in missing]
        told += [f"{path}: too much {_key(item)}" for item in excess]
        if not told and len(one) != len(other):
            told.append(f"{path}: {len(other)} items, not {len(one)}")
        return told
    same = one == other and isinstance(one, bool) == isinstance(other, bool)
    return [] if same else [f"{path}: {other!r}, not {one!r}"]


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _short(response: Response) -> str:
    return str(response.error.get("detail", response.body[:300])).strip().replace("\n", " ")[:400]
