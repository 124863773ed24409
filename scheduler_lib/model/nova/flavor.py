"""A flavor's resources and traits, and the traits that an image requires."""

from __future__ import annotations

import re

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.inventory import checked_units
from scheduler_lib.model.naming import shortened
from scheduler_lib.model.nova.draft import GroupsDraft
from scheduler_lib.model.nova.record import Record
from scheduler_lib.model.request import GROUP_POLICIES, UNSUFFIXED

MB_PER_GB = 1024

# resources[SUFFIX]:CLASS and trait[SUFFIX]:NAME (Nova, flavor extra specs).
_EXTRA_SPEC = re.compile(r"(resources|trait)([a-zA-Z0-9_-]{1,64})?:(.*)\Z", re.DOTALL)
_WHOLE_NUMBER = re.compile(r"[0-9]{1,10}\Z")


def add_flavor(groups: GroupsDraft, flavor: Record, *, is_volume_backed: bool) -> None:
    """Add what a flavor asks; an extra spec that names a class replaces the flavor's own amount.

    :param is_volume_backed: the root disk is a volume, so the host gives none for it.
    :raises InvalidRequest: naming the field or the extra spec.
    """
    _add_extra_specs(groups, flavor)
    for name, amount in _own(flavor, is_volume_backed).items():
        if not groups.asks(name):
            groups.group().resources[name] = amount


def add_image(groups: GroupsDraft, image: Record | None) -> None:
    """Add the traits that an image requires."""
    properties = None if image is None else image.record("properties")
    if properties is not None:
        groups.group().required.update(properties.texts("traits_required"))


def _own(flavor: Record, is_volume_backed: bool) -> dict[str, int]:
    swap_mb = 0 if flavor.get("swap") == "" else flavor.units("swap")  # the API's way to say none
    root_gb = flavor.units("root_gb")
    local_gb = flavor.units("ephemeral_gb") + -(-swap_mb // MB_PER_GB)
    return {
        "VCPU": flavor.units("vcpus"),
        "MEMORY_MB": flavor.units("memory_mb"),
        "DISK_GB": local_gb if is_volume_backed else root_gb + local_gb,
    }


def _add_extra_specs(groups: GroupsDraft, flavor: Record) -> None:
    specs = flavor.get("extra_specs")
    if specs is None:
        return
    path = flavor.at("extra_specs")
    if not hasattr(specs, "items"):
        raise InvalidRequest(f"{path} must be a mapping, not {shortened(specs)}.", field=path)
    for key, value in sorted(specs.items(), key=lambda item: str(item[0])):
        match = _EXTRA_SPEC.match(key) if isinstance(key, str) else None
        if key == "group_policy":
            groups.policy = _policy(value, f"{path}.{key}")
        elif match is not None:
            kind, suffix, name = match.groups()
            _add_one(groups, kind, suffix or UNSUFFIXED, name, value, f"{path}.{key}")


def _add_one(
    groups: GroupsDraft, kind: str, suffix: str, name: str, value: object, path: str
) -> None:
    group = groups.group(suffix)
    if kind == "resources":
        group.resources[name] = _amount(value, path)
    elif value == "required":
        group.required.add(name)
    elif value == "forbidden":
        group.forbidden.add(name)
    else:
        raise InvalidRequest(
            f"{path} must be 'required' or 'forbidden', not {shortened(value)}.", field=path
        )


def _amount(value: object, path: str) -> int:
    # Extra specs are texts; everywhere else "1" is no amount.
    if isinstance(value, str) and _WHOLE_NUMBER.match(value):
        value = int(value)
    return checked_units(value, path, InvalidRequest)


def _policy(value: object, path: str) -> str:
    if isinstance(value, str) and value in GROUP_POLICIES:
        return value
    raise InvalidRequest(
        f"{path} must be one of {', '.join(GROUP_POLICIES)}, not {shortened(value)}.", field=path
    )
