"""Nova's RequestSpec: as a versioned-object primitive, or as an object with its attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.naming import checked_uuid
from scheduler_lib.model.nova.draft import GroupDraft, GroupsDraft
from scheduler_lib.model.nova.flavor import add_flavor, add_image
from scheduler_lib.model.nova.record import Record, listed, texts
from scheduler_lib.model.nova.target import target_of, uuids
from scheduler_lib.model.nova.wishes import (
    UuidMaker,
    hints,
    instance_count,
    instances,
    made,
    retry_hosts,
)
from scheduler_lib.model.request import Request

# Fields of an instance group, and the names they have among the Juno form's properties.
_GROUP_KEYS = {
    "hosts": "group_hosts",
    "policies": "group_policies",
    "members": "group_members",
    "uuid": "group_uuid",
}


def request_from_spec(spec_obj: object, instance_uuids: object, maker: UuidMaker) -> Request:
    """Return the request that a RequestSpec makes.

    :param spec_obj: its primitive, or an object with the same attributes.
    :param instance_uuids: the instances, which win over the spec's own number; None to go by that.
    :param maker: makes uuids for instances that nobody names.
    :raises InvalidRequest: naming the field.
    """
    spec = Record(spec_obj, "spec_obj")
    groups = _groups(spec)
    target = target_of(spec.record("requested_destination"))
    params = spec.record("request_level_params")
    return Request(
        groups=groups.built(),
        group_policy=groups.policy or "none",
        consumers=_consumers(spec, instance_uuids, maker),
        project_id=spec.text("project_id"),
        user_id=spec.text("user_id"),
        availability_zone=spec.text("availability_zone"),
        force_hosts=spec.texts("force_hosts"),
        force_nodes=spec.texts("force_nodes"),
        ignore_hosts=spec.texts("ignore_hosts"),
        retry_hosts=retry_hosts(spec.record("retry")),
        hints=_hints(spec),
        **_level(params),
        **target.as_fields(),
    )


def _groups(spec: Record) -> GroupsDraft:
    flavor = spec.record("flavor")
    if flavor is None:
        raise InvalidRequest("spec_obj has no flavor.", field="spec_obj.flavor")
    groups = GroupsDraft()
    add_flavor(groups, flavor, is_volume_backed=spec.flag("is_bfv"))
    add_image(groups, spec.record("image"))
    for asked in spec.records("requested_resources"):
        _add_group(groups, asked)
    return groups


def _add_group(groups: GroupsDraft, asked: Record) -> None:
    # Unset means one provider for all, as RequestGroup's own default says.
    together = asked.get("use_same_provider")
    if together is None or asked.flag("use_same_provider"):
        group = groups.new_group(asked.text("requester_id"), asked.at("requester_id"))
    else:
        group = groups.group()
    _add_resources(group, asked)
    group.required.update(asked.texts("required_traits"))
    group.forbidden.update(asked.texts("forbidden_traits"))
    for path, item in listed(asked.get("aggregates"), asked.at("aggregates")):
        group.member_of.append(uuids(item, path))
    group.forbidden_aggregates |= uuids(
        asked.get("forbidden_aggregates"), asked.at("forbidden_aggregates")
    )
    tree = asked.text("in_tree")
    if tree is not None:
        group.in_tree = checked_uuid(tree, asked.at("in_tree"), InvalidRequest)


def _add_resources(group: GroupDraft, asked: Record) -> None:
    resources = asked.get("resources")
    if resources is None:
        return
    amounts = Record(resources, asked.at("resources"))
    if not isinstance(resources, Mapping):
        raise InvalidRequest(f"{amounts.path} must be a mapping.", field=amounts.path)
    for name in resources:
        group.resources[name] = group.resources.get(name, 0) + amounts.units(name)


def _consumers(spec: Record, instance_uuids: object, maker: UuidMaker) -> tuple[str, ...]:
    count = instance_count(spec)
    known = instances(instance_uuids, "instance_uuids")
    if known is not None:
        # A stored spec keeps the number of its first boot, also when one instance moves later.
        return known
    return made(count or 1, spec.text("instance_uuid"), spec.at("instance_uuid"), maker)


def _level(params: Record | None) -> dict[str, Any]:
    if params is None:
        return {}
    subtrees = listed(params.get("same_subtree"), params.at("same_subtree"))
    return {
        "root_required": frozenset(params.texts("root_required")),
        "root_forbidden": frozenset(params.texts("root_forbidden")),
        "same_subtree": tuple(frozenset(texts(item, path)) for path, item in subtrees),
    }


def _hints(spec: Record) -> dict[str, object]:
    found = hints(spec.get("scheduler_hints"), spec.at("scheduler_hints"))
    group = spec.record("instance_group")
    for name, key in _GROUP_KEYS.items() if group is not None else ():
        if group is not None and group.get(name) is not None:
            found[key] = group.texts(name)
    return found
