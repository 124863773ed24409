"""The parts that both forms share: instances, scheduler hints, hosts to retry, the zone."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.inventory import checked_units
from scheduler_lib.model.naming import ResourceName, checked_uuid, shortened
from scheduler_lib.model.nova.record import Record, listed, texts
from scheduler_lib.model.request import MAX_INSTANCES

UuidMaker = Callable[[], str]


def instance_count(record: Record, name: str = "num_instances") -> int | None:
    """Return how many instances are asked; None where it is not said.

    :raises InvalidRequest: when it is no whole number from 1.
    """
    value = record.get(name)
    if value is None:
        return None
    return checked_units(value, record.at(name), InvalidRequest, least=1, most=MAX_INSTANCES)


def instances(value: object, path: str) -> tuple[str, ...] | None:
    """Return the instances' uuids; None where they are not named.

    :raises InvalidRequest: when one is no UUID, or the list is empty.
    """
    if value is None:
        return None
    found = tuple(checked_uuid(item, at, InvalidRequest) for at, item in listed(value, path))
    if not found:
        raise InvalidRequest(f"{path} is empty.", field=path)
    return found


def made(count: int, first: str | None, path: str, maker: UuidMaker) -> tuple[str, ...]:
    """Return uuids for instances that are not named.

    :param first: the one that is known, if only one is asked.
    :param maker: makes a uuid.
    :raises InvalidRequest: when the one that is known is no UUID.
    """
    if count == 1 and first is not None:
        return (checked_uuid(first, path, InvalidRequest),)
    return tuple(maker() for _ in range(count))


def hints(value: object, path: str) -> dict[str, object]:
    """Return scheduler hints as lists of texts; None is none, one text a list of one.

    :raises InvalidRequest: when it is no mapping, or a hint is neither text nor list.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidRequest(f"{path} must be a mapping, not {shortened(value)}.", field=path)
    found: dict[str, object] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise InvalidRequest(f"{path}: {shortened(key)} is no name.", field=path)
        if item is not None:
            found[key] = _hint(item, f"{path}.{key}")
    return found


def _hint(value: object, path: str) -> tuple[str, ...]:
    if isinstance(value, bool | int | float):
        return (str(value),)
    return texts(value, path)


def retry_hosts(retry: Record | None) -> tuple[ResourceName, ...]:
    """Return the hosts that were tried: names, pairs, or compute nodes.

    :raises InvalidRequest: when one is none of these.
    """
    if retry is None:
        return ()
    return tuple(_tried(item, path) for path, item in listed(retry.get("hosts"), retry.at("hosts")))


def _tried(item: object, path: str) -> ResourceName:
    if isinstance(item, str | list | tuple):
        return ResourceName.parse(item)
    node = Record(item, path)
    host = node.get("host")
    return ResourceName.parse((host, node.get("hypervisor_hostname") or host))
