"""Resource providers: list, create, show, rename, move, delete."""

from __future__ import annotations

from uuid import uuid4

from scheduler_lib.api import errors, links, provider_text, translation
from scheduler_lib.api.call import NO_CONTENT, Call, Reply
from scheduler_lib.api.errors import ApiError, BadRequest
from scheduler_lib.api.handlers import moments, provider_filters
from scheduler_lib.api.handlers.addresses import provider, provider_uuid
from scheduler_lib.exceptions import (
    DuplicateProvider,
    InvalidRequest,
    ProviderHasChildren,
    ProviderInUse,
    ProviderNotFound,
)
from scheduler_lib.model.naming import checked_uuid
from scheduler_lib.model.record import ProviderRecord
from scheduler_lib.store.moving import KEEP

_PARENT = "parent_provider_uuid"
_SHOWN_SINCE = 20
_MOVED_SINCE = 37

_NOT_MADE = "Object action create failed because"
_NOT_CHANGED = "Object action update failed because"
_NO_PARENT = "parent provider UUID does not exist."
_OWN_PARENT = (
    "parent provider UUID cannot be same as UUID. "
    "Please set parent provider UUID to None if there is no parent."
)
# Why a provider cannot be put where it shall be.
_REASONS = {
    "loop": "creating loop in the provider tree is not allowed.",
    "moved": "re-parenting a provider is not currently allowed.",
    "freed": "un-parenting a provider is not currently allowed.",
}


def listed(call: Call) -> Reply:
    """Return the providers that pass the filters of the query string."""
    records = provider_filters.found(call)
    return Reply(
        body=provider_text.listed(call, records),
        modified_at=moments.newest(call, records),
    )


def show(call: Call) -> Reply:
    """Return one provider."""
    return _told(call, provider(call))


def create(call: Call) -> Reply:
    """Make a provider."""
    body = call.body
    uuid = checked_uuid(body.get("uuid") or str(uuid4()), "uuid", InvalidRequest)
    told = f'Unable to create resource provider "{body["name"]}", {uuid}: {_NOT_MADE}'
    parent = body.get(_PARENT)
    if parent == uuid:
        raise BadRequest(f"{told}: {_OWN_PARENT}")
    try:
        record = call.service.store.providers.create(uuid, body["name"], parent, call.deadline)
    except ProviderNotFound:
        raise BadRequest(f"{told}: {_NO_PARENT}") from None
    location = links.provider(call, record.uuid)
    if not call.since(_SHOWN_SINCE):
        return Reply(201, location=location)
    return _told(call, record, location)


def update(call: Call) -> Reply:
    """Rename a provider, and move it where the body says so."""
    uuid, body = provider_uuid(call), call.body
    told = f"Unable to save resource provider {uuid}"
    try:
        record = call.service.store.providers.update(
            uuid,
            body["name"],
            call.deadline,
            parent_uuid=body.get(_PARENT, KEEP),
            reparent=call.since(_MOVED_SINCE),
        )
    except ProviderNotFound as error:
        if error.fields.get("field") != _PARENT:
            raise
        # Not a slip: clients know it by these words.
        raise BadRequest(f"{told}: {_NOT_MADE}: {_NO_PARENT}") from None
    except InvalidRequest as error:
        reason = _REASONS.get(str(error.fields.get("reason")), error.message)
        raise BadRequest(f"{told}: {_NOT_CHANGED}: {reason}") from None
    except DuplicateProvider:
        words = f"Conflicting resource provider {body['name']} already exists."
        raise ApiError(409, words, errors.DUPLICATE_NAME) from None
    return _told(call, record)


def delete(call: Call) -> Reply:
    """Remove a provider that nobody uses."""
    try:
        uuid = provider_uuid(call)
        call.service.store.providers.delete(uuid, call.deadline)
    except ProviderNotFound as error:
        raise ApiError(404, f"{translation.told(error)} for delete") from None
    except ProviderInUse:
        raise ApiError(
            409,
            f"Unable to delete resource provider {uuid}: Resource provider has allocations.",
            errors.PROVIDER_IN_USE,
        ) from None
    except ProviderHasChildren:
        raise ApiError(
            409,
            f"Unable to delete parent resource provider {uuid}: It has child resource providers.",
            errors.PROVIDER_IS_PARENT,
        ) from None
    return NO_CONTENT


def _told(call: Call, record: ProviderRecord, location: str | None = None) -> Reply:
    moment = call.moment(record.modified_at)
    return Reply(body=provider_text.one(call, record), modified_at=moment, location=location)
