"""Microversions: what each brought, and which one a request asks for.

A microversion 1.N is written as its minor number N throughout this room.
"""

from __future__ import annotations

from scheduler_lib.api.errors import ApiError

SERVICE = "placement"
HEADER = "openstack-api-version"

# What is new in 1.0, 1.1, ... (Placement API, REST API version history).
HISTORY = (
    "Providers, inventories, usages and allocations.",
    "Aggregates of a provider.",
    "Resource classes of one's own.",
    "Providers by aggregate: ``member_of``.",
    "Providers by what they can give: ``resources``.",
    "All inventories of a provider deleted at once.",
    "Traits, and the traits of a provider.",
    "PUT of a resource class creates it, or finds that it is there.",
    "Allocations name their project and their user.",
    "Usages of a project.",
    "Allocation candidates.",
    "Providers link to their allocations.",
    "Allocations as a mapping by provider, in both directions and in candidates.",
    "Allocations of several consumers in one request.",
    "Trees of providers: parent, root and ``in_tree``.",
    "When an answer was last modified, and that it must not be cached.",
    "Candidates up to a ``limit``.",
    "Candidates by trait: ``required``; summaries show traits.",
    "Providers by trait: ``required``.",
    "Aggregates are written under the provider's generation.",
    "A provider that is created comes back in the answer.",
    "Candidates by aggregate: ``member_of``.",
    "Forbidden traits: ``!``.",
    "Errors have a ``code``.",
    "``member_of`` several times.",
    "Granular request groups, numbered, and ``group_policy``.",
    "An inventory may be reserved as a whole.",
    "Summaries show every resource class.",
    "Consumers have generations.",
    "Candidates across the providers of a tree; summaries show parent and root.",
    "Inventories and allocations changed together: the reshaper.",
    "Candidates of one tree: ``in_tree``.",
    "Forbidden aggregates: ``!`` and ``!in:``.",
    "Request groups have names.",
    "Candidates map groups to providers: ``mappings``.",
    "``root_required``.",
    "``same_subtree``, and groups without resources.",
    "Providers change their parent, or lose it.",
    "Consumers have types.",
    "One trait of several: ``required=in:``, also several times.",
)
LATEST = len(HISTORY) - 1
MINIMUM_TEXT, MAXIMUM_TEXT = "1.0", f"1.{LATEST}"
_BY_TEXT = {f"1.{minor}": minor for minor in range(LATEST + 1)} | {"latest": LATEST}


def text(minor: int) -> str:
    """Return a microversion as it is written: ``1.N``."""
    return f"1.{minor}"


def asked(header: str | None) -> int:
    """Return the minor number of the microversion that a request asks for; 0 without a header.

    :param header: the value of ``OpenStack-API-Version``; values for other services are passed
        over, and of several for this one the last counts.
    :raises ApiError: 400 for what is no version, 406 for one that there is not.
    """
    wanted = _of_this_service(header) if header else None
    if wanted is None:
        return 0
    minor = _BY_TEXT.get(wanted)
    return _spelled_otherwise(wanted) if minor is None else minor


def _of_this_service(header: str) -> str | None:
    for value in reversed(header.split(",")):
        service, _, version = value.strip().partition(" ")
        if service.lower() == SERVICE and version.strip():
            return version.strip()
    return None


def _spelled_otherwise(wanted: str) -> int:
    """Return what a number like 01.010 means."""
    major, _, rest = wanted.partition(".")
    try:
        found = f"{int(major)}.{int(rest)}"
    except ValueError:
        told = f"Invalid microversion: invalid version string: {wanted}"
        raise ApiError(400, told) from None
    if found not in _BY_TEXT:
        told = f"Invalid microversion: Unacceptable version header: {wanted}"
        raise ApiError(406, told, names_versions=True)
    return _BY_TEXT[found]
