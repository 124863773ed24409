"""Where the app under test may answer in another way than the reference, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

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
        "an unknown trait is overlooked",
        "The reference stops at the first group that nobody can serve, with 200 and nothing, and "
        "never looks at the traits of the others; the API reference says 400 for unknown traits.",
        lambda request, expected, found, _: (
            request.path == "/allocation_candidates"
            and (expected.status, found.status) == (200, 400)
            and expected.json == {"allocation_requests": [], "provider_summaries": {}}
            and "No such trait(s)" in str(found.error.get("detail"))
        ),
    ),
    Deviation(
        "SQL in an error's text",
        "The reference lets its database's own words out, with the statement and its values.",
        lambda _, expected, __, told: (
            "[SQL: " in str(expected.error.get("detail")) and _only_details(told)
        ),
    ),
)

TOLERATED_HEADERS = (
    (
        "vary",
        "The reference leaves it out of the errors that its handlers do not raise themselves; the "
        "API guideline on microversions wants it on every answer.",
        lambda expected, found: expected is None and found == "openstack-api-version",
    ),
    (
        "content-length",
        "The reference sends Content-Length: 0 with 204, which RFC 9110 (8.6) forbids.",
        lambda expected, found: expected == "0" and found is None,
    ),
)
"""Name of the header, why it may differ, and whether two values (None: not sent) may."""

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


BAD_INPUT: tuple[tuple[str, str], ...] = ()
"""Cases of bad_input.py (a pattern of their names) that may be answered otherwise, and why."""


def bad_input_deviation(name: str, expected: Response, found: Response) -> str | None:
    """Return why a case may be answered otherwise, if there is a reason.

    :param name: the case's.
    """
    if expected.status == 500 and 400 <= found.status < 500:
        return "the reference breaks"
    return next((why for pattern, why in BAD_INPUT if fnmatchcase(name, pattern)), None)
