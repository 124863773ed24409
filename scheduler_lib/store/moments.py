"""Moments as drivers give them: seconds since 1970 UTC out of every database's own form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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


def reader() -> Callable[[object], float | None]:
    """Return :func:`seconds` for the values of many rows, of which many are of the same second."""
    known: dict[object, float | None] = {None: None}

    def read(value: object) -> float | None:
        # SQLite's text has the fraction at its end.
        key = value.replace(microsecond=0) if isinstance(value, datetime) else str(value)[:19]
        found = known.get(key)
        if found is None and value is not None:
            found = known[key] = seconds(value)
        return found

    return read


def latest(values: Iterable[object]) -> float | None:
    """Return the latest of several DateTime values; None when there is none."""
    return max((found for value in values if (found := seconds(value)) is not None), default=None)
