"""Inventories, and the arithmetic of capacity that candidates, claims and reports share."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

from scheduler_lib.exceptions import InvalidInput, InvalidStats
from scheduler_lib.model.naming import checked_symbol, key_text, shortened

MAX_UNITS = 2**31 - 1
MAX_CAPACITY = 2**62
_FIELDS = ("total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio")


def capacity(total: int, reserved: int, allocation_ratio: float) -> int:
    """Return floor((total - reserved) x allocation_ratio), in whole units.

    The ratio is taken as the decimal that was written, so 10 x 1.1 is 11 and 3 x 0.1 is 0, with no
    trace of binary fractions (Placement API, inventories).
    """
    if allocation_ratio == 1.0:
        return max(total - reserved, 0)
    exact = (total - reserved) * Decimal(repr(float(allocation_ratio)))
    return min(max(int(exact.to_integral_value(ROUND_FLOOR)), 0), MAX_CAPACITY)


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a provider has of one resource class, in whole units.

    :ivar total: units there are, 1 to 2**31 - 1.
    :ivar reserved: units kept back, 0 to total.
    :ivar min_unit: the least one consumer may ask.
    :ivar max_unit: the most one consumer may ask.
    :ivar step_size: what is asked must be a multiple of this.
    :ivar allocation_ratio: how often the units may be sold.
    :raises InvalidStats: when a field is out of its bounds.
    """

    total: int
    reserved: int = 0
    min_unit: int = 1
    max_unit: int = MAX_UNITS
    step_size: int = 1
    allocation_ratio: float = 1.0

    def __post_init__(self) -> None:
        for name in ("total", "min_unit", "max_unit", "step_size"):
            checked_units(getattr(self, name), name, InvalidStats, least=1)
        checked_units(self.reserved, "reserved", InvalidStats)
        if self.reserved > self.total:
            raise InvalidStats(
                f"reserved {self.reserved} is more than total {self.total}.", field="reserved"
            )
        checked_ratio(self.allocation_ratio, "allocation_ratio", InvalidStats)

    @property
    def capacity(self) -> int:
        """Units that may be allocated in all."""
        return capacity(self.total, self.reserved, self.allocation_ratio)

    def allows(self, amount: int) -> bool:
        """Tell whether one consumer may ask this amount: min_unit, max_unit, step_size."""
        return self.min_unit <= amount <= self.max_unit and amount % self.step_size == 0

    @classmethod
    def parse(cls, value: object, field: str) -> Inventory:
        """Read a mapping with `total` and any of the other fields.

        :raises InvalidStats: naming the field.
        """
        if isinstance(value, Inventory):
            return value
        if not isinstance(value, Mapping):
            raise InvalidStats(f"{field} must be a mapping, not {shortened(value)}.", field=field)
        unknown = sorted(key_text(key) for key in value if key not in _FIELDS)
        if unknown:
            raise InvalidStats(
                f"{field} has no field {shortened(unknown[0])}.",
                field=f"{field}.{unknown[0]}"[:300],
            )
        if "total" not in value:
            raise InvalidStats(f"{field} lacks 'total'.", field=f"{field}.total")
        try:
            return cls(**value)
        except InvalidStats as error:
            inner = error.fields.get("field", "")
            raise InvalidStats(f"{field}: {error.message}", field=f"{field}.{inner}") from error


def parse_inventories(value: object, field: str) -> dict[str, Inventory]:
    """Read a mapping of resource class to inventory.

    :raises InvalidStats: naming the class and the field.
    """
    if not isinstance(value, Mapping):
        raise InvalidStats(f"{field} must be a mapping, not {shortened(value)}.", field=field)
    return {
        checked_symbol(name, field, InvalidStats): Inventory.parse(item, f"{field}.{name}")
        for name, item in value.items()
    }


def checked_units(
    value: object, field: str, error: type[InvalidInput], *, least: int = 0, most: int = MAX_UNITS
) -> int:
    """Return a whole number of units; 1.5, "1", true and numbers out of bounds are errors.

    :raises InvalidInput: (as the given class) naming the field.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise error(f"{field} must be a whole number, not {shortened(value)}.", field=field)
    if not least <= value <= most:
        raise error(f"{field} must be from {least} to {most}, not {shortened(value)}.", field=field)
    return value


def checked_ratio(value: object, field: str, error: type[InvalidInput]) -> float:
    """Return an allocation ratio: a finite number that is not negative.

    :raises InvalidInput: (as the given class) naming the field.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise error(f"{field} must be a number, not {shortened(value)}.", field=field)
    if not 0 <= value <= sys.float_info.max:
        raise error(
            f"{field} must be finite and not negative, not {shortened(value)}.", field=field
        )
    return float(value)
