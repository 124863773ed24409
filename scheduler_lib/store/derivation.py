"""What a report means: the merged row of a compute node, and the root's inventories.

Pure: a stored row, a report and the settings in; a row and inventories out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from scheduler_lib.exceptions import InvalidStats
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.settings import CapacitySettings
from scheduler_lib.model.stats import RATIOS, HostStats

Columns = dict[str, Any]

_MB_PER_GB = 1024
# resource class: total, ratio, reserve
_DERIVED = {
    "VCPU": ("vcpus", "cpu_allocation_ratio", "reserved_host_cpus"),
    "MEMORY_MB": ("memory_mb", "ram_allocation_ratio", "reserved_host_memory_mb"),
    "DISK_GB": ("local_gb", "disk_allocation_ratio", "reserved_host_disk_mb"),
}


def merged(stored: Mapping[str, Any], stats: HostStats) -> Columns:
    """Return the columns after a report; what it does not name stays as it is stored."""
    columns = dict(stored)
    # "No ratio" never means that a known one is forgotten (Nova reports 0.0 while it has none).
    columns.update(
        (name, value)
        for name, value in stats.columns.items()
        if value is not None or name not in RATIOS
    )
    if stats.inventories is not None:
        explicit = {name: asdict(item) for name, item in stats.inventories.items()}
        columns["reported_inventories"] = _text(explicit)
    if stats.traits is not None:
        columns["reported_traits"] = _text(sorted(stats.traits))
    if stats.aggregates is not None:
        columns["reported_aggregates"] = _text(sorted(stats.aggregates))
    return columns


def is_older(stored: Mapping[str, Any], stats: HostStats) -> bool:
    """Tell whether a report was made before the one that is stored."""
    known, reported = stored.get("reported_at"), stats.columns.get("reported_at")
    return known is not None and reported is not None and reported < known


def reported_names(columns: Mapping[str, Any], column: str) -> frozenset[str]:
    """Return the names that the host itself reported last: traits or aggregates."""
    text = columns.get(column)
    return frozenset(json.loads(text)) if isinstance(text, str) else frozenset()


def inventories(
    columns: Mapping[str, Any],
    settings: CapacitySettings,
    present: Mapping[str, Inventory],
) -> dict[str, Inventory]:
    """Return what the root has: from the totals, and what reports gave beside or instead.

    A ratio that was reported wins over the configured one, that over the one the inventory has
    already, and that over the initial one.

    :param present: the root's inventories as they are stored.
    :raises InvalidStats: when more is reserved than there is.
    """
    wanted = {}
    explicit = _explicit(columns)
    for name, (total, ratio, reserve) in _DERIVED.items():
        if name in explicit or not columns.get(total):
            continue
        wanted[name] = _derived(
            int(columns[total]),
            _reserved(columns, settings, reserve),
            _ratio(columns, settings, ratio, present.get(name)),
            (total, reserve),
        )
    return {**wanted, **explicit}


def reported_classes(columns: Mapping[str, Any]) -> frozenset[str]:
    """Return the resource classes that a stored row gives its root."""
    derived = {name for name, (total, _, _) in _DERIVED.items() if columns.get(total)}
    return frozenset(derived | _explicit(columns).keys())


def _explicit(columns: Mapping[str, Any]) -> dict[str, Inventory]:
    text = columns.get("reported_inventories")
    if not isinstance(text, str):
        return {}
    return {name: Inventory(**fields) for name, fields in json.loads(text).items()}


def _derived(total: int, reserved: int, ratio: float, fields: tuple[str, str]) -> Inventory:
    if reserved > total:
        raise InvalidStats(
            f"{fields[1]} keeps back {reserved}, which is more than {fields[0]} {total}.",
            field=fields[1],
        )
    return Inventory(total=total, reserved=reserved, max_unit=total, allocation_ratio=ratio)


def _reserved(columns: Mapping[str, Any], settings: CapacitySettings, name: str) -> int:
    reported = columns.get(name)
    reserved = int(getattr(settings, name) if reported is None else reported)
    if name == "reserved_host_disk_mb":
        return -(-reserved // _MB_PER_GB)
    return reserved


def _ratio(
    columns: Mapping[str, Any],
    settings: CapacitySettings,
    name: str,
    present: Inventory | None,
) -> float:
    stored = present.allocation_ratio if present is not None else None
    initial: float = getattr(settings, f"initial_{name}")
    # 0.0 stands for "not set" wherever it comes from.
    return columns.get(name) or getattr(settings, name) or stored or initial


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
