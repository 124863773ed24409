"""Where the app under test may answer in another way than the reference, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.twin.exchange import Request, Response


@dataclass(frozen=True)
class Deviation:
    """One listed difference.

    :ivar reason: what the reference does against its own document.
    :ivar applies: given the request, the reference's answer, the other one, and what they differ
        in, a line each.
    """

    name: str
    reason: str
    applies: Callable[[Request, Response, Response, Sequence[str]], bool]


def _only_details(told: Sequence[str]) -> bool:
    return all(line.startswith("body.errors[].detail:") for line in told)


DEVIATIONS: tuple[Deviation, ...] = (
    Deviation(
        "the reference breaks",
        "The reference answers 500 to what a client sent wrong; a client's mistake is a 4xx.",
        lambda _, expected, found, __: expected.status == 500 and 400 <= found.status < 500,
    ),
    Deviation(
        "SQL in an error's text",
        "The reference lets its database's own words out, with the statement and its values.",
        lambda _, expected, __, told: (
            "[SQL: " in str(expected.error.get("detail")) and _only_details(told)
        ),
    ),
)

MENDED = (
    (
        "a refused claim leaves a consumer",
        "After a claim on an unknown provider (400) the reference keeps the consumer that it made "
        "on the way, and refuses the next claim that says consumer_generation null (409 'expected "
        "0 but got None'); microversion 1.28 says null for a consumer without allocations. The "
        "harness takes such consumers out of the reference after each write.",
    ),
)
"""Faults of the reference that are mended behind its back, so that they hide nothing else."""


def deviation(
    request: Request, expected: Response, found: Response, told: Sequence[str]
) -> Deviation | None:
    """Return the listed difference that explains two answers, if there is one."""
    explains = (item for item in DEVIATIONS if item.applies(request, expected, found, told))
    return next(explains, None)
