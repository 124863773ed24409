"""Values of query strings that several lists take: resources, traits, aggregates, trees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from scheduler_lib.api.call import Call
from scheduler_lib.api.errors import BadRequest
from scheduler_lib.api.validation import is_uuid_like
from scheduler_lib.model.clock import Deadline

Names = frozenset[str]

# What cannot be the name of a class or a trait is not looked for.
_SYMBOL = re.compile(r"[A-Z0-9_]{1,255}\Z")

_FORBIDDEN_TRAITS_SINCE = 22
_REPEATED_AGGREGATES_SINCE = 24
_FORBIDDEN_AGGREGATES_SINCE = 32
_ANY_TRAITS_SINCE = 39

# Clients and their tests know how these begin.
_RESOURCES_FORM = (
    "Badly formed resources parameter. Expected resources query string parameter in form: "
    "?resources=VCPU:2,MEMORY_MB:1024. Got: {}."
)
_TRAITS_FORM = "Expected 'required' parameter value of the form: {}."
_BAD_QUERY = "Invalid query string parameters: {}"


@dataclass(frozen=True, slots=True)
class Traits:
    """Which traits are asked for.

    :ivar required: traits that must be there.
    :ivar any_of: sets of traits; of each at least one must be there.
    :ivar forbidden: traits that must not be there.
    """

    required: Names = frozenset()
    any_of: tuple[Names, ...] = ()
    forbidden: Names = frozenset()

    def names(self) -> Names:
        """Return every trait that is named."""
        return self.required.union(self.forbidden, *self.any_of)


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Which aggregates are asked for, by uuid.

    :ivar member_of: sets of aggregates; of each at least one must be there.
    :ivar forbidden: aggregates that must not be there.
    """

    member_of: tuple[Names, ...] = ()
    forbidden: Names = frozenset()


def resources(text: str) -> dict[str, int]:
    """Return what a value of ``resources`` asks for: ``VCPU:2,MEMORY_MB:1024``.

    Nothing says yet that such classes exist, and amounts have no upper bound.

    :returns: resource class to amount, at least 1; the last one of a class that is named twice.
    :raises ApiError: 400.
    """
    if not text.strip():
        raise BadRequest(_RESOURCES_FORM.format("empty string"))
    wanted: dict[str, int] = {}
    for part in text.split(","):
        name, colon, amount = part.partition(":")
        if not colon or ":" in amount:
            raise BadRequest(_RESOURCES_FORM.format(part))
        wanted[name] = _amount(name, amount)
    return wanted


def traits(values: Sequence[str], minor: int) -> Traits:
    """Return which traits the values of ``required`` ask for.

    :param values: all of them, in order; before 1.39 the last one counts alone.
    :raises ApiError: 400.
    """
    required: set[str] = set()
    forbidden: set[str] = set()
    any_of: dict[Names, None] = {}
    for value in values if minor >= _ANY_TRAITS_SINCE else values[-1:]:
        if value.startswith("in:"):
            any_of[_one_of(value, minor)] = None
        else:
            wanted, unwanted = plain_traits(value, forbid=minor >= _FORBIDDEN_TRAITS_SINCE)
            required |= wanted
            forbidden |= unwanted
    return Traits(frozenset(required), tuple(any_of), frozenset(forbidden))


def plain_traits(value: str, *, forbid: bool) -> tuple[Names, Names]:
    """Return which traits a value like ``A,!B`` requires, and which it forbids.

    :param forbid: whether ``!`` may be used.
    :raises ApiError: 400.
    """
    parts = [part.strip() for part in value.split(",")]
    # However many ! there are, they mean one.
    unwanted = frozenset(part.lstrip("!") for part in parts if part.startswith("!"))
    form = "HW_CPU_X86_VMX,!CUSTOM_MAGIC" if forbid else "HW_CPU_X86_VMX,CUSTOM_MAGIC"
    told = _BAD_QUERY.format(_TRAITS_FORM.format(form))
    if "" in parts or "" in unwanted:
        raise BadRequest(f"{told} Got an empty trait in: {value}")
    if unwanted and not forbid:
        raise BadRequest(f"{told} Got: {value}")
    return frozenset(part for part in parts if not part.startswith("!")), unwanted


def aggregates(values: Sequence[str], minor: int, suffix: str = "") -> Aggregates:
    """Return which aggregates the values of ``member_of`` ask for.

    :param values: all of them.
    :param suffix: of the group they belong to, for messages.
    :raises ApiError: 400.
    """
    if len(values) > 1 and minor < _REPEATED_AGGREGATES_SINCE:
        raise BadRequest(f"Multiple member_of{suffix} parameters are not supported")
    member_of: dict[Names, None] = {}
    forbidden: set[str] = set()
    for value in values:
        uuids, unwanted = _aggregates_of(value)
        if not unwanted:
            member_of[uuids] = None
        elif minor >= _FORBIDDEN_AGGREGATES_SINCE:
            forbidden |= uuids
        else:
            raise BadRequest(
                f"Forbidden member_of{suffix} parameters are not supported in the specified "
                "microversion"
            )
    return Aggregates(tuple(member_of), frozenset(forbidden))


def in_tree(value: str) -> str:
    """Return the uuid that a value of ``in_tree`` names, dashed and in lower case.

    :raises ApiError: 400.
    """
    text = value.strip()
    if not is_uuid_like(text):
        told = f"Expected 'in_tree' parameter to be a format of uuid. Got: {value}"
        raise BadRequest(_BAD_QUERY.format(told))
    return str(UUID(text))


def check_classes(call: Call, names: Iterable[str]) -> None:
    """Go on only if there are such resource classes.

    :raises ApiError: 400.
    """
    absent = _absent(names, call.service.store.resource_classes.missing, call.deadline)
    if absent:
        raise BadRequest(
            f"Invalid resource class in resources parameter: No such resource class {absent[0]}."
        )


def check_traits(call: Call, names: Iterable[str], told: str = "") -> None:
    """Go on only if there are such traits.

    :param told: how the message begins.
    :raises ApiError: 400.
    """
    absent = _absent(names, call.service.store.traits.missing, call.deadline)
    if absent:
        raise BadRequest(f"{told}No such trait(s): {', '.join(absent)}.")


def repeated(pairs: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    """Return the values of each key, in order."""
    values: dict[str, list[str]] = {}
    for key, value in pairs:
        values.setdefault(key, []).append(value)
    return values


def _absent(
    names: Iterable[str],
    missing: Callable[[Names, Deadline], Names],
    deadline: Deadline,
) -> list[str]:
    known = frozenset(names)
    impossible = frozenset(name for name in known if not _SYMBOL.match(name))
    return sorted(impossible or missing(known, deadline)) if known else []


def _amount(name: str, text: str) -> int:
    try:
        amount = int(text)
    except ValueError:
        raise BadRequest(
            f"Requested resource {name} expected positive integer amount. Got: {text}."
        ) from None
    if amount < 1:
        raise BadRequest(f"Requested resource {name} requires amount >= 1. Got: {amount}.")
    return amount


def _one_of(value: str, minor: int) -> Names:
    shown = "The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC'"
    if minor < _ANY_TRAITS_SINCE:
        told = f"{shown} only supported since microversion 1.39. Got: {value}"
        raise BadRequest(_BAD_QUERY.format(told))
    names = frozenset(part.strip() for part in value[len("in:") :].split(","))
    if "" in names:
        form = _TRAITS_FORM.format("in:HW_CPU_X86_VMX,CUSTOM_MAGIC")
        raise BadRequest(_BAD_QUERY.format(f"{form} Got an empty trait in: {value}"))
    if any(name.startswith("!") for name in names):
        told = f"{shown} does not support forbidden traits. Got: {value}"
        raise BadRequest(_BAD_QUERY.format(told))
    return names


def _aggregates_of(value: str) -> tuple[Names, bool]:
    """Return the uuids in a value of ``member_of``, and whether they are forbidden."""
    rest = value.removeprefix("!")
    uuids = rest.removeprefix("in:")
    if "," in value and uuids == rest:
        raise BadRequest(
            "Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword "
            f"using the valid microversion. Got: {value}"
        )
    return frozenset(map(_aggregate, uuids.split(","))), rest != value


def _aggregate(text: str) -> str:
    if not is_uuid_like(text):
        told = f"Expected 'member_of' parameter to contain valid UUID(s). Got: {text}"
        raise BadRequest(_BAD_QUERY.format(told))
    return str(UUID(text))
