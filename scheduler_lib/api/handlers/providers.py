"""Resource providers: list, create, show, rename, move, delete."""

from __future__ import annotations

from uuid import uuid4

from scheduler_lib.api import links
from scheduler_lib.api.call import NO_CONTENT, Call, Json, Reply
from scheduler_lib.model.record import ProviderRecord


def show(call: Call) -> Reply:
    """Return one provider."""
    record = call.service.store.providers.record(call.path["uuid"], call.deadline)
    return Reply(body=shown(call, record), modified_at=call.moment(record.modified_at))


def create(call: Call) -> Reply:
    """Make a provider."""
    body = call.body
    record = call.service.store.providers.create(
        body.get("uuid") or str(uuid4()),
        body["name"],
        body.get("parent_provider_uuid"),
        call.deadline,
    )
    location = links.provider(call, record.uuid)
    if not call.since(20):
        return Reply(201, location=location)
    moment = call.moment(record.modified_at)
    return Reply(200, shown(call, record), modified_at=moment, location=location)


def delete(call: Call) -> Reply:
    """Remove a provider that nobody uses."""
    call.service.store.providers.delete(call.path["uuid"], call.deadline)
    return NO_CONTENT


def shown(call: Call, record: ProviderRecord) -> Json:
    """Return a provider as it is shown at the call's microversion."""
    data = {
        "uuid": record.uuid,
        "name": record.name,
        "generation": record.generation,
        "links": links.of_provider(call, record.uuid),
    }
    if call.since(14):
        data["parent_provider_uuid"] = record.parent_uuid
        data["root_provider_uuid"] = record.root_uuid
    return data
