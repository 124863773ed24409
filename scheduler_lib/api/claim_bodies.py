"""Bodies that say who shall hold what, as claims; and refused claims, as errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from uuid import UUID

from scheduler_lib.api.call import Call, Json
from scheduler_lib.api.errors import CONCURRENT_UPDATE, ApiError, BadRequest
from scheduler_lib.api.validation import is_uuid_like
from scheduler_lib.exceptions import (
    ClaimConflict,
    GenerationConflict,
    ProviderNotFound,
    ResourceClassNotFound,
)
from scheduler_lib.model.allocation import ANY_GENERATION, Claim
from scheduler_lib.model.inventory import MAX_UNITS

_DICTS_SINCE = 12
_GENERATIONS_SINCE = 28
# Stands for a -1 that was sent, which no consumer is at, because -1 means something in a claim.
_MINUS_ONE = -(2**63) - 1

# Beginnings and ends that clients look for.
_REFUSED = "Unable to allocate inventory: "
_WHY = {
    "inventory": "Inventory for '{name}' on resource provider '{provider}' invalid.",
    "capacity": (
        "Unable to create allocation for '{name}' on resource provider '{provider}'. "
        "The requested amount would exceed the capacity."
    ),
    "units": (
        "Unable to create allocation for '{name}' on resource provider '{provider}'. "
        "The requested amount would violate inventory constraints."
    ),
}


def claims(call: Call, by_consumer: Mapping[str, Json]) -> list[Claim]:
    """Return what a body asks for, one claim for each consumer.

    :param by_consumer: what each consumer shall hold, as the schema allows it.
    :raises ApiError: 400, or 409 for amounts that no inventory gives.
    """
    return [claim(call, uuid, data) for uuid, data in by_consumer.items()]


def claim(call: Call, consumer_uuid: str, data: Json) -> Claim:
    """Return what one consumer shall hold.

    :param data: in the form of the call's microversion.
    :raises ApiError: 400, or 409 for amounts that no inventory gives.
    """
    settings = call.service.settings
    shares = data["allocations"]
    project_id, user_id = data.get("project_id"), data.get("user_id")
    return Claim(
        consumer_uuid=consumer(consumer_uuid),
        allocations=_by_provider(shares) if call.since(_DICTS_SINCE) else _listed(shares),
        project_id=settings.incomplete_project_id if project_id is None else project_id,
        user_id=settings.incomplete_user_id if user_id is None else user_id,
        consumer_type=data.get("consumer_type"),
        consumer_generation=_generation(call, data),
    )


def is_canonical(text: str) -> bool:
    """Tell whether something is a uuid as they are stored: dashed, in lower case."""
    return is_uuid_like(text) and str(UUID(text)) == text


def consumer(text: str) -> str:
    """Return a consumer's uuid, dashed and in lower case.

    :raises ApiError: 400 for what is none.
    """
    if not is_uuid_like(text):
        raise BadRequest(f"Malformed consumer_uuid: {text}")
    return str(UUID(text))


@contextmanager
def refusals(call: Call, claims: Iterable[Claim], told: str) -> Iterator[None]:
    """Turn what the books say of claims into what clients know.

    :param told: how the message about an unknown resource class begins.
    :raises ApiError: 400 for providers and classes that there are not, 409 for conflicts.
    """
    try:
        yield
    except (ProviderNotFound, ResourceClassNotFound) as error:
        # Providers are told of before classes, whichever was found missing first.
        if absent := _first_absent(call, claims):
            raise _no_provider(absent) from error
        if isinstance(error, ProviderNotFound):
            raise _no_provider(error.fields["provider"]) from error
        raise BadRequest(
            f"{told}No such resource class {error.fields['resource_class']}."
        ) from error
    except ClaimConflict as error:
        raise _conflict(error) from error
    except GenerationConflict as error:
        raise _overtaken(error) from error


def _first_absent(call: Call, claims: Iterable[Claim]) -> str | None:
    """Return the first provider that is not there, in the order that the body names them."""
    named = list(dict.fromkeys(uuid for claim in claims for uuid in claim.allocations))
    records = call.service.store.providers.records(call.deadline, uuids=named)
    there = {record.uuid for record in records}
    return next((uuid for uuid in named if uuid not in there), None)


def provider_overtaken(uuid: object, given: object, actual: object) -> ApiError:
    """Return the answer to inventories of a provider that is at another generation."""
    told = (
        f"resource provider generation conflict for provider {uuid}: "
        f"actual: {actual}, given: {given}"
    )
    return ApiError(409, told, CONCURRENT_UPDATE)


def _by_provider(shares: Mapping[str, Json]) -> dict[str, dict[str, int]]:
    return {text: _amounts(_provider(text), share["resources"]) for text, share in shares.items()}


def _listed(shares: Sequence[Json]) -> dict[str, dict[str, int]]:
    """Return amounts by provider; of a provider that is listed twice the last one counts."""
    found = {}
    for share in shares:
        uuid = _provider(share["resource_provider"]["uuid"])
        found[uuid] = _amounts(uuid, share["resources"])
    return found


def _provider(text: str) -> str:
    """Return the uuid of a provider, if it is written as theirs are: nobody has another one."""
    if not is_canonical(text):
        raise _no_provider(text)
    return text


def _amounts(provider: str, resources: Mapping[str, Json]) -> dict[str, int]:
    amounts = {name: int(amount) for name, amount in resources.items()}
    for name, amount in amounts.items():
        if amount > MAX_UNITS:
            # More than any inventory's max_unit.
            told = _WHY["units"].format(name=name, provider=provider)
            raise ApiError(409, f"{_REFUSED}{told}")
    return amounts


def _generation(call: Call, data: Json) -> int | None:
    if not call.since(_GENERATIONS_SINCE):
        return ANY_GENERATION
    given = data["consumer_generation"]
    if given is None:
        return None
    return _MINUS_ONE if given == ANY_GENERATION else int(given)


def _no_provider(provider: object) -> ApiError:
    return BadRequest(f"Allocation for resource provider '{provider}' that does not exist.")


def _conflict(error: ClaimConflict) -> ApiError:
    facts = error.fields
    told = _WHY[str(facts["why"])].format(name=facts["resource_class"], provider=facts["provider"])
    return ApiError(409, f"{_REFUSED}{told}")


def _overtaken(error: GenerationConflict) -> ApiError:
    facts = error.fields
    given, actual = facts["expected"], facts["found"]
    if facts["kind"] == "provider":
        return provider_overtaken(facts["uuid"], given, actual)
    stored = "null" if actual is None else actual
    got = -1 if given == _MINUS_ONE else given
    told = f"consumer generation conflict - expected {stored} but got {got}"
    return ApiError(409, told, CONCURRENT_UPDATE)
