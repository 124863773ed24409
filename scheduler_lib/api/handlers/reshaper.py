"""The reshaper: inventories replaced, and what is held of them moved, in one step."""

from __future__ import annotations

from collections.abc import Mapping

from scheduler_lib.api import claim_bodies, errors
from scheduler_lib.api.call import NO_CONTENT, Call, Json, Reply
from scheduler_lib.api.errors import ApiError, BadRequest
from scheduler_lib.api.handlers import inventories
from scheduler_lib.api.translation import told
from scheduler_lib.exceptions import InventoryInUse
from scheduler_lib.model.inventory import Inventory

Wanted = dict[str, tuple[int, Mapping[str, Inventory]]]


def reshape(call: Call) -> Reply:
    """Replace inventories and allocations, all or nothing."""
    try:
        _write(call, call.body["inventories"], call.body["allocations"])
    except ApiError:
        _check_providers(call, call.body["inventories"])
        raise
    return NO_CONTENT


def _write(call: Call, by_provider: Mapping[str, Json], by_consumer: Mapping[str, Json]) -> None:
    claims = claim_bodies.claims(call, by_consumer)
    wanted = _wanted(call, by_provider)
    with claim_bodies.refusals(call, claims, "malformed reshaper data: "):
        try:
            call.service.store.reshapes.write(wanted, claims, call.deadline)
        except InventoryInUse as error:
            raise ApiError(
                409, f"update conflict: {told(error)}", errors.INVENTORY_IN_USE
            ) from error


def _check_providers(call: Call, by_provider: Mapping[str, Json]) -> None:
    """Go on only if nothing is wrong with the providers: that is told before anything else."""
    uuids = [uuid for uuid in by_provider if claim_bodies.is_canonical(uuid)]
    records = call.service.store.providers.records(call.deadline, uuids=uuids)
    generations = {record.uuid: record.generation for record in records}
    for uuid, data in by_provider.items():
        given = int(data["resource_provider_generation"])
        if uuid not in generations:
            raise _no_provider(uuid)
        if generations[uuid] != given:
            raise claim_bodies.provider_overtaken(uuid, given, generations[uuid])


def _wanted(call: Call, by_provider: Mapping[str, Json]) -> Wanted:
    wanted: Wanted = {}
    for uuid, data in by_provider.items():
        if not claim_bodies.is_canonical(uuid):
            raise _no_provider(uuid)
        unable = f"Unable to update inventory for resource provider {uuid}"
        found = inventories.parsed(call, uuid, data["inventories"], unable)
        wanted[uuid] = int(data["resource_provider_generation"]), found
    return wanted


def _no_provider(uuid: str) -> ApiError:
    return BadRequest(
        f"Resource provider {uuid} in inventories not found: "
        f"No resource provider with uuid {uuid} found",
        errors.PROVIDER_NOT_FOUND,
    )
