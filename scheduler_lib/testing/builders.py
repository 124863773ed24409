"""Hosts and requests in one line of a test: ``a_host("h1").vcpus(8).trait("HW_CPU_X86_AVX2")``."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, Self

from scheduler_lib.model.request import UNSUFFIXED, Request, ResourceGroup

if TYPE_CHECKING:
    from scheduler_lib.client import SchedulerClient

# One core, 1 GiB and 10 GB: small beside the host that `a_host` gives.
SMALL = {"vcpus": 1, "memory_mb": 1024, "root_gb": 10}


def a_host(name: str | tuple[str, str]) -> HostBuilder:
    """Begin a host with 8 vcpus, 16384 MB and 100 GB, sold once each.

    :param name: ``"host"`` or ``("host", "node")``.
    """
    return HostBuilder(name).vcpus(8).memory_mb(16384).disk_gb(100)


def a_request(**resources: int) -> RequestBuilder:
    """Begin a request for one instance.

    :param resources: amounts by resource class: ``a_request(VCPU=2, MEMORY_MB=512)``.
    """
    return RequestBuilder().resources(**resources)


def a_legacy_request(
    *, instances: int | list[str] = 1, **flavor: object
) -> tuple[dict[str, object], dict[str, object]]:
    """Return the two dictionaries of Nova's Juno release, with everything that it sent.

    :param instances: how many, or their uuids.
    :param flavor: fields of the flavor that differ from one core, 1 GiB and 10 GB.
    """
    uuids = instances if isinstance(instances, list) else _uuids(instances)
    instance_type = {
        "id": 1, "flavorid": "1", "name": "m1.small", **SMALL, "ephemeral_gb": 0, "swap": 0,
        "rxtx_factor": 1.0, "vcpu_weight": None, "extra_specs": {}, **flavor,
    }  # fmt: skip
    properties = {
        "uuid": uuids[0], "project_id": "a-project", "user_id": "a-user", "os_type": "linux",
        "availability_zone": None, "vcpus": instance_type["vcpus"],
        "memory_mb": instance_type["memory_mb"], "root_gb": instance_type["root_gb"],
    }  # fmt: skip
    request_spec: dict[str, object] = {
        "image": {"id": str(uuid.uuid4()), "properties": {}},
        "instance_type": instance_type,
        "instance_properties": properties,
        "instance_uuids": uuids,
        "num_instances": len(uuids),
    }
    return request_spec, {"instance_type": dict(instance_type), "scheduler_hints": None}


def _uuids(count: int) -> list[str]:
    return [str(uuid.uuid4()) for _ in range(count)]


class HostBuilder:
    """A host's report, field by field.

    :param name: ``"host"`` or ``("host", "node")``.
    """

    def __init__(self, name: str | tuple[str, str]) -> None:
        self.name = name
        self._stats: dict[str, Any] = {}

    def vcpus(self, total: int, *, ratio: float = 1.0, used: int = 0) -> Self:
        """Give it that many vcpus."""
        return self.field(vcpus=total, cpu_allocation_ratio=ratio, vcpus_used=used)

    def memory_mb(self, total: int, *, ratio: float = 1.0, used: int = 0) -> Self:
        """Give it that much memory, in MB."""
        return self.field(
            memory_mb=total,
            ram_allocation_ratio=ratio,
            memory_mb_used=used,
            free_ram_mb=total - used,
        )

    def disk_gb(self, total: int, *, ratio: float = 1.0, used: int = 0) -> Self:
        """Give it that much disk, in GB."""
        return self.field(
            local_gb=total,
            disk_allocation_ratio=ratio,
            local_gb_used=used,
            free_disk_gb=total - used,
        )

    def inventory(self, resource_class: str, total: int, **fields: object) -> Self:
        """Give it an inventory of any class; ``fields`` are those of an inventory."""
        inventories = self._stats.setdefault("inventories", {})
        inventories[resource_class] = {"total": total, **fields}
        return self

    def trait(self, *names: str) -> Self:
        """Give it traits."""
        self._stats.setdefault("traits", []).extend(names)
        return self

    def aggregate(self, *uuids: str) -> Self:
        """Put it into aggregates."""
        self._stats.setdefault("aggregates", []).extend(uuids)
        return self

    def zone(self, name: str) -> Self:
        """Put it into an availability zone."""
        return self.field(availability_zone=name)

    def child(
        self,
        name: str,
        inventories: dict[str, int],
        *,
        traits: tuple[str, ...] = (),
        children: tuple[dict[str, object], ...] = (),
    ) -> Self:
        """Give it a nested provider with that much of each class."""
        self._stats.setdefault("children", []).append(
            {
                "name": name,
                "inventories": {key: {"total": total} for key, total in inventories.items()},
                "traits": list(traits),
                "children": list(children),
            }
        )
        return self

    def disabled(self, reason: str | None = None) -> Self:
        """Switch its service off."""
        return self.field(disabled=True, disabled_reason=reason)

    def forced_down(self) -> Self:
        """Declare its service dead."""
        return self.field(forced_down=True)

    def last_seen_up(self, moment: float) -> Self:
        """Set its last heartbeat, in seconds since 1970-01-01 UTC."""
        return self.field(last_seen_up=moment)

    def field(self, **fields: object) -> Self:
        """Set any fields of the report."""
        self._stats.update(fields)
        return self

    def stats(self) -> dict[str, object]:
        """Return the report."""
        return dict(self._stats)

    def report(self, client: SchedulerClient, context: object = None) -> Self:
        """Push the report through a client."""
        client.update_resource_stats(context, self.name, self.stats())
        return self


class RequestBuilder:
    """A typed request, field by field; without consumers it is for one new instance."""

    def __init__(self) -> None:
        self._groups: dict[str, dict[str, Any]] = {}
        self._fields: dict[str, Any] = {}
        self._consumers: list[str] = []

    def resources(self, suffix: str = UNSUFFIXED, /, **amounts: int) -> Self:
        """Ask for amounts by resource class, in a group."""
        self._group(suffix).setdefault("resources", {}).update(amounts)
        return self

    def requires(self, *traits: str, suffix: str = UNSUFFIXED) -> Self:
        """Ask for traits."""
        group = self._group(suffix)
        group["required"] = frozenset((*group.get("required", ()), *traits))
        return self

    def forbids(self, *traits: str, suffix: str = UNSUFFIXED) -> Self:
        """Refuse traits."""
        group = self._group(suffix)
        group["forbidden"] = frozenset((*group.get("forbidden", ()), *traits))
        return self

    def instances(self, count: int) -> Self:
        """Ask for that many new instances."""
        return self.consumers(*_uuids(count))

    def consumers(self, *uuids: str) -> Self:
        """Name the instances."""
        self._consumers = list(uuids)
        return self

    def zone(self, name: str) -> Self:
        """Stay in an availability zone."""
        return self.field(availability_zone=name)

    def field(self, **fields: object) -> Self:
        """Set any fields of the request."""
        self._fields.update(fields)
        return self

    def build(self) -> Request:
        """Return the request.

        :raises InvalidRequest: naming the field.
        """
        groups = {suffix: ResourceGroup(**group) for suffix, group in self._groups.items()}
        consumers = tuple(self._consumers or _uuids(1))
        return Request(groups=groups, consumers=consumers, **self._fields)

    def _group(self, suffix: str) -> dict[str, Any]:
        return self._groups.setdefault(suffix, {})
