"""A requested destination: where to look, with the filters still running."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.naming import checked_uuid
from scheduler_lib.model.nova.record import Record, texts


class TargetFields(TypedDict):
    """The fields of a Request that a Destination fills."""

    requested_hosts: tuple[str, ...]
    requested_nodes: tuple[str, ...]
    aggregates: tuple[frozenset[str], ...]
    forbidden_aggregates: frozenset[str]


@dataclass(frozen=True, slots=True)
class Target:
    """What a Destination narrows a request to."""

    hosts: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    aggregates: tuple[frozenset[str], ...] = ()
    forbidden_aggregates: frozenset[str] = frozenset()

    def as_fields(self) -> TargetFields:
        """Return the fields of a Request that say so."""
        return {
            "requested_hosts": self.hosts,
            "requested_nodes": self.nodes,
            "aggregates": self.aggregates,
            "forbidden_aggregates": self.forbidden_aggregates,
        }


def target_of(destination: Record | None) -> Target:
    """Return what a Destination says; None says nothing.

    :raises InvalidRequest: naming the field.
    """
    if destination is None:
        return Target()
    host, node = destination.text("host"), destination.text("node")
    # Each entry is a comma-joined set of which one will do; the entries must all be met.
    wanted = destination.texts("aggregates")
    return Target(
        hosts=() if host is None else (host,),
        nodes=() if node is None else (node,),
        aggregates=tuple(one_of(item, destination.at("aggregates")) for item in wanted),
        forbidden_aggregates=uuids(
            destination.get("forbidden_aggregates"), destination.at("forbidden_aggregates")
        ),
    )


def one_of(joined: str, path: str) -> frozenset[str]:
    """Return the uuids of a comma-joined text.

    :raises InvalidRequest: when one is no UUID.
    """
    return frozenset(checked_uuid(item.strip(), path, InvalidRequest) for item in joined.split(","))


def uuids(value: object, path: str) -> frozenset[str]:
    """Return a list of uuids as a set.

    :raises InvalidRequest: when it is no list, or one is no UUID.
    """
    return frozenset(checked_uuid(item, path, InvalidRequest) for item in texts(value, path))
