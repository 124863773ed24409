"""Moments as drivers give them: seconds since 1970 UTC out of every database's own form."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime


def seconds(value: object) -> float | None:
    """Return a DateTime column's value in whole seconds since 1970 UTC; None for NULL.

    One of the databases keeps no fractions; so that all say the same, they are left out.

    :param value: a datetime without a zone, or the text that SQLite keeps.
    """
    if value is None:
        return None
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return moment.replace(microsecond=0, tzinfo=UTC).timestamp()


def latest(values: Iterable[object]) -> float | None:
    """Return the latest of several DateTime values; None when there is none."""
    return max((found for value in values if (found := seconds(value)) is not None), default=None)
