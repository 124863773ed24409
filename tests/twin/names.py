"""The few names that random work is about: few, so that operations meet each other."""

from __future__ import annotations

from uuid import NAMESPACE_DNS, uuid5


def named_uuid(name: str) -> str:
    """Return the uuid that always goes with a name."""
    return str(uuid5(NAMESPACE_DNS, f"{name}.twin.invalid"))


PROVIDERS = tuple(named_uuid(f"provider{number}") for number in range(9))
AGGREGATES = tuple(named_uuid(f"aggregate{number}") for number in range(3))
CONSUMERS = tuple(named_uuid(f"consumer{number}") for number in range(5))
NOBODY = named_uuid("nobody")

SHARES = "MISC_SHARES_VIA_AGGREGATE"
STANDARD_TRAITS = ("HW_CPU_X86_AVX2", "HW_NUMA_ROOT", SHARES)
CUSTOM_TRAITS = ("CUSTOM_GOLD", "CUSTOM_RED")
TRAITS = STANDARD_TRAITS + CUSTOM_TRAITS
UNKNOWN_TRAIT = "CUSTOM_UNHEARD_OF"

STANDARD_CLASSES = ("VCPU", "MEMORY_MB", "DISK_GB")
CUSTOM_CLASSES = ("CUSTOM_GPU", "CUSTOM_MAGIC")
CLASSES = STANDARD_CLASSES + CUSTOM_CLASSES
UNKNOWN_CLASS = "CUSTOM_UNKNOWN"

PROJECTS = ("project1", "project2")
USERS = ("user1", "user2")
CONSUMER_TYPES = ("INSTANCE", "MIGRATION")
SUFFIXES = ("1", "2", "3")

VERSIONS = tuple(f"1.{minor}" for minor in range(40))


def minor(version: str) -> int:
    """Return the part after the dot."""
    return int(version.partition(".")[2])


def provider_name(uuid: str) -> str:
    """Return the name that a provider is made with."""
    return f"p{PROVIDERS.index(uuid)}" if uuid in PROVIDERS else "nobody"
