"""Requests and decisions as plain JSON values, and the fingerprint that tells requests apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Set
from typing import Any

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.decision import (
    Decision,
    Destination,
    Reason,
    ReasonKind,
    Selection,
    StageCount,
)
from scheduler_lib.model.naming import shortened
from scheduler_lib.model.request import Request, ResourceGroup
from scheduler_lib.model.stats import ChildReport, HostStats

Primitive = dict[str, object]

_GROUP_SETS = ("required", "forbidden", "forbidden_aggregates")
_GROUP_CHOICES = ("any_of", "member_of")
_PLAIN = (
    "group_policy", "project_id", "user_id", "consumer_type", "availability_zone", "limit",
    "alternates",
)  # fmt: skip
_LISTS = (
    "consumers", "force_hosts", "force_nodes", "requested_hosts", "requested_nodes",
    "ignore_hosts",
)  # fmt: skip
_SETS = ("forbidden_aggregates", "root_required", "root_forbidden")
_CHOICES = ("aggregates", "same_subtree")
_FIELDS = frozenset((*_PLAIN, *_LISTS, *_SETS, *_CHOICES, "groups", "retry_hosts", "hints"))


def request_to_primitive(request: Request) -> Primitive:
    """Return the request as JSON values; equal requests give equal values."""
    return {
        "groups": {suffix: _group(group) for suffix, group in sorted(request.groups.items())},
        **{name: getattr(request, name) for name in _PLAIN},
        **{name: list(getattr(request, name)) for name in _LISTS},
        **{name: sorted(getattr(request, name)) for name in _SETS},
        **{name: _choices(getattr(request, name)) for name in _CHOICES},
        "retry_hosts": [list(name) for name in request.retry_hosts],
        "hints": _json_value(request.hints),
    }


def request_from_primitive(primitive: object) -> Request:
    """Return the request that such values describe; absent fields have their defaults.

    :raises InvalidRequest: naming the field.
    """
    given: Mapping[str, Any] = _mapping(primitive, "request")
    unknown = sorted(str(key) for key in given if key not in _FIELDS)
    if unknown:
        raise InvalidRequest(f"A request has no field {unknown[0]!r}.", field=unknown[0])
    fields: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    groups = _mapping(fields.pop("groups", {}), "groups")
    fields["groups"] = {suffix: _parse_group(item, suffix) for suffix, item in groups.items()}
    for name in _CHOICES:
        fields[name] = _parse_choices(fields.get(name, ()), name)
    fields.setdefault("consumers", ())
    return Request(**fields)


def _group(group: ResourceGroup) -> Primitive:
    return {
        "resources": dict(sorted(group.resources.items())),
        **{name: sorted(getattr(group, name)) for name in _GROUP_SETS},
        **{name: _choices(getattr(group, name)) for name in _GROUP_CHOICES},
        "in_tree": group.in_tree,
    }


def _parse_group(value: object, suffix: object) -> ResourceGroup:
    path = f"groups.{suffix}"
    given = dict(_mapping(value, path))
    known = {"resources", "in_tree", *_GROUP_SETS, *_GROUP_CHOICES}
    unknown = sorted(str(key) for key in given if key not in known)
    if unknown:
        raise InvalidRequest(f"{path} has no field {unknown[0]!r}.", field=f"{path}.{unknown[0]}")
    for name in _GROUP_CHOICES:
        given[name] = _parse_choices(given.get(name, ()), f"{path}.{name}")
    return ResourceGroup(**given)


def _mapping(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidRequest(f"{name} must be a mapping, not {shortened(value)}.", field=name)
    return value


def _parse_choices(value: object, name: str) -> tuple[frozenset[str], ...]:
    if isinstance(value, list | tuple) and all(
        isinstance(item, list | tuple | Set) and all(isinstance(each, str) for each in item)
        for item in value
    ):
        return tuple(frozenset(item) for item in value)
    raise InvalidRequest(f"{name} must be a list of lists of names.", field=name)


def _choices(sets: tuple[frozenset[str], ...]) -> list[list[str]]:
    return sorted(sorted(item) for item in sets)


def _json_value(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _json_value(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted((_json_value(item) for item in value), key=repr)
    if isinstance(value, list | tuple):
        return [_json_value(item) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def fingerprint(request: Request) -> str:
    """Return a text that is equal for equal requests, and for no others (SHA-256, in hex)."""
    return _digest(request_to_primitive(request))


def stats_digest(stats: HostStats) -> bytes:
    """Return a digest that is equal for reports that say the same."""
    parts: Primitive = {
        "columns": dict(stats.columns),
        "uuid": stats.uuid,
        "inventories": None if stats.inventories is None else _inventories(stats.inventories),
        "traits": None if stats.traits is None else sorted(stats.traits),
        "aggregates": None if stats.aggregates is None else sorted(stats.aggregates),
        "children": None if stats.children is None else [_child(item) for item in stats.children],
    }
    return bytes.fromhex(_digest(parts))


def _inventories(inventories: Mapping[str, object]) -> dict[str, str]:
    # A value's repr names every field, and takes 4 for 4 but not for 4.0.
    return {name: repr(item) for name, item in inventories.items()}


def _child(child: ChildReport) -> Primitive:
    return {
        "name": child.name,
        "uuid": child.uuid,
        "inventories": _inventories(child.inventories),
        "traits": sorted(child.traits),
        "aggregates": sorted(child.aggregates),
        "children": [_child(item) for item in child.children],
    }


def _digest(value: Primitive) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def decision_to_primitive(decision: Decision, *, with_reasons: bool = True) -> Primitive:
    """Return the decision as JSON values.

    :param with_reasons: work out and carry the reason per refused host too.
    """
    return {
        "selections": [
            {
                "consumer_uuid": item.consumer_uuid,
                "destination": _destination(item.destination),
                "alternates": [_destination(each) for each in item.alternates],
            }
            for item in decision.selections
        ],
        "counts": [[item.check, item.before, item.after] for item in decision.counts],
        "refused_claims": decision.refused_claims,
        "replayed": decision.replayed,
        "reason": decision.reason,
        "reasons": [_reason(item) for item in decision.reasons()] if with_reasons else [],
    }


def decision_from_primitive(primitive: Mapping[str, object]) -> Decision:
    """Return the decision that such values describe: those of :func:`decision_to_primitive`."""
    given: Mapping[str, Any] = primitive
    reasons = tuple(_parse_reason(item) for item in given.get("reasons", ()))
    return Decision(
        selections=tuple(
            Selection(
                item["consumer_uuid"],
                _parse_destination(item["destination"]),
                tuple(_parse_destination(each) for each in item["alternates"]),
            )
            for item in given["selections"]
        ),
        counts=tuple(StageCount(*item) for item in given["counts"]),
        refused_claims=given["refused_claims"],
        replayed=given["replayed"],
        reason=given["reason"],
        _reasons=(lambda: reasons) if reasons else None,
    )


def _destination(destination: Destination) -> Primitive:
    return {
        "host": destination.host,
        "node": destination.node,
        "provider_uuid": destination.provider_uuid,
        "allocations": {key: dict(item) for key, item in destination.allocations.items()},
        "mappings": {key: list(item) for key, item in destination.mappings.items()},
        "limits": _json_value(destination.limits),
        "availability_zone": destination.availability_zone,
        "score": destination.score,
        "claimed": destination.claimed,
    }


def _parse_destination(primitive: Mapping[str, Any]) -> Destination:
    mappings = {key: tuple(item) for key, item in primitive["mappings"].items()}
    return Destination(**{**primitive, "mappings": mappings})


def _reason(reason: Reason) -> list[object]:
    return [
        reason.host, reason.node, reason.check, reason.kind.value, reason.message, reason.asked,
        reason.free, reason.limit,
    ]  # fmt: skip


def _parse_reason(primitive: list[Any]) -> Reason:
    host, node, check, kind, *rest = primitive
    return Reason(host, node, check, ReasonKind(kind), *rest)
