"""The dictionaries ``request_spec`` and ``filter_properties`` of Nova's Juno release and later."""

from __future__ import annotations

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.nova.draft import GroupsDraft
from scheduler_lib.model.nova.flavor import add_flavor, add_image
from scheduler_lib.model.nova.record import Record
from scheduler_lib.model.nova.target import target_of
from scheduler_lib.model.nova.wishes import (
    UuidMaker,
    hints,
    instance_count,
    instances,
    made,
    retry_hosts,
)
from scheduler_lib.model.request import Request

_GROUP_KEYS = ("group_hosts", "group_policies", "group_members", "group_uuid")


def request_from_legacy(
    request_spec: object,
    filter_properties: object,
    instance_uuids: object,
    maker: UuidMaker,
) -> Request:
    """Return the request that the two dictionaries make.

    :param request_spec: ``instance_type``, ``num_instances``, ``instance_uuids``, ``image``,
        ``instance_properties``.
    :param filter_properties: ``scheduler_hints``, ``force_hosts``, ``force_nodes``,
        ``ignore_hosts``, ``retry``, and what else says how to choose; None for nothing.
    :param instance_uuids: the instances; None to read them from the request.
    :param maker: makes uuids for instances that nobody names.
    :raises InvalidRequest: naming the field.
    """
    spec = Record(request_spec, "request_spec")
    wishes = Record({} if filter_properties is None else filter_properties, "filter_properties")
    properties = spec.record("instance_properties") or Record({}, "instance_properties")
    groups = _groups(spec, wishes)
    target = target_of(wishes.record("requested_destination"))
    return Request(
        groups=groups.built(),
        group_policy=groups.policy or "none",
        consumers=_consumers(spec, properties, instance_uuids, maker),
        project_id=properties.text("project_id") or wishes.text("project_id"),
        user_id=properties.text("user_id") or wishes.text("user_id"),
        availability_zone=properties.text("availability_zone"),
        force_hosts=wishes.texts("force_hosts"),
        force_nodes=wishes.texts("force_nodes"),
        ignore_hosts=wishes.texts("ignore_hosts"),
        retry_hosts=retry_hosts(wishes.record("retry")),
        hints=_hints(wishes, properties),
        **target.as_fields(),
    )


def _groups(spec: Record, wishes: Record) -> GroupsDraft:
    flavor = spec.record("instance_type") or wishes.record("instance_type")
    if flavor is None:
        raise InvalidRequest(
            "request_spec has no instance_type.", field="request_spec.instance_type"
        )
    groups = GroupsDraft()
    add_flavor(groups, flavor, is_volume_backed=spec.flag("is_bfv"))
    add_image(groups, spec.record("image"))
    return groups


def _consumers(
    spec: Record, properties: Record, instance_uuids: object, maker: UuidMaker
) -> tuple[str, ...]:
    count = instance_count(spec)
    path = "instance_uuids"
    if instance_uuids is None:
        instance_uuids, path = spec.get("instance_uuids"), spec.at("instance_uuids")
    known = instances(instance_uuids, path)
    if known is None:
        first = properties.text("uuid")
        return made(1 if count is None else count, first, properties.at("uuid"), maker)
    if count is not None and count != len(known):
        raise InvalidRequest(
            f"num_instances is {count}, but {path} names {len(known)}.",
            field=spec.at("num_instances"),
        )
    return known


def _hints(wishes: Record, properties: Record) -> dict[str, object]:
    found = hints(wishes.get("scheduler_hints"), wishes.at("scheduler_hints"))
    for key in _GROUP_KEYS:
        if wishes.get(key) is not None:
            found[key] = wishes.texts(key)
    os_type = wishes.text("os_type") or properties.text("os_type")
    if os_type is not None:
        found["os_type"] = (os_type,)
    return found
