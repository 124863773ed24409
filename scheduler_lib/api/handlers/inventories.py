"""Inventories of a provider: all of them, or one."""

from __future__ import annotations

from collections.abc import Mapping

from scheduler_lib.api import errors, links
from scheduler_lib.api.call import NO_CONTENT, Call, Json, Reply
from scheduler_lib.api.errors import ApiError, BadRequest
from scheduler_lib.api.handlers.addresses import check_class, provider, provider_uuid
from scheduler_lib.api.translation import absent, told
from scheduler_lib.exceptions import (
    GenerationConflict,
    InventoryExists,
    InventoryInUse,
    InventoryNotFound,
    ProviderNotFound,
    ResourceClassNotFound,
)
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.record import StockRecord

_GENERATION = "resource_provider_generation"
_CLASS = "resource_class"
_FULL_SINCE = 26
_INTEGERS = ("total", "reserved", "min_unit", "max_unit", "step_size")


def listed(call: Call) -> Reply:
    """Return all inventories of a provider."""
    return _told_all(call, _record(call))


def show(call: Call) -> Reply:
    """Return one inventory."""
    record, name = _record(call), call.path[_CLASS]
    if name not in record.stocks:
        raise ApiError(404, f"No inventory of class {name} for {call.path['uuid']}")
    return _told(call, record, name)


def replace(call: Call) -> Reply:
    """Set all inventories."""
    uuid, generation = provider_uuid(call), int(call.body[_GENERATION])
    unable = f"Unable to update {_of(uuid)}"
    wanted = _given(call, call.body["inventories"], unable, generation)
    try:
        record = call.service.store.inventories.replace(uuid, generation, wanted, call.deadline)
    except GenerationConflict:
        raise _conflict() from None
    except ResourceClassNotFound as error:
        raise BadRequest(f"Unknown resource class in {_of(uuid)}: {told(error)}") from None
    except InventoryInUse as error:
        raise ApiError(409, f"update conflict: {told(error)}", errors.INVENTORY_IN_USE) from None
    return _told_all(call, record)


def create(call: Call) -> Reply:
    """Add one inventory."""
    uuid, name = provider_uuid(call), call.body[_CLASS]
    unable = f"Unable to create {_of(uuid)}"
    inventory = _given(call, {name: call.body}, unable)[name]
    try:
        record = call.service.store.inventories.add(uuid, name, inventory, call.deadline)
    except InventoryExists as error:
        raise ApiError(409, f"Update conflict: {error.message}", errors.CONCURRENT_UPDATE) from None
    except ResourceClassNotFound as error:
        raise BadRequest(f"{unable}: {told(error)}") from None
    return _told(call, record, name, 201, links.inventory(call, uuid, name))


def update(call: Call) -> Reply:
    """Change one inventory."""
    uuid, name = provider_uuid(call), call.path[_CLASS]
    generation, unable = int(call.body[_GENERATION]), f"Unable to update {_of(uuid)}"
    inventory = _given(call, {name: call.body}, unable, generation)[name]
    try:
        record = call.service.store.inventories.update(
            uuid, generation, name, inventory, call.deadline
        )
    except GenerationConflict:
        raise _conflict() from None
    except InventoryNotFound:
        check_class(call, name)
        raise BadRequest(
            f"No inventory record with resource class for resource provider {uuid}: "
            f"No inventory of class {name} found."
        ) from None
    return _told(call, record, name)


def delete(call: Call) -> Reply:
    """Remove one inventory that nobody uses."""
    uuid, name = provider_uuid(call), call.path[_CLASS]
    try:
        call.service.store.inventories.remove(uuid, name, call.deadline)
    except InventoryInUse as error:
        # Not the code for what is in use: the reference has always given this one here.
        raise ApiError(
            409,
            f"Unable to delete inventory of class {name}: {told(error)}",
            errors.CONCURRENT_UPDATE,
        ) from None
    except InventoryNotFound:
        raise _nothing_to_delete(call, name) from None
    return NO_CONTENT


def delete_all(call: Call) -> Reply:
    """Remove all inventories, if nobody uses them."""
    call.service.store.inventories.remove_all(provider_uuid(call), call.deadline)
    return NO_CONTENT


def parsed(
    call: Call, provider_uuid: str, inventories: Mapping[str, Json], unable: str
) -> dict[str, Inventory]:
    """Return inventories that a body gives, by resource class.

    :param inventories: as their schema allows them.
    :param unable: how the message begins.
    :raises ApiError: 400, when more is reserved than there is; before 1.26 also when all is.
    """
    found = {}
    for name, given in inventories.items():
        too_much = given.get("reserved", 0) > given["total"]
        if not too_much:
            found[name] = _inventory(given)
            if call.since(_FULL_SINCE) or found[name].capacity > 0:
                continue
        limit = "greater than" if call.since(_FULL_SINCE) else "greater than or equal to"
        raise BadRequest(
            f"{unable}: Invalid inventory for '{name}' on resource provider '{provider_uuid}'. "
            f"The reserved value is {limit} total."
        )
    return found


def _inventory(given: Json) -> Inventory:
    """JSON's 8.0 is the integer 8, and the ratio 2 the number 2.0."""
    units = {name: int(given[name]) for name in _INTEGERS if name in given}
    return Inventory(**units, allocation_ratio=float(given.get("allocation_ratio", 1.0)))


def _record(call: Call) -> StockRecord:
    try:
        return call.service.store.inventories.of(provider_uuid(call), call.deadline)
    except ProviderNotFound as error:
        raise absent(error, " : ") from None


def _given(
    call: Call, inventories: Mapping[str, Json], unable: str, generation: int | None = None
) -> dict[str, Inventory]:
    """Return inventories that a body gives to the provider that the path names.

    :param generation: what the provider was read at; None for any.
    """
    try:
        return parsed(call, provider_uuid(call), inventories, unable)
    except ApiError:
        # That the provider is not there, or was written to, is told first.
        if generation not in (None, provider(call).generation):
            raise _conflict() from None
        raise


def _nothing_to_delete(call: Call, name: str) -> ApiError:
    unable = why = f"No inventory of class {name} found for delete"
    try:
        check_class(call, name)
    except ResourceClassNotFound as error:
        why = told(error)
    return ApiError(404, f"{unable}: {why}")


def _told_all(call: Call, record: StockRecord) -> Reply:
    shown = {name: _shown(stock.inventory) for name, stock in record.stocks.items()}
    return Reply(
        body={_GENERATION: record.generation, "inventories": shown},
        modified_at=call.moment(record.modified_at),
    )


def _told(
    call: Call, record: StockRecord, name: str, status: int = 200, location: str | None = None
) -> Reply:
    shown = {**_shown(record.stocks[name].inventory), _GENERATION: record.generation}
    return Reply(status, shown, call.moment(record.modified_at), location)


def _shown(inventory: Inventory) -> Json:
    return {
        **{name: getattr(inventory, name) for name in _INTEGERS},
        "allocation_ratio": inventory.allocation_ratio,
    }


def _of(provider_uuid: str) -> str:
    return f"inventory for resource provider {provider_uuid}"


def _conflict() -> ApiError:
    return ApiError(409, "resource provider generation conflict", errors.CONCURRENT_UPDATE)
