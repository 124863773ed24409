"""From a host to what is claimed on it, and the port through which claims are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from scheduler_lib.model.allocation import Allocations, Claim
from scheduler_lib.model.decision import Destination, Selection
from scheduler_lib.model.request import UNSUFFIXED, Request
from scheduler_lib.placement.candidate import Candidate
from scheduler_lib.scheduling.narrowing import Narrowed
from scheduler_lib.scheduling.shortlist import Shortlist

# Resource class to the name it has among the limits (Nova, filter_properties["limits"]).
_LIMITS = {"VCPU": "vcpu", "MEMORY_MB": "memory_mb", "DISK_GB": "disk_gb"}


class Claimer(Protocol):
    """Where claims are made; it arbitrates between everybody who wants the same."""

    def claim(self, selections: Sequence[Selection]) -> None:
        """Claim all of it, or nothing.

        :raises ClaimConflict: when it does not fit any more; the fleet has been refreshed then.
        """


def destination(
    narrowed: Narrowed, index: int, score: float, *, claimed: bool = False
) -> Destination | None:
    """Return one host of the shortlist as a destination.

    :param claimed: it is about to be claimed; if that fails, nobody will see it.
    :returns: None when its tree has no combination that serves the request after all.
    """
    shortlist = narrowed.shortlist
    uuid = shortlist.uuid(index)
    if narrowed.flat:
        allocations: Allocations = {uuid: narrowed.resources}
        mappings: Mapping[str, tuple[str, ...]] = {UNSUFFIXED: (uuid,)}
    else:
        candidate = next(narrowed.candidates(index), None)
        if candidate is None:
            return None
        allocations = _amounts(shortlist, candidate)
        mappings = _mappings(shortlist, candidate)
    host, node = shortlist.name(index)
    return Destination(
        host,
        node,
        uuid,
        allocations,
        mappings,
        {
            limit: shortlist.capacity_at(index, name)
            for name, limit in _LIMITS.items()
            if name in allocations.get(uuid, ())
        },
        shortlist.zone(index),
        score,
        claimed,
    )


def claim_of(selection: Selection, request: Request) -> Claim:
    """Return the claim that a selection stands for."""
    return Claim(
        consumer_uuid=selection.consumer_uuid,
        allocations=selection.destination.allocations,
        project_id=request.project_id,
        user_id=request.user_id,
        consumer_type=request.consumer_type,
    )


def _amounts(shortlist: Shortlist, candidate: Candidate) -> dict[str, dict[str, int]]:
    amounts: dict[str, dict[str, int]] = {}
    for row, resource_class, amount in candidate.amounts:
        amounts.setdefault(shortlist.fleet.uuid(row), {})[resource_class] = amount
    return amounts


def _mappings(shortlist: Shortlist, candidate: Candidate) -> dict[str, tuple[str, ...]]:
    return {
        suffix: tuple(shortlist.fleet.uuid(row) for row in rows)
        for suffix, rows in candidate.mappings.items()
    }
