"""Aggregates of a provider."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_lib.api.call import Call, Json, Reply
from scheduler_lib.api.handlers.addresses import provider_uuid
from scheduler_lib.api.translation import stale
from scheduler_lib.exceptions import GenerationConflict, InvalidRequest
from scheduler_lib.model.naming import checked_uuid

_GENERATION = "resource_provider_generation"
_GENERATION_SINCE = 19


def listed(call: Call) -> Reply:
    """Return the aggregates that a provider is in."""
    record = call.service.store.aggregates.of(provider_uuid(call), call.deadline)
    return _told(call, record.generation, record.names)


def replace(call: Call) -> Reply:
    """Set the aggregates that a provider is in; from 1.19 on under its generation."""
    uuid, body = provider_uuid(call), call.body
    guarded = call.since(_GENERATION_SINCE)
    given = body["aggregates"] if guarded else body
    generation = int(body[_GENERATION]) if guarded else None
    uuids = list(dict.fromkeys(checked_uuid(u, "aggregates", InvalidRequest) for u in given))
    try:
        record = call.service.store.aggregates.replace(uuid, uuids, generation, call.deadline)
    except GenerationConflict:
        raise stale() from None
    # In the order they came.
    return _told(call, record.generation, uuids)


def _told(call: Call, generation: int, uuids: Sequence[str]) -> Reply:
    body: Json = {"aggregates": list(uuids)}
    if call.since(_GENERATION_SINCE):
        body[_GENERATION] = generation
    # When a provider came into an aggregate, or left one, is written nowhere.
    return Reply(body=body, modified_at=call.moment())
