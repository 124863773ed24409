"""When several things were last modified."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from scheduler_lib.api.call import Call


class Modified(Protocol):
    """Something that may know when it was last modified."""

    @property
    def modified_at(self) -> float | None:
        """Seconds since 1970 UTC; None where nothing says when."""


def newest(call: Call, records: Iterable[Modified]) -> float:
    """Return when the newest was modified; now where there is none, or one does not know."""
    moments = [record.modified_at for record in records]
    known = [moment for moment in moments if moment is not None]
    return call.moment(max(known) if known and len(known) == len(moments) else None)
