"""What a query for candidates asks for: groups of resources, and what holds for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from scheduler_lib.api import querystring
from scheduler_lib.api.call import Call, Pairs
from scheduler_lib.api.errors import BAD_VALUE, DUPLICATE_KEY, MISSING_VALUE, BadRequest
from scheduler_lib.api.querystring import Aggregates, Names, Traits
from scheduler_lib.model.inventory import MAX_UNITS
from scheduler_lib.model.request import GROUP_POLICIES, UNSUFFIXED, ResourceGroup

_KEY = re.compile(r"(resources|required|member_of|in_tree)([a-zA-Z0-9_-]{0,64})\Z")
_SUBTREES_SINCE = 36
_FORBIDDEN_SINCE = 22

Values = Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """One query for candidates.

    :ivar groups: resource groups by suffix; ``""`` is the unsuffixed one.
    :ivar limit: how many candidates, at most; None for all.
    :ivar group_policy: ``isolate`` or ``none``.
    :ivar root_required: traits the tree's root must have.
    :ivar root_forbidden: traits the tree's root must not have.
    :ivar same_subtree: sets of suffixes whose providers must lie under one of them.
    :ivar beyond: whether it asks for more than any inventory can give to one consumer; the groups
        then ask for less, and nobody must be looked for.
    """

    groups: Mapping[str, ResourceGroup]
    limit: int | None = None
    group_policy: str = "none"
    root_required: Names = frozenset()
    root_forbidden: Names = frozenset()
    same_subtree: tuple[Names, ...] = ()
    beyond: bool = False

    @property
    def classes(self) -> Names:
        """The resource classes that are asked for."""
        return frozenset(name for group in self.groups.values() for name in group.resources)


@dataclass(slots=True)
class _Group:
    """One group as it was written: names may be those of nothing."""

    resources: Mapping[str, int] = field(default_factory=dict)
    traits: Traits = field(default_factory=Traits)
    aggregates: Aggregates = field(default_factory=Aggregates)
    in_tree: str | None = None

    def conflicts(self) -> Iterator[Names]:
        """Give the sets of traits of which one must be there and none may."""
        wanted = *(frozenset((name,)) for name in sorted(self.traits.required)), *self.traits.any_of
        return (names for names in wanted if names <= self.traits.forbidden)

    def as_group(self) -> ResourceGroup:
        return ResourceGroup(
            resources={name: min(amount, MAX_UNITS) for name, amount in self.resources.items()},
            required=self.traits.required,
            any_of=self.traits.any_of,
            forbidden=self.traits.forbidden,
            member_of=self.aggregates.member_of,
            forbidden_aggregates=self.aggregates.forbidden,
            in_tree=self.in_tree,
        )


def read(call: Call) -> CandidateQuery:
    """Return what a call for candidates asks for.

    :param call: its query has passed the schema.
    :raises ApiError: 400, also for classes and traits that there are not.
    """
    values = querystring.repeated(call.query)
    wide = _wide(values)
    groups = _groups(call.query, call.minor)
    _check_groups(groups, wide.same_subtree, call.minor)
    if "group_policy" not in values and len(groups.keys() - {UNSUFFIXED}) > 1:
        raise BadRequest(
            'The "group_policy" parameter is required when specifying more than one "resources{N}" '
            "parameter."
        )
    _check_names(call, groups.values(), wide)
    amounts = (amount for group in groups.values() for amount in group.resources.values())
    return replace(
        wide,
        groups={suffix: group.as_group() for suffix, group in groups.items()},
        beyond=any(amount > MAX_UNITS for amount in amounts),
    )


def _wide(values: Values) -> CandidateQuery:
    """Return what holds for all groups."""
    required, forbidden = _root_traits(values.get("root_required", []))
    limits = values.get("limit")
    return CandidateQuery(
        groups={},
        limit=_limit(limits[0]) if limits else None,
        group_policy=_policy(values.get("group_policy", ["none"])[0]),
        root_required=required,
        root_forbidden=forbidden,
        same_subtree=tuple(map(_subtree, values.get("same_subtree", ()))),
    )


def _limit(text: str) -> int:
    try:
        limit = int(text)
    except ValueError:
        limit = 0
    if limit < 1:
        raise BadRequest(
            "Invalid query string parameters: limit must be a positive integer of at most 4300 "
            "digits."
        )
    return limit


def _policy(text: str) -> str:
    if text not in GROUP_POLICIES:
        raise BadRequest(
            f"Invalid query string parameters: {text!r} is not one of {list(GROUP_POLICIES)}"
        )
    return text


def _root_traits(values: list[str]) -> tuple[Names, Names]:
    if not values:
        return frozenset(), frozenset()
    if len(values) > 1:
        raise BadRequest(
            "Query parameter 'root_required' may be specified only once.", DUPLICATE_KEY
        )
    if values[0].startswith("in:"):
        raise BadRequest(
            "Invalid query string parameters: root_required does not take the form "
            f"in:HW_CPU_X86_VMX,CUSTOM_MAGIC. Got: {values[0]}"
        )
    required, forbidden = querystring.plain_traits(values[0], forbid=True)
    if both := required & forbidden:
        raise BadRequest(
            "Conflicting required and forbidden traits found in root_required: "
            f"{', '.join(sorted(both))}",
            BAD_VALUE,
        )
    return required, forbidden


def _subtree(value: str) -> Names:
    suffixes = frozenset(part.strip() for part in value.split(","))
    if UNSUFFIXED in suffixes:
        raise BadRequest(
            "Empty string (unsuffixed group) can not be specified in `same_subtree`", BAD_VALUE
        )
    return suffixes


def _groups(query: Pairs, minor: int) -> dict[str, _Group]:
    """Return the groups by suffix, in the order they are first named."""
    by_suffix: dict[str, dict[str, list[str]]] = {}
    for key, value in query:
        match = _KEY.match(key)
        if match is not None:
            kind, suffix = match.groups()
            by_suffix.setdefault(suffix, {}).setdefault(kind, []).append(value)
    return {suffix: _group(values, minor, suffix) for suffix, values in by_suffix.items()}


def _group(values: Values, minor: int, suffix: str) -> _Group:
    group = _Group()
    # Of several values the last one counts, but all must be right.
    for text in values.get("resources", ()):
        group.resources = querystring.resources(text)
    for text in values.get("in_tree", ()):
        group.in_tree = querystring.in_tree(text)
    if traits := values.get("required"):
        group.traits = querystring.traits(traits, minor)
    if aggregates := values.get("member_of"):
        group.aggregates = querystring.aggregates(aggregates, minor, suffix)
    return group


def _check_groups(
    groups: Mapping[str, _Group], same_subtree: tuple[Names, ...], minor: int
) -> None:
    if minor >= _SUBTREES_SINCE:
        _check_subtrees(groups, same_subtree)
    else:
        _check_complete(groups)
    if minor >= _FORBIDDEN_SINCE:
        _check_conflicts(groups)


def _check_subtrees(groups: Mapping[str, _Group], same_subtree: tuple[Names, ...]) -> None:
    if not any(group.resources for group in groups.values()):
        raise BadRequest(
            "There must be at least one resources or resources[$S] parameter.", MISSING_VALUE
        )
    named = frozenset[str]().union(*same_subtree)
    empty = [suffix for suffix, group in groups.items() if not group.resources]
    if bad := [suffix for suffix in empty if suffix not in named]:
        raise BadRequest(
            "Resourceless suffixed group request should be specified in `same_subtree` query "
            f"param: bad group(s) - {bad}.",
            BAD_VALUE,
        )
    if absent := sorted(named - groups.keys()):
        raise BadRequest(
            f"Real suffixes should be specified in `same_subtree`: {absent} not found in "
            f"{list(groups)}.",
            BAD_VALUE,
        )


def _check_complete(groups: Mapping[str, _Group]) -> None:
    """Go on only if every group asks for resources."""
    empty = {suffix: group for suffix, group in groups.items() if not group.resources}
    traits = [f"required{s}" for s, g in empty.items() if g.traits.required or g.traits.any_of]
    if traits:
        raise BadRequest(
            "All traits parameters must be associated with resources.  Found the following "
            f"orphaned traits keys: {', '.join(traits)}"
        )
    aggregates = [f"member_of{s}" for s, g in empty.items() if g.aggregates != Aggregates()]
    if aggregates:
        raise BadRequest(
            "All member_of parameters must be associated with resources. Found the following "
            f"orphaned member_of keys: {', '.join(aggregates)}"
        )
    if empty:
        raise BadRequest("All request groups must specify resources.")
    if not groups:
        raise BadRequest("At least one request group (`resources` or `resources{$S}`) is required.")


def _check_conflicts(groups: Mapping[str, _Group]) -> None:
    found = [
        f"required{suffix}: ({', '.join(sorted(names))})"
        for suffix, group in groups.items()
        for names in group.conflicts()
    ]
    if found:
        raise BadRequest(
            "Conflicting required and forbidden traits found in the following traits keys: "
            f"{', '.join(sorted(found))}"
        )


def _check_names(call: Call, groups: Iterable[_Group], wide: CandidateQuery) -> None:
    classes: set[str] = set()
    traits = set(wide.root_required | wide.root_forbidden)
    for group in groups:
        classes.update(group.resources)
        traits |= group.traits.names()
    querystring.check_classes(call, classes)
    querystring.check_traits(call, traits)
