"""Ratios and reserves in ``[DEFAULT]``, under Nova's names: how totals become inventories."""

from __future__ import annotations

from oslo_config import cfg

from scheduler_lib.conf.groups import DEFAULT, Options
from scheduler_lib.model.settings import CapacitySettings

_KINDS = (
    ("cpu", "VCPU", 4.0),
    ("ram", "MEMORY_MB", 1.0),
    ("disk", "DISK_GB", 1.0),
)


def _ratio(kind: str, resource_class: str) -> cfg.Opt:
    return cfg.FloatOpt(
        f"{kind}_allocation_ratio",
        min=0.0,
        help=f"""
How often each unit of {resource_class} may be sold on hosts whose report names no ratio.

Possible values: unset (``initial_{kind}_allocation_ratio`` is used), or a number that is not
negative; 0.0 stands for unset.
""",
    )


def _initial(kind: str, resource_class: str, ratio: float) -> cfg.Opt:
    return cfg.FloatOpt(
        f"initial_{kind}_allocation_ratio",
        default=ratio,
        min=0.0,
        help=f"""
The ratio of {resource_class} where neither the host's report nor ``{kind}_allocation_ratio``
names one. Possible values: a number that is not negative.
""",
    )


def _reserve(name: str, resource_class: str, unit: str) -> cfg.Opt:
    return cfg.IntOpt(
        name,
        default=0,
        min=0,
        max=2**31 - 1,
        help=f"""
What is taken off {resource_class} of hosts whose report names no reserve, before the ratio is
applied. Unit: {unit}, at least 0.
""",
    )


OPTIONS: Options = {
    DEFAULT: (
        *(_ratio(kind, resource_class) for kind, resource_class, _ in _KINDS),
        *(_initial(kind, resource_class, ratio) for kind, resource_class, ratio in _KINDS),
        _reserve("reserved_host_cpus", "VCPU", "CPUs"),
        _reserve("reserved_host_memory_mb", "MEMORY_MB", "MiB"),
        _reserve("reserved_host_disk_mb", "DISK_GB", "MiB, rounded up to whole GiB"),
    ),
}


def settings(conf: cfg.ConfigOpts) -> CapacitySettings:
    """Return how reported totals become inventories, as a plain value.

    :param conf: options made by :func:`scheduler_lib.conf.load`.
    """
    return CapacitySettings(
        # Nova writes 0.0 for "not set" (its bug 1789654).
        cpu_allocation_ratio=conf.cpu_allocation_ratio or None,
        ram_allocation_ratio=conf.ram_allocation_ratio or None,
        disk_allocation_ratio=conf.disk_allocation_ratio or None,
        initial_cpu_allocation_ratio=conf.initial_cpu_allocation_ratio,
        initial_ram_allocation_ratio=conf.initial_ram_allocation_ratio,
        initial_disk_allocation_ratio=conf.initial_disk_allocation_ratio,
        reserved_host_cpus=conf.reserved_host_cpus,
        reserved_host_memory_mb=conf.reserved_host_memory_mb,
        reserved_host_disk_mb=conf.reserved_host_disk_mb,
    )
