"""Requests from arguments: ``--resource VCPU=2 --required T --group ...``, or a JSON file."""

from __future__ import annotations

import argparse
import json
import uuid
from pathlib import Path

from scheduler_lib.exceptions import InvalidFile, InvalidRequest
from scheduler_lib.model.primitive import request_from_primitive
from scheduler_lib.model.request import (
    GROUP_POLICIES,
    MAX_INSTANCES,
    UNSUFFIXED,
    Request,
    ResourceGroup,
)

GROUP_HELP = (
    "A further group that one provider must serve whole: SUFFIX:CLASS=N[,CLASS=N], then, each "
    "after a semicolon, required=TRAIT[,TRAIT], forbidden=TRAIT[,TRAIT], any=TRAIT[,TRAIT], "
    "member_of=UUID[,UUID], in_tree=UUID. May be repeated."
)


def add_request_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that describe a request."""
    what = parser.add_argument_group("what is asked")
    what.add_argument(
        "--resource", action="append", default=[], type=_resource, metavar="CLASS=N",
        help="An amount in whole units, for example VCPU=2. May be repeated.",
    )  # fmt: skip
    what.add_argument(
        "--required", action="append", default=[], metavar="TRAIT",
        help="A trait that must be there. May be repeated.",
    )  # fmt: skip
    what.add_argument(
        "--forbidden", action="append", default=[], metavar="TRAIT",
        help="A trait that must not be there. May be repeated.",
    )  # fmt: skip
    what.add_argument(
        "--any-of", action="append", default=[], type=_names, metavar="TRAIT,TRAIT",
        help="Traits of which at least one must be there. May be repeated.",
    )  # fmt: skip
    what.add_argument(
        "--member-of", action="append", default=[], type=_names, metavar="UUID,UUID",
        help="Aggregates of which at least one must have the host. May be repeated.",
    )  # fmt: skip
    what.add_argument(
        "--group", action="append", default=[], type=_group, metavar="SUFFIX:...", help=GROUP_HELP
    )
    what.add_argument(
        "--group-policy", choices=GROUP_POLICIES, default="none",
        help="isolate: each further group on a provider of its own; none: as it comes.",
    )  # fmt: skip
    what.add_argument("--availability-zone", metavar="ZONE", help="The zone to stay in.")
    what.add_argument(
        "--request", type=Path, metavar="FILE",
        help="The whole request as JSON, instead of the arguments above.",
    )  # fmt: skip
    who = parser.add_argument_group("who asks")
    who.add_argument(
        "--count", type=_count, default=1, metavar="N",
        help="Instances to place, each under a new uuid; the default is 1.",
    )  # fmt: skip
    who.add_argument(
        "--consumer", action="append", default=[], metavar="UUID",
        help="An instance to place under this uuid, instead of --count. May be repeated.",
    )  # fmt: skip


def request_from(parsed_args: argparse.Namespace) -> Request:
    """Return the request that the arguments describe.

    :raises InvalidRequest: naming what is wrong with it.
    :raises InvalidFile: when the file of ``--request`` cannot be read.
    """
    consumers = tuple(parsed_args.consumer) or _new_consumers(parsed_args.count)
    if parsed_args.request is not None:
        return _from_file(parsed_args.request, consumers)
    return Request(
        groups=_groups(parsed_args),
        consumers=consumers,
        group_policy=parsed_args.group_policy,
        availability_zone=parsed_args.availability_zone,
    )


def _groups(parsed_args: argparse.Namespace) -> dict[str, ResourceGroup]:
    groups: dict[str, ResourceGroup] = {}
    unsuffixed = ResourceGroup(
        resources=_resources(parsed_args.resource),
        required=frozenset(parsed_args.required),
        forbidden=frozenset(parsed_args.forbidden),
        any_of=tuple(frozenset(names) for names in parsed_args.any_of),
        member_of=tuple(frozenset(names) for names in parsed_args.member_of),
    )
    if unsuffixed != ResourceGroup():
        groups[UNSUFFIXED] = unsuffixed
    for suffix, fields in parsed_args.group:
        if suffix in groups:
            raise InvalidRequest(f"The group {suffix!r} is there twice.", field="groups")
        groups[suffix] = ResourceGroup(**fields)
    return groups


def _resources(pairs: list[tuple[str, int]]) -> dict[str, int]:
    resources: dict[str, int] = {}
    for name, amount in pairs:
        if name in resources:
            raise InvalidRequest(f"{name} is asked twice.", field=f"resources.{name}")
        resources[name] = amount
    return resources


def _new_consumers(count: int) -> tuple[str, ...]:
    return tuple(str(uuid.uuid4()) for _ in range(count))


def _from_file(path: Path, consumers: tuple[str, ...]) -> Request:
    try:
        primitive = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidFile(
            f"{path} cannot be read: {error.strerror or error}.", path=str(path), line=0
        ) from error
    except json.JSONDecodeError as error:
        raise InvalidFile(
            f"{path}, line {error.lineno}: {error.msg}.", path=str(path), line=error.lineno
        ) from error
    except RecursionError as error:
        raise InvalidFile(f"{path} is nested too deeply.", path=str(path), line=0) from error
    except ValueError as error:
        raise InvalidFile(f"{path} is not UTF-8 text.", path=str(path), line=0) from error
    if isinstance(primitive, dict) and not primitive.get("consumers"):
        primitive = {**primitive, "consumers": list(consumers)}
    return request_from_primitive(primitive)


def _resource(text: str) -> tuple[str, int]:
    name, equals, amount = text.partition("=")
    if not (name and equals and amount.isascii() and amount.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not CLASS=N with a whole number")
    return name, int(amount)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty name")
    return names


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MAX_INSTANCES):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MAX_INSTANCES}")
    return int(text)


def _group(text: str) -> tuple[str, dict[str, object]]:
    """Read ``SUFFIX:CLASS=N,CLASS=N;required=T;...`` into fields of a group."""
    suffix, colon, rest = text.partition(":")
    if not (suffix and colon and rest):
        raise argparse.ArgumentTypeError(f"{text!r} is not SUFFIX:CLASS=N")
    amounts, *wishes = rest.split(";")
    fields: dict[str, object] = {"resources": dict(_resource(item) for item in amounts.split(","))}
    for wish in wishes:
        key, _, names = wish.partition("=")
        _add_wish(fields, key.strip(), _names(names))
    return suffix, fields


def _add_wish(fields: dict[str, object], key: str, names: tuple[str, ...]) -> None:
    if key in ("required", "forbidden"):
        fields[key] = frozenset(names)
    elif key == "any":
        fields["any_of"] = (frozenset(names),)
    elif key == "member_of":
        fields["member_of"] = (frozenset(names),)
    elif key == "in_tree":
        fields["in_tree"] = names[0]
    else:
        raise argparse.ArgumentTypeError(
            f"{key!r} is none of required, forbidden, any, member_of, in_tree"
        )
