"""What an operation is: one method of one path, in a range of microversions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from scheduler_lib.api.call import Call, Pairs, Reply
from scheduler_lib.api.validation import Schema
from scheduler_lib.api.versions import LATEST

Handler = Callable[[Call], Reply]
# Schemas by the microversion that brought them.
Versioned = Mapping[int, Schema]


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path.

    :ivar path: with names in braces.
    :ivar summary: one sentence, for the API's document.
    :ivar rule: who may; None for everybody.
    :ivar target: what of the query the rule looks at; None: at the caller alone.
    :ivar since: the first microversion that has it, and `until`, the last one.
    :ivar body: the schemas of its body; None for one that takes none.
    :ivar there: goes on only if what the path names is there; asked when the body is wrong, for
        that it is not there is told first.
    :ivar query: the schemas of its query string; None where it is not looked at.
    :ivar answers: what the statuses mean that it gives when all is well.
    :ivar gives: the schema of what it answers with, for the API's document; None for nothing.
    :ivar gives_json: whether it answers with JSON, so that who does not accept that is refused.
    :ivar absent: the status in microversions that do not have it.
    """

    method: str
    path: str
    handler: Handler
    summary: str
    rule: str | None = None
    target: Callable[[Pairs], Mapping[str, str]] | None = None
    since: int = 0
    until: int = LATEST
    body: Versioned | None = None
    there: Callable[[Call], object] | None = None
    query: Versioned | None = None
    answers: Mapping[int, str] = field(default_factory=lambda: {200: "Done."})
    gives: Mapping[str, object] | None = None
    gives_json: bool = True
    absent: int = 404

    def covers(self, minor: int) -> bool:
        """Tell whether a microversion has it."""
        return self.since <= minor <= self.until


def at(schemas: Versioned, minor: int) -> Schema:
    """Return the schema that holds at a microversion."""
    return schemas[max(since for since in schemas if since <= minor)]


def by_path(operations: Iterable[Operation]) -> dict[str, dict[str, list[Operation]]]:
    """Return operations by path and method."""
    paths: dict[str, dict[str, list[Operation]]] = {}
    for operation in operations:
        methods = paths.setdefault(operation.path, {})
        methods.setdefault(operation.method, []).append(operation)
    return paths
