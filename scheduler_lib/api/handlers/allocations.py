"""Allocations: what a consumer holds, who holds what of a provider; written one by one or many."""

from __future__ import annotations

from scheduler_lib.api import claim_bodies
from scheduler_lib.api.call import NO_CONTENT, Call, Json, Reply
from scheduler_lib.api.errors import ApiError
from scheduler_lib.api.handlers.addresses import provider_uuid
from scheduler_lib.api.translation import told
from scheduler_lib.exceptions import ConsumerNotFound, ProviderNotFound
from scheduler_lib.model.record import ConsumerRecord

_OWNERS_SINCE = 12
_GENERATION_SINCE = 28
_TYPE_SINCE = 38
# The type of consumers that were written without one.
UNKNOWN_TYPE = "unknown"


def show(call: Call) -> Reply:
    """Return what a consumer holds: nothing, for anybody who is not known."""
    uuid = call.path["consumer_uuid"]
    if not claim_bodies.is_canonical(uuid):
        return _holds_nothing(call)
    try:
        record = call.service.store.claims.consumer(uuid, call.deadline)
    except ConsumerNotFound:
        return _holds_nothing(call)
    return Reply(body=_shown(call, record), modified_at=call.moment(record.modified_at))


def of_provider(call: Call) -> Reply:
    """Return who holds what of a provider."""
    try:
        record = call.service.store.claims.of_provider(provider_uuid(call), call.deadline)
    except ProviderNotFound as error:
        unknown = f"Resource provider '{call.path['uuid']}' not found: {told(error)}"
        raise ApiError(404, unknown) from error
    held: dict[str, Json] = {}
    for holder in record.holders:
        share: dict[str, Json] = {"resources": holder.resources}
        if call.since(_GENERATION_SINCE):
            share["consumer_generation"] = holder.consumer_generation
        held[holder.consumer_uuid] = share
    body = {"allocations": held, "resource_provider_generation": record.generation}
    return Reply(body=body, modified_at=call.moment(record.modified_at))


def put(call: Call) -> Reply:
    """Replace what one consumer holds."""
    claim = claim_bodies.claim(call, call.path["consumer_uuid"], call.body)
    unable = f"Unable to allocate inventory for consumer {claim.consumer_uuid}: "
    with claim_bodies.refusals(call, [claim], unable):
        receipt = call.service.store.claims.write([claim], call.deadline)
    call.service.mirror.booked(receipt)
    return NO_CONTENT


def post(call: Call) -> Reply:
    """Replace what several consumers hold, all or nothing."""
    claims = claim_bodies.claims(call, call.body)
    with claim_bodies.refusals(call, claims, "Unable to allocate inventory "):
        receipt = call.service.store.claims.write(claims, call.deadline)
    call.service.mirror.booked(receipt)
    return NO_CONTENT


def delete(call: Call) -> Reply:
    """Let a consumer hold nothing."""
    uuid = call.path["consumer_uuid"]
    released: tuple[str, ...] = ()
    if claim_bodies.is_canonical(uuid):
        receipt = call.service.store.claims.release([uuid], call.deadline)
        call.service.mirror.booked(receipt)
        released = receipt.released
    if not released:
        raise ApiError(404, f"No allocations for consumer '{uuid}'")
    return NO_CONTENT


def _holds_nothing(call: Call) -> Reply:
    return Reply(body={"allocations": {}}, modified_at=call.moment())


def _shown(call: Call, record: ConsumerRecord) -> Json:
    shares = {
        uuid: {"generation": share.generation, "resources": share.resources}
        for uuid, share in record.shares.items()
    }
    data: dict[str, Json] = {"allocations": shares}
    if call.since(_OWNERS_SINCE):
        data["project_id"], data["user_id"] = record.project_id, record.user_id
    if call.since(_GENERATION_SINCE):
        data["consumer_generation"] = record.generation
    if call.since(_TYPE_SINCE):
        data["consumer_type"] = record.consumer_type or UNKNOWN_TYPE
    return data
