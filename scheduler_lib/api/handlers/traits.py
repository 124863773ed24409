"""Traits: the catalogue, and those of a provider."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_lib.api import links
from scheduler_lib.api.call import NO_CONTENT, Call, Reply
from scheduler_lib.api.errors import ApiError, BadRequest
from scheduler_lib.api.handlers import moments
from scheduler_lib.api.handlers.addresses import is_symbol, provider, provider_uuid, trait_name
from scheduler_lib.api.schemas import traits as schemas
from scheduler_lib.api.translation import absent, fact, stale
from scheduler_lib.exceptions import (
    GenerationConflict,
    InvalidInput,
    ProviderNotFound,
    TraitNotFound,
)
from scheduler_lib.model.record import NamesRecord

_INVALID = (
    "The trait is invalid. A valid trait must be no longer than 255 characters, start with the "
    'prefix "CUSTOM_" and use following characters: "A"-"Z", "0"-"9" and "_"'
)
_NAME_FORM = (
    "Badly formatted name parameter. Expected name query string parameter in form: "
    '?name=[in|startswith]:[name1,name2|prefix]. Got: "{}"'
)
_BOOLEANS = {"true": True, "false": False}


def listed(call: Call) -> Reply:
    """Return the traits that pass the filters of the query string."""
    names, prefix = _names(call.value("name"))
    records = call.service.store.traits.list(
        call.deadline,
        names=names,
        prefix=prefix,
        associated=_associated(call.value("associated")),
    )
    return Reply(
        body={"traits": [record.name for record in records]},
        modified_at=moments.newest(call, records),
    )


def show(call: Call) -> Reply:
    """Tell whether there is a trait."""
    record = call.service.store.traits.get(trait_name(call), call.deadline)
    return Reply(204, modified_at=call.moment(record.modified_at))


def create(call: Call) -> Reply:
    """Make a trait, unless it is there."""
    name = call.path["name"]
    try:
        schemas.NAME.check(name, "")
    except BadRequest:
        raise BadRequest(_INVALID) from None
    record, made = call.service.store.traits.create(name, call.deadline)
    return Reply(
        201 if made else 204,
        modified_at=call.moment(record.modified_at),
        location=links.trait(call, name),
    )


def delete(call: Call) -> Reply:
    """Remove a trait that no provider has."""
    name = trait_name(call)
    try:
        call.service.store.traits.remove(name, call.deadline)
    except InvalidInput:
        raise BadRequest(f"Cannot delete standard trait {name}.") from None
    return NO_CONTENT


def of_provider(call: Call) -> Reply:
    """Return the traits of a provider."""
    try:
        record = call.service.store.traits.of(provider_uuid(call), call.deadline)
    except ProviderNotFound as error:
        raise absent(error) from None
    return _told(call, record)


def replace(call: Call) -> Reply:
    """Set the traits of a provider."""
    uuid, body = provider_uuid(call), call.body
    names = list(dict.fromkeys(body["traits"]))
    generation = int(body["resource_provider_generation"])
    if not all(map(is_symbol, names)):
        raise _refusal(call, generation, names)
    try:
        record = call.service.store.traits.replace(uuid, generation, names, call.deadline)
    except GenerationConflict:
        raise stale() from None
    except TraitNotFound as error:
        raise _absent(fact(error, "traits")) from None
    return _told(call, record)


def delete_all(call: Call) -> Reply:
    """Take all traits off a provider."""
    call.service.store.traits.replace(provider_uuid(call), None, (), call.deadline)
    return NO_CONTENT


def _told(call: Call, record: NamesRecord) -> Reply:
    return Reply(
        body={
            "traits": list(record.names),
            "resource_provider_generation": record.generation,
        },
        modified_at=call.moment(record.modified_at),
    )


def _names(value: str | None) -> tuple[list[str] | None, str | None]:
    """Return which names are asked for, and which beginning; None for any."""
    if value is None:
        return None, None
    kind, colon, rest = value.partition(":")
    if not colon:
        raise BadRequest(_NAME_FORM.format(value))
    if kind == "in":
        return [name for name in rest.split(",") if is_symbol(name)], None
    return None, rest if kind == "startswith" and rest else None


def _associated(value: str | None) -> bool | None:
    if value is None:
        return None
    if value.lower() not in _BOOLEANS:
        raise BadRequest('The query parameter "associated" only accepts "true" or "false"')
    return _BOOLEANS[value.lower()]


def _refusal(call: Call, generation: int, names: Sequence[str]) -> ApiError:
    """Return the answer to names of which some cannot be traits; of what is wrong, first first."""
    if provider(call).generation != generation:
        return stale()
    possible = [name for name in names if is_symbol(name)]
    missing = call.service.store.traits.missing(possible, call.deadline)
    return _absent(", ".join(sorted(missing.union(names) - (set(possible) - missing))))


def _absent(names: str) -> ApiError:
    return BadRequest(f"No such trait {names}")
