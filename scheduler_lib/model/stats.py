"""A host's report: the fields of ``compute_nodes``, and what we take beyond them."""

from __future__ import annotations

import difflib
import ipaddress
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from scheduler_lib.exceptions import InvalidStats
from scheduler_lib.model.inventory import (
    MAX_UNITS,
    Inventory,
    checked_ratio,
    checked_units,
    parse_inventories,
)
from scheduler_lib.model.jsontext import as_json_text
from scheduler_lib.model.naming import (
    checked_name,
    checked_symbol,
    checked_uuid,
    key_text,
    shortened,
)

# Columns of Nova's compute_nodes table, by the kind of value they take.
COUNTS = (
    "vcpus", "memory_mb", "local_gb", "vcpus_used", "memory_mb_used", "local_gb_used",
    "hypervisor_version", "running_vms", "mapped", "service_id",
)  # fmt: skip
SIGNED = ("free_ram_mb", "free_disk_gb", "disk_available_least", "current_workload")
RATIOS = ("cpu_allocation_ratio", "ram_allocation_ratio", "disk_allocation_ratio")
SHORT_TEXTS = ("hypervisor_type", "host_ip")
JSON_TEXTS = (
    "cpu_info", "supported_instances", "metrics", "pci_stats", "extra_resources", "stats",
    "numa_topology",
)  # fmt: skip

# Our own columns beside Nova's.
RESERVES = ("reserved_host_cpus", "reserved_host_memory_mb", "reserved_host_disk_mb")
FLAGS = ("disabled", "forced_down")
MOMENTS = ("last_seen_up", "reported_at")

# What Nova sends beside the columns: names that say the same, and book-keeping that is ours to do.
ALIASES = {"pci_device_pools": "pci_stats", "supported_hv_specs": "supported_instances"}
IGNORED = ("id", "created_at", "updated_at", "deleted_at", "deleted")
IDENTITY = ("uuid", "host", "hypervisor_hostname")
STRUCTURE = ("inventories", "traits", "aggregates", "children")

KNOWN = frozenset(
    (*COUNTS, *SIGNED, *RATIOS, *SHORT_TEXTS, *JSON_TEXTS, *RESERVES, *FLAGS, *MOMENTS, *ALIASES,
     *IGNORED, *IDENTITY, *STRUCTURE, "availability_zone", "disabled_reason")
)  # fmt: skip

MAX_TEXT_BYTES = 1_000_000
MAX_DEPTH = 16

_Parsed = TypeVar("_Parsed")


@dataclass(frozen=True, slots=True)
class ChildReport:
    """A nested provider in a report: a NUMA cell, a GPU, a network card.

    :ivar name: unique in the deployment; kept from report to report.
    :ivar uuid: its uuid; None to keep the stored one, or to make one.
    :ivar inventories: what it has, by resource class.
    """

    name: str
    uuid: str | None = None
    inventories: Mapping[str, Inventory] = field(default_factory=dict)
    traits: frozenset[str] = frozenset()
    aggregates: frozenset[str] = frozenset()
    children: tuple[ChildReport, ...] = ()


@dataclass(frozen=True, slots=True)
class HostStats:
    """One report, checked and normalised; what it does not name stays as it is stored.

    :ivar columns: column of compute_nodes (Nova's and ours) to value: whole numbers, floats,
        booleans, texts (JSON columns as canonical JSON text), or None.
    :ivar uuid: the host's uuid; None to keep the stored one, or to make one.
    :ivar inventories: inventories of the root beside, or instead of, those from the totals.
    :ivar traits: the traits the host owns.
    :ivar aggregates: uuids of the aggregates it is in.
    :ivar children: its nested providers, whole.
    """

    columns: Mapping[str, object]
    uuid: str | None = None
    inventories: Mapping[str, Inventory] | None = None
    traits: frozenset[str] | None = None
    aggregates: frozenset[str] | None = None
    children: tuple[ChildReport, ...] | None = None

    @classmethod
    def parse(cls, stats: object) -> HostStats:
        """Read the mapping that a resource tracker pushes; it is not changed.

        :param stats: fields of ``compute_nodes`` (JSON ones as text or decoded), and our own.
        :raises InvalidStats: naming the field.
        """
        if not isinstance(stats, Mapping):
            raise InvalidStats(f"stats must be a mapping, not {shortened(stats)}.", field="stats")
        for key in stats:
            if not isinstance(key, str) or key not in KNOWN:
                raise _unknown(key)
        given: dict[str, object] = {
            ALIASES.get(str(key), str(key)): value for key, value in stats.items()
        }
        if given.get("reported_at", 0) is None:
            del given["reported_at"]
        return cls(
            columns={key: _column(key, given[key]) for key in sorted(given) if key in _COLUMNS},
            uuid=_optional_uuid(given.get("uuid")),
            inventories=_if_given(given, "inventories", parse_inventories),
            traits=_if_given(given, "traits", _symbols),
            aggregates=_if_given(given, "aggregates", _uuids),
            children=_if_given(given, "children", _unique_children),
        )

    def check_tree(self, node: str) -> None:
        """Check that no nested provider has the name or the uuid of the host's own provider.

        :param node: the node that the report is for; its provider has the same name.
        :raises InvalidStats: when one has.
        """
        taken = {("name", node)} if self.uuid is None else {("name", node), ("uuid", self.uuid)}
        _check_unique(self.children or (), taken)


def _if_given(
    given: Mapping[str, object], name: str, parse: Callable[[object, str], _Parsed]
) -> _Parsed | None:
    value = given.get(name)
    return None if value is None else parse(value, name)


def _unique_children(value: object, path: str) -> tuple[ChildReport, ...]:
    children = _children(value, path, depth=1)
    _check_unique(children, set())
    return children


def _children(value: object, path: str, depth: int) -> tuple[ChildReport, ...]:
    items = _list(value, path)
    if items and depth > MAX_DEPTH:
        raise InvalidStats(f"{path} is nested deeper than {MAX_DEPTH} levels.", field=path)
    return tuple(_child(item, f"{path}[{index}]", depth) for index, item in enumerate(items))


def _child(value: object, path: str, depth: int) -> ChildReport:
    known = ("name", "uuid", "inventories", "traits", "aggregates", "children")
    if isinstance(value, ChildReport):
        value = {name: getattr(value, name) for name in known}
    if not isinstance(value, Mapping):
        raise InvalidStats(f"{path} must be a mapping, not {shortened(value)}.", field=path)
    given = {key: item for key, item in value.items() if item is not None}
    for key in value:
        if key not in known:
            raise _unknown(key, known, f"{path}.")
    return ChildReport(
        name=checked_name(given.get("name"), f"{path}.name", InvalidStats),
        uuid=_optional_uuid(given.get("uuid"), f"{path}.uuid"),
        inventories=parse_inventories(given.get("inventories", {}), f"{path}.inventories"),
        traits=_symbols(given.get("traits", ()), f"{path}.traits"),
        aggregates=_uuids(given.get("aggregates", ()), f"{path}.aggregates"),
        children=_children(given.get("children", ()), f"{path}.children", depth + 1),
    )


def _check_unique(children: tuple[ChildReport, ...], seen: set[tuple[str, str]]) -> None:
    for child in children:
        # Names and uuids are each unique among their own kind.
        for kind, value in (("name", child.name), ("uuid", child.uuid)):
            if (kind, value) in seen:
                raise InvalidStats(
                    f"children: the {kind} {value!r} is there twice in one tree.", field="children"
                )
            if value is not None:
                seen.add((kind, value))
        _check_unique(child.children, seen)


def _column(name: str, value: object) -> object:
    if value is None:
        return None
    return _COLUMNS[name](value, name)


def _count(value: object, name: str) -> object:
    return checked_units(value, name, InvalidStats)


def _signed(value: object, name: str) -> object:
    return checked_units(value, name, InvalidStats, least=-MAX_UNITS)


def _ratio(value: object, name: str) -> object:
    # Nova writes 0.0 for "not set" (its bug 1789654); a host never means "sell nothing" by it.
    return checked_ratio(value, name, InvalidStats) or None


def _address(value: object, name: str) -> object:
    # Nova sends an object of netaddr's; the standard library has such objects too.
    if isinstance(value, str):
        return _short_text(value, name)
    try:
        if not isinstance(value, bytes | int):
            return str(ipaddress.ip_address(str(value)))
    except Exception as error:
        raise InvalidStats(f"{name}: {shortened(value)} is no address.", field=name) from error
    raise InvalidStats(f"{name}: {shortened(value)} is no address.", field=name)


def _short_text(text: object, name: str) -> object:
    if not isinstance(text, str):
        raise InvalidStats(f"{name} must be a string, not {shortened(text)}.", field=name)
    if len(text) > 255:
        raise InvalidStats(f"{name} is longer than 255 characters.", field=name)
    if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in text):
        # No database takes these in a text.
        raise InvalidStats(f"{name} has a character that cannot be stored.", field=name)
    return text


def _json(value: object, name: str) -> object:
    text = as_json_text(value, name)
    if len(text.encode("utf-8", "surrogatepass")) > MAX_TEXT_BYTES - 1:
        raise InvalidStats(f"{name} is longer than {MAX_TEXT_BYTES - 1} bytes.", field=name)
    return text


def _flag(value: object, name: str) -> object:
    if not isinstance(value, bool):
        raise InvalidStats(f"{name} must be true or false, not {shortened(value)}.", field=name)
    return value


def _moment(value: object, name: str) -> object:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as error:
            raise InvalidStats(f"{name} is no ISO 8601 time.", field=name) from error
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
    if number is None or not abs(number) <= sys.float_info.max:
        raise InvalidStats(f"{name} must be a time, not {shortened(value)}.", field=name)
    return float(number)


def _zone(value: object, name: str) -> object:
    zone = checked_name(value, name, InvalidStats)
    if ":" in zone:
        # A colon separates zone and host where both are named together (Nova, zones).
        raise InvalidStats(f"{name} must not have a colon: {zone!r}.", field=name)
    return zone


_COLUMNS = {
    **dict.fromkeys(COUNTS, _count),
    **dict.fromkeys(RESERVES, _count),
    **dict.fromkeys(SIGNED, _signed),
    **dict.fromkeys(RATIOS, _ratio),
    **dict.fromkeys(SHORT_TEXTS, _short_text),
    **dict.fromkeys(JSON_TEXTS, _json),
    **dict.fromkeys(FLAGS, _flag),
    **dict.fromkeys(MOMENTS, _moment),
    "availability_zone": _zone,
    "host_ip": _address,
    "disabled_reason": _short_text,
}


def _list(value: object, field: str) -> tuple[object, ...]:
    if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__iter__"):
        raise InvalidStats(f"{field} must be a list, not {shortened(value)}.", field=field)
    return tuple(value)


def _symbols(value: object, field: str) -> frozenset[str]:
    return frozenset(checked_symbol(item, field, InvalidStats) for item in _list(value, field))


def _uuids(value: object, field: str) -> frozenset[str]:
    return frozenset(checked_uuid(item, field, InvalidStats) for item in _list(value, field))


def _optional_uuid(value: object, field: str = "uuid") -> str | None:
    return None if value is None else checked_uuid(value, field, InvalidStats)


def _unknown(key: object, known: Iterable[str] = KNOWN, path: str = "") -> InvalidStats:
    near = difflib.get_close_matches(key_text(key), sorted(known), n=1, cutoff=0.5)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    return InvalidStats(
        f"stats has no field {path}{shortened(key)}.{meant}",
        field=f"{path}{key_text(key)}"[:300],
        nearest=near[0] if near else None,
    )
