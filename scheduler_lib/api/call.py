"""One request, read, and its answer: what handlers take and give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scheduler_lib.model.clock import Deadline

if TYPE_CHECKING:
    from scheduler_lib.api.service import Service

# What a JSON text becomes; its shape is checked by a schema before a handler sees it.
Json = Any

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """One request.

    :ivar service: the books and what reads them.
    :ivar minor: the microversion's minor number.
    :ivar path: the parts of the path that have a name.
    :ivar query: the query string, decoded, in order.
    :ivar body: the body, checked by the operation's schema; None without one.
    :ivar prefix: where the application is mounted; links begin with it.
    """

    service: Service
    minor: int
    deadline: Deadline
    path: Mapping[str, str] = field(default_factory=dict)
    query: Pairs = ()
    body: Json = None
    prefix: str = ""

    def since(self, minor: int) -> bool:
        """Tell whether the request's microversion is at least 1.minor."""
        return self.minor >= minor

    def values(self, key: str) -> list[str]:
        """Return the values of a key of the query string, in order."""
        return [value for name, value in self.query if name == key]

    def value(self, key: str) -> str | None:
        """Return the last value of a key of the query string; None without one."""
        values = self.values(key)
        return values[-1] if values else None

    def moment(self, modified_at: float | None = None) -> float:
        """Return when something was modified, or now where nothing says when."""
        return self.service.clock.now() if modified_at is None else modified_at


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer.

    :ivar body: what becomes JSON; bytes are JSON already; None for no body.
    :ivar modified_at: when that was last modified, seconds since 1970 UTC; None where the answer
        does not say (it is shown from 1.15 on).
    :ivar location: the path of what was created.
    """

    status: int = 200
    body: Json = None
    modified_at: float | None = None
    location: str | None = None


NO_CONTENT = Reply(204)
