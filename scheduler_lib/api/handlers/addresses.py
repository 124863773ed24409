"""What paths name: a provider by its uuid, a trait or a resource class by its name."""

from __future__ import annotations

from scheduler_lib.api.call import Call
from scheduler_lib.exceptions import (
    InvalidRequest,
    ProviderNotFound,
    ResourceClassNotFound,
    TraitNotFound,
)
from scheduler_lib.model.naming import checked_symbol, checked_uuid
from scheduler_lib.model.record import ProviderRecord


def provider_uuid(call: Call) -> str:
    """Return the uuid of the provider that the path names.

    :raises ProviderNotFound: for what is not written as uuids of providers are: nobody has it.
    """
    uuid = call.path["uuid"]
    try:
        written = checked_uuid(uuid, "uuid", InvalidRequest)
    except InvalidRequest:
        written = None
    if written != uuid:
        raise ProviderNotFound(f"There is no provider {uuid}.", provider=uuid)
    return uuid


def provider(call: Call) -> ProviderRecord:
    """Return the provider that the path names.

    :raises ProviderNotFound: when it is not there.
    """
    return call.service.store.providers.record(provider_uuid(call), call.deadline)


def trait_name(call: Call) -> str:
    """Return the name of the trait that the path names.

    :raises TraitNotFound: for what cannot be the name of one.
    """
    name = call.path["name"]
    if not is_symbol(name):
        raise TraitNotFound(f"There is no trait {name}.", traits=[name])
    return name


def class_name(call: Call) -> str:
    """Return the name of the resource class that the path names.

    :raises ResourceClassNotFound: for what cannot be the name of one.
    """
    name = call.path["name"]
    if not is_symbol(name):
        raise _no_class(name)
    return name


def check_class(call: Call, name: str) -> None:
    """Go on only if there is a resource class of that name.

    :raises ResourceClassNotFound: when there is none.
    """
    if not is_symbol(name) or call.service.store.resource_classes.missing([name], call.deadline):
        raise _no_class(name)


def _no_class(name: str) -> ResourceClassNotFound:
    return ResourceClassNotFound(f"There is no resource class {name}.", resource_class=name)


def is_symbol(name: str) -> bool:
    """Tell whether something can be the name of a trait or of a resource class."""
    try:
        checked_symbol(name, "name", InvalidRequest)
    except InvalidRequest:
        return False
    return True
