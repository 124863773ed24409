"""Resource classes."""

from __future__ import annotations

from scheduler_lib.api import links
from scheduler_lib.api.call import NO_CONTENT, Call, Json, Reply
from scheduler_lib.api.errors import ApiError, BadRequest
from scheduler_lib.api.handlers import moments
from scheduler_lib.api.handlers.addresses import class_name
from scheduler_lib.api.schemas import resource_classes as schemas
from scheduler_lib.api.translation import told
from scheduler_lib.exceptions import InvalidInput, ResourceClassExists, ResourceClassInUse

_INVALID = "JSON does not validate"


def listed(call: Call) -> Reply:
    """Return all resource classes."""
    records = call.service.store.resource_classes.list(call.deadline)
    return Reply(
        body={"resource_classes": [_shown(call, record.name) for record in records]},
        modified_at=moments.newest(call, records),
    )


def show(call: Call) -> Reply:
    """Return one resource class."""
    record = call.service.store.resource_classes.get(class_name(call), call.deadline)
    return Reply(body=_shown(call, record.name), modified_at=call.moment(record.modified_at))


def create(call: Call) -> Reply:
    """Make a resource class that is not there yet."""
    name = call.body["name"]
    _, made = call.service.store.resource_classes.create(name, call.deadline)
    if not made:
        raise ApiError(409, f"Conflicting resource class already exists: {name}")
    return Reply(201, location=links.resource_class(call, name))


def ensure(call: Call) -> Reply:
    """Make a resource class, unless it is there."""
    name = call.path["name"]
    schemas.NAMED.check({"name": name}, _INVALID)
    _, made = call.service.store.resource_classes.create(name, call.deadline)
    return Reply(201 if made else 204, location=links.resource_class(call, name))


def rename(call: Call) -> Reply:
    """Give a resource class another name, wherever it stands."""
    old, new = class_name(call), call.body["name"]
    try:
        call.service.store.resource_classes.rename(old, new, call.deadline)
    except ResourceClassExists:
        raise ApiError(409, f"Resource class already exists: {new}") from None
    except InvalidInput:
        raise BadRequest(f"Cannot update standard resource class {old}") from None
    return Reply(body=_shown(call, new))


def delete(call: Call) -> Reply:
    """Remove a resource class of which nobody has an inventory."""
    name = class_name(call)
    told_first = "Error in delete resource class"
    try:
        call.service.store.resource_classes.remove(name, call.deadline)
    except ResourceClassInUse as error:
        raise ApiError(409, f"{told_first}: {told(error)}") from None
    except InvalidInput:
        raise BadRequest(f"{told_first}: Cannot delete standard resource class {name}.") from None
    return NO_CONTENT


def _shown(call: Call, name: str) -> Json:
    return {"name": name, "links": [{"rel": "self", "href": links.resource_class(call, name)}]}
