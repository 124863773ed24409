"""What a caller asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.inventory import checked_units
from scheduler_lib.model.naming import (
    ResourceName,
    checked_name,
    checked_symbol,
    checked_uuid,
    key_text,
    shortened,
)

UNSUFFIXED = ""
GROUP_POLICIES = ("none", "isolate")
MAX_INSTANCES = 100_000

_NAME_LISTS = (
    "force_hosts", "force_nodes", "requested_hosts", "requested_nodes", "ignore_hosts",
)  # fmt: skip
_SUFFIX = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


@dataclass(frozen=True, slots=True)
class ResourceGroup:
    """Resources that belong together, and what their providers must be.

    In the unsuffixed group each class may come from another provider of one tree, or from one that
    shares with it, and these together must have the traits; a suffixed group is served by one
    provider that has everything itself (Placement API, granular requests).

    :ivar resources: resource class to amount, in whole units; zeros are left out.
    :ivar required: traits that must be there.
    :ivar any_of: sets of traits; of each at least one must be there.
    :ivar forbidden: traits that must not be there.
    :ivar member_of: sets of aggregate uuids; of each at least one must be there.
    :ivar forbidden_aggregates: aggregate uuids that must not be there.
    :ivar in_tree: a provider uuid; serve the group from its tree.
    :raises InvalidRequest: naming the field.
    """

    resources: Mapping[str, int] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    any_of: tuple[frozenset[str], ...] = ()
    forbidden: frozenset[str] = frozenset()
    member_of: tuple[frozenset[str], ...] = ()
    forbidden_aggregates: frozenset[str] = frozenset()
    in_tree: str | None = None

    def __post_init__(self) -> None:
        _set(self, "resources", _checked_resources(self.resources))
        _set(self, "required", _symbols(self.required, "required"))
        _set(self, "forbidden", _symbols(self.forbidden, "forbidden"))
        _set(self, "any_of", _each(self.any_of, "any_of", _symbols))
        _set(self, "member_of", _each(self.member_of, "member_of", _uuids))
        excluded = _uuids(self.forbidden_aggregates, "forbidden_aggregates")
        _set(self, "forbidden_aggregates", excluded)
        if self.in_tree is not None:
            _set(self, "in_tree", checked_uuid(self.in_tree, "in_tree", InvalidRequest))
        self._check_contradictions()

    def _check_contradictions(self) -> None:
        both = sorted(self.required & self.forbidden)
        if both:
            raise InvalidRequest(
                f"Trait {both[0]} is both required and forbidden.", field="required", trait=both[0]
            )
        for choice in self.any_of:
            if not choice - self.forbidden:
                raise InvalidRequest(
                    f"Every trait of {sorted(choice)} is forbidden.", field="any_of"
                )


@dataclass(frozen=True, slots=True)
class Request:
    """One request for destinations, whole.

    :ivar groups: resource groups by suffix; the unsuffixed one has the suffix ``""``.
    :ivar group_policy: ``isolate`` (each suffixed group on another provider) or ``none``.
    :ivar consumers: uuids of the instances, one destination each, in order.
    :ivar project_id: who the allocations are booked on.
    :ivar user_id: who the allocations are booked on.
    :ivar consumer_type: the kind of consumer, as Placement writes it.
    :ivar availability_zone: the zone to stay in; None for any.
    :ivar aggregates: sets of aggregate uuids; the host must be in one of each.
    :ivar forbidden_aggregates: aggregate uuids the host must not be in.
    :ivar force_hosts: host names (case ignored) to choose among, skipping the filters.
    :ivar force_nodes: node names (exact) to choose among, skipping the filters.
    :ivar requested_hosts: host names (exact) to choose among; the filters still run.
    :ivar requested_nodes: node names (exact) to choose among; the filters still run.
    :ivar ignore_hosts: host names (case ignored) to leave out.
    :ivar retry_hosts: hosts that were tried and failed.
    :ivar root_required: traits the tree's root must have.
    :ivar root_forbidden: traits the tree's root must not have.
    :ivar same_subtree: sets of suffixes whose providers must lie under one of them.
    :ivar limit: how many candidates to look at, at most; None for all.
    :ivar alternates: how many next-best hosts to name for each destination; None as configured.
    :ivar hints: further wishes, for filters that know them.
    :raises InvalidRequest: naming the field.
    """

    groups: Mapping[str, ResourceGroup]
    consumers: tuple[str, ...]
    group_policy: str = "none"
    project_id: str | None = None
    user_id: str | None = None
    consumer_type: str = "INSTANCE"
    availability_zone: str | None = None
    aggregates: tuple[frozenset[str], ...] = ()
    forbidden_aggregates: frozenset[str] = frozenset()
    force_hosts: tuple[str, ...] = ()
    force_nodes: tuple[str, ...] = ()
    requested_hosts: tuple[str, ...] = ()
    requested_nodes: tuple[str, ...] = ()
    ignore_hosts: tuple[str, ...] = ()
    retry_hosts: tuple[ResourceName, ...] = ()
    root_required: frozenset[str] = frozenset()
    root_forbidden: frozenset[str] = frozenset()
    same_subtree: tuple[frozenset[str], ...] = ()
    limit: int | None = None
    alternates: int | None = None
    hints: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _set(self, "groups", _checked_groups(self.groups))
        _set(self, "consumers", _checked_consumers(self.consumers))
        if self.group_policy not in GROUP_POLICIES:
            raise InvalidRequest(
                f"group_policy must be one of {GROUP_POLICIES}, not "
                f"{shortened(self.group_policy)}.",
                field="group_policy",
            )
        self._check_names()
        _set(self, "aggregates", _each(self.aggregates, "aggregates", _uuids))
        excluded = _uuids(self.forbidden_aggregates, "forbidden_aggregates")
        _set(self, "forbidden_aggregates", excluded)
        _set(self, "root_required", _symbols(self.root_required, "root_required"))
        _set(self, "root_forbidden", _symbols(self.root_forbidden, "root_forbidden"))
        self._check_same_subtree()
        _set(self, "hints", _checked_hints(self.hints))
        if self.limit is not None:
            checked_units(self.limit, "limit", InvalidRequest, least=1)
        if self.alternates is not None:
            checked_units(self.alternates, "alternates", InvalidRequest)

    def _check_names(self) -> None:
        for name in _NAME_LISTS:
            _set(self, name, _names(getattr(self, name), name))
        hosts = _sequence(self.retry_hosts, "retry_hosts")
        _set(self, "retry_hosts", tuple(ResourceName.parse(item) for item in hosts))
        for name in ("availability_zone", "project_id", "user_id"):
            if getattr(self, name) is not None:
                checked_name(getattr(self, name), name, InvalidRequest)
        checked_symbol(self.consumer_type, "consumer_type", InvalidRequest)

    def _check_same_subtree(self) -> None:
        _set(self, "same_subtree", _each(self.same_subtree, "same_subtree", _suffixes))
        for suffixes in self.same_subtree:
            missing = sorted(suffixes - set(self.groups))
            if missing or UNSUFFIXED in suffixes:
                raise InvalidRequest(
                    f"same_subtree names no suffixed group {shortened((missing or [''])[0])}.",
                    field="same_subtree",
                )

    @classmethod
    def build(
        cls,
        resources: Mapping[str, int],
        *,
        consumers: Iterable[str],
        required: Iterable[str] = (),
        forbidden: Iterable[str] = (),
        **rest: object,
    ) -> Request:
        """Return a request of one unsuffixed group.

        :param resources: resource class to amount, in whole units.
        :param consumers: uuids of the instances, one destination each.
        :param required: traits that must be there.
        :param forbidden: traits that must not be there.
        :param rest: further fields of :class:`Request`.
        :raises InvalidRequest: naming the field.
        """
        group = ResourceGroup(
            resources=resources, required=frozenset(required), forbidden=frozenset(forbidden)
        )
        return cls(groups={UNSUFFIXED: group}, consumers=tuple(consumers), **rest)  # type: ignore[arg-type]


def _set(target: object, name: str, value: object) -> None:
    # A frozen value may set itself while it is being made.
    object.__setattr__(target, name, value)


def _checked_resources(resources: object) -> dict[str, int]:
    if not isinstance(resources, Mapping):
        raise InvalidRequest(
            f"resources must be a mapping, not {shortened(resources)}.", field="resources"
        )
    checked = {
        checked_symbol(name, "resources", InvalidRequest): checked_units(
            amount, f"resources.{name}", InvalidRequest
        )
        for name, amount in resources.items()
    }
    return {name: amount for name, amount in sorted(checked.items()) if amount}


def _checked_groups(groups: object) -> dict[str, ResourceGroup]:
    if not isinstance(groups, Mapping):
        raise InvalidRequest(f"groups must be a mapping, not {shortened(groups)}.", field="groups")
    for suffix, group in groups.items():
        if not isinstance(group, ResourceGroup):
            raise InvalidRequest(
                f"groups.{key_text(suffix)} must be a ResourceGroup, not {shortened(group)}.",
                field="groups",
            )
        if suffix != UNSUFFIXED and not (isinstance(suffix, str) and _SUFFIX.match(suffix)):
            raise InvalidRequest(f"{shortened(suffix)} is not a group's suffix.", field="groups")
    if not any(group.resources for group in groups.values()):
        raise InvalidRequest("The request asks for no resources.", field="resources")
    return dict(groups)


def _checked_consumers(consumers: object) -> tuple[str, ...]:
    items = _sequence(consumers, "consumers")
    if not 1 <= len(items) <= MAX_INSTANCES:
        raise InvalidRequest(
            f"A request is for 1 to {MAX_INSTANCES} instances, not {len(items)}.",
            field="consumers",
        )
    checked = tuple(checked_uuid(item, "consumers", InvalidRequest) for item in items)
    if len(set(checked)) < len(checked):
        raise InvalidRequest("consumers names one instance twice.", field="consumers")
    return checked


def _checked_hints(hints: object) -> dict[str, object]:
    if hints is None:
        return {}
    if not isinstance(hints, Mapping):
        raise InvalidRequest(f"hints must be a mapping, not {shortened(hints)}.", field="hints")
    for name in hints:
        if not isinstance(name, str):
            raise InvalidRequest(f"hints: {shortened(name)} is no name.", field="hints")
    return dict(hints)


def _sequence(value: object, name: str) -> tuple[object, ...]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidRequest(f"{name} must be a list, not {shortened(value)}.", field=name)
    return tuple(value)


def _each(
    value: object, name: str, parse: Callable[[object, str], frozenset[str]]
) -> tuple[frozenset[str], ...]:
    return tuple(parse(item, name) for item in _sequence(value, name))


def _suffixes(value: object, name: str) -> frozenset[str]:
    items = _sequence(value, name)
    for item in items:
        if not isinstance(item, str):
            raise InvalidRequest(f"{name}: {shortened(item)} is not a group's suffix.", field=name)
    return frozenset(str(item) for item in items)


def _symbols(value: object, name: str) -> frozenset[str]:
    items = _sequence(value, name)
    return frozenset(checked_symbol(item, name, InvalidRequest) for item in items)


def _uuids(value: object, name: str) -> frozenset[str]:
    items = _sequence(value, name)
    return frozenset(checked_uuid(item, name, InvalidRequest) for item in items)


def _names(value: object, name: str) -> tuple[str, ...]:
    return tuple(checked_name(item, name, InvalidRequest) for item in _sequence(value, name))
