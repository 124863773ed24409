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
    :ivar parts: whether the two hold different things after it, so that nothing that follows can be
        compared.
    """

    name: str
    reason: str
    applies: Callable[[Request, Response, Response, Sequence[str]], bool]
    parts: bool = False


def _methods(allow: str | None) -> list[str]:
    return [part.strip() for part in (allow or "").split(",")]


def _only_details(told: Sequence[str]) -> bool:
    return all(line.startswith("body.errors[].detail:") for line in told)


def _detail(response: Response) -> str:
    return str(response.error.get("detail"))


DEVIATIONS: tuple[Deviation, ...] = (
    Deviation(
        "the reference breaks",
        "The reference answers 500: to what a client sent wrong, which is a 4xx, and below 1.29 to "
        "some queries for candidates while there are trees.",
        lambda request, expected, found, _: (
            expected.status == 500
            and found.status < 500
            and (request.method == "GET" or found.status >= 400)
        ),
    ),
    Deviation(
        "an unknown trait is overlooked",
        "The reference stops at the first group that nobody can serve (and lists no providers for "
        "an unknown in_tree), with 200 and nothing, and never looks at the traits of the rest; the "
        "API reference says 400 for unknown traits.",
        lambda request, expected, found, _: (
            (expected.status, found.status) == (200, 400)
            and not any(expected.json.values())
            and request.path in ("/allocation_candidates", "/resource_providers")
            and "No such trait(s)" in _detail(found)
        ),
    ),
    Deviation(
        "SQL in an error's text",
        "The reference lets its database's own words out, with the statement and its values.",
        lambda _, expected, __, told: "[SQL: " in _detail(expected) and _only_details(told),
    ),
    Deviation(
        "no last-modified",
        "The reference leaves the header out where a provider has no inventories, and after a PUT "
        "of a provider that has never been changed; microversion 1.15 says that answers have it.",
        lambda request, expected, _, told: (
            request.path.startswith("/resource_providers/")
            and expected.status == 200
            and not expected.json.get("inventories")
            and "last-modified" not in expected.headers
            and [line.partition(":")[0] for line in told] == ["header last-modified"]
        ),
    ),
    Deviation(
        "several things do not fit",
        "Where several inventories of a claim are missing or too small, the reference tells of all "
        "classes and providers of the claim in one sentence, in no order, or of another one.",
        lambda _, expected, found, told: (
            expected.status == 409
            and _only_details(told)
            and all("Unable to allocate inventory: " in _detail(item) for item in (expected, found))
        ),
    ),
    Deviation(
        "several mistakes in a query",
        "Of several mistakes the reference tells the first one in the order of the query, ours "
        "that of the first group.",
        lambda request, expected, _, told: (
            request.path == "/allocation_candidates"
            and request.query.count("&") > 0
            and expected.status == 400
            and _only_details(told)
        ),
    ),
    Deviation(
        "what was held may stay",
        "The reference refuses an amount that a consumer held all along, once its unit limits have "
        "been tightened, even where the claim only gives back something else.",
        lambda request, expected, found, _: (
            request.path.startswith("/allocations")
            and (expected.status, found.status) == (409, 204)
            and "would violate inventory constraints" in _detail(expected)
        ),
        parts=True,
    ),
    Deviation(
        "more is reserved than there is",
        "The reference refuses that (400), but not in a reshape, and not where the ratio makes "
        "less than a whole unit of what is too much.",
        lambda request, expected, found, _: (
            found.status == 400
            and (expected.status in (200, 201) or request.path == "/reshaper")
            and "The reserved value is greater than total" in _detail(found)
        ),
        parts=True,
    ),
)

TOLERATED_HEADERS: tuple[tuple[str, str, Callable[[str | None, str | None], bool]], ...] = (
    (
        "vary",
        "The reference leaves it out of the errors that its handlers do not raise themselves; the "
        "API guideline on microversions wants it on every answer.",
        lambda expected, found: expected is None and found == "openstack-api-version",
    ),
    (
        "allow",
        "The order of methods means nothing.",
        lambda expected, found: sorted(_methods(expected)) == sorted(_methods(found)),
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


_LIMITS = "Ours has limits on every integer: beyond 64 bits is 400, wherever it stands."
_NOBODY = "An empty token, or one without a user, names nobody."
_UNKNOWN_METHOD = "What is no method at all is 400; only a known one can be not allowed."
_NO_TYPE = "What is no media type asks for nothing: JSON, and no HTML."
_FORM = "Errors are JSON, or HTML for those who ask for it; the reference also has plain text."

BAD_INPUT: tuple[tuple[str, str], ...] = (
    ("numbers: *generation 9223372036854775808", _LIMITS),
    ("numbers: *generation 10000000000000000000", _LIMITS),
    ("numbers: amount 9223372036854775808", _LIMITS),
    ("numbers: amount 10000000000000000000", _LIMITS),
    ("*provider, a zero byte", "PostgreSQL cannot keep a zero byte in a text."),
    ("names: provider 'a\\x00'", "PostgreSQL cannot keep a zero byte in a text."),
    (
        "names: type 'INSTANCE\\n'",
        "A dollar sign of Python's patterns overlooks a newline at the end.",
    ),
    (
        "names: consumer aaaaaaaa*",
        "36 letters are no uuid; the reference looks at their number and kind alone in POST, and "
        "refuses them in PUT.",
    ),
    ("headers: POST, upper case", "Media types are the same in upper case (RFC 9110, 8.3.1)."),
    (
        "headers: Accept 'application/json; v=1' *",
        "Parameters of JSON mean nothing (RFC 8259, 11); the reference does not know it by them.",
    ),
    ("paths: BREW *", _UNKNOWN_METHOD),
    ("paths: get *", _UNKNOWN_METHOD),
    ("queries: *;limit=1", "A semicolon parts no arguments (URL standard, since 2021)."),
    ("headers: Accept ',' *", _NO_TYPE),
    ("headers: empty token", _NOBODY),
    ("headers: odd token", _NOBODY),
)
"""Cases of bad_input.py (a pattern of their names) that may be answered otherwise, and why."""


FORMS: tuple[tuple[str, str], ...] = (
    ("headers: Accept 'text/plain' *", _FORM),
    ("headers: Accept 'application/xml' *", _FORM),
    ("headers: Accept 'application/json;q=0' *", _FORM),
    ("headers: Accept 'nonsense' *", _NO_TYPE),
    ("headers: Accept ';;' *", _NO_TYPE),
    ("headers: no token*", "The reference's 401 is not in the form of all its other errors."),
)
"""Cases whose error may be written otherwise, with the same status."""


def bad_input_deviation(name: str, expected: Response, found: Response) -> str | None:
    """Return why a case may be answered otherwise, if there is a reason.

    :param name: the case's.
    :param expected: the reference's answer.
    """
    if expected.status == 500:
        return "The reference breaks."
    listed = (*BAD_INPUT, *FORMS) if expected.status == found.status else BAD_INPUT
    return next((why for pattern, why in listed if fnmatchcase(name, pattern)), None)
