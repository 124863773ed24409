"""Allocation candidates: who can give what is asked for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from scheduler_lib.api import candidate_query
from scheduler_lib.api.call import Call, Reply
from scheduler_lib.api.candidate_query import CandidateQuery
from scheduler_lib.api.candidate_text import CandidateText
from scheduler_lib.api.summaries import Summaries
from scheduler_lib.fleet import Fleet
from scheduler_lib.fleet.arrays import Bools
from scheduler_lib.placement import batches
from scheduler_lib.placement.batches import Batch
from scheduler_lib.placement.search import Search

_TREES_SINCE = 29
_STEP = "looking for candidates"


def find(call: Call) -> Reply:
    """Return candidates, and what there is to know of their providers."""
    query = candidate_query.read(call)
    fleet = call.service.fleet(call.deadline)
    givers = np.zeros(len(fleet.state.rows), dtype=np.bool_)
    candidates = [] if query.beyond else _found(call, query, fleet, givers)
    summaries = Summaries(fleet, call.minor, query.classes).shown(givers)
    call.service.keep(fleet)
    return Reply(body=_body(candidates, summaries), modified_at=call.moment())


def _found(
    call: Call, query: CandidateQuery, fleet: Fleet, givers: Bools
) -> list[bytes | memoryview]:
    """Return candidates as text, in parts.

    :param givers: is set for the rows of the providers that give something.
    """
    search = Search(
        fleet,
        query.groups,
        query.group_policy,
        query.root_required,
        query.root_forbidden,
        query.same_subtree,
        tick=lambda: call.deadline.check(_STEP),
    )
    settings = call.service.settings
    found = search.batches(
        _limit(call, query),
        strategy=settings.generation_strategy,
        nested=call.since(_TREES_SINCE),
        source=call.service.random if settings.randomize else None,
    )
    text = CandidateText(call.minor, fleet.state.rows.uuid_bytes)
    parts: list[bytes | memoryview] = []
    for turn in batches.by_turn(found):
        parts += text.of_turn(_noted(call, turn, givers))
    return parts


def _noted(call: Call, turn: Iterable[Batch], givers: Bools) -> Iterable[Batch]:
    """Give batches on, while there is time, and note who gives something."""
    for batch in turn:
        call.deadline.check(_STEP)
        places = set(itertools.chain.from_iterable([one.places for one in batch.patterns]))
        for place in places:
            givers[batch.rows[:, place]] = True
        yield batch


def _limit(call: Call, query: CandidateQuery) -> int | None:
    limits = (query.limit, call.service.settings.max_allocation_candidates)
    return min((limit for limit in limits if limit is not None), default=None)


def _body(candidates: Sequence[bytes | memoryview], summaries: Sequence[bytes]) -> bytes:
    return b"".join(
        [
            b'{"allocation_requests":[',
            *_trimmed(candidates),
            b'],"provider_summaries":{',
            *_trimmed(summaries),
            b"}}",
        ]
    )


def _trimmed(parts: Sequence[bytes | memoryview]) -> Sequence[bytes | memoryview]:
    """Drop the comma behind the last one."""
    return [*parts[:-1], memoryview(parts[-1])[:-1]] if parts else parts
