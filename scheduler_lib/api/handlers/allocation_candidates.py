"""Allocation candidates: who can give what is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from scheduler_lib.api import candidate_query
from scheduler_lib.api.call import Call, Reply
from scheduler_lib.api.candidate_query import CandidateQuery
from scheduler_lib.api.candidate_text import CandidateText
from scheduler_lib.api.summaries import Summaries
from scheduler_lib.fleet import Fleet
from scheduler_lib.fleet.arrays import Rows32
from scheduler_lib.model.request import UNSUFFIXED
from scheduler_lib.placement import forest
from scheduler_lib.placement.pattern import Pattern
from scheduler_lib.placement.search import Search

_TREES_SINCE = 29
# How many trees are searched before the time is looked at.
_TREES_AT_ONCE = 256


def find(call: Call) -> Reply:
    """Return candidates, and what there is to know of their providers."""
    query = candidate_query.read(call)
    fleet = call.service.fleet(call.deadline)
    candidates, givers = ([], []) if query.beyond else _found(call, query, fleet)
    rows = _shown(fleet, givers, trees=call.since(_TREES_SINCE))
    summaries = Summaries(fleet, call.minor, query.classes).texts(rows)
    call.service.keep(fleet)
    return Reply(body=_body(candidates, summaries), modified_at=call.moment())


def _found(call: Call, query: CandidateQuery, fleet: Fleet) -> tuple[list[str], Iterable[int]]:
    """Return candidates as texts, and the rows of the providers that give something."""
    search = Search(
        fleet,
        query.groups,
        query.group_policy,
        query.root_required,
        query.root_forbidden,
        query.same_subtree,
    )
    text = CandidateText(call.minor, fleet.state.rows.uuids)
    if search.flat:
        settings = call.service.settings
        source = call.service.random if settings.randomize else None
        roots = search.flat_roots(_limit(call, query), source=source).tolist()
        demand = query.groups[UNSUFFIXED].resources
        amounts = tuple((0, name, units) for name, units in demand.items())
        return text.of_roots(Pattern(amounts, {UNSUFFIXED: (0,)}), roots), roots
    return _of_trees(call, query, search, text)


def _of_trees(
    call: Call, query: CandidateQuery, search: Search, text: CandidateText
) -> tuple[list[str], Iterable[int]]:
    settings = call.service.settings
    found = search.patterns(
        _limit(call, query),
        strategy=settings.generation_strategy,
        nested=call.since(_TREES_SINCE),
        source=call.service.random if settings.randomize else None,
    )
    candidates: list[str] = []
    givers: set[int] = set()
    for number, (rows, patterns) in enumerate(found):
        if number % _TREES_AT_ONCE == 0:
            call.deadline.check("looking for candidates")
        for pattern in patterns:
            candidates.append(text.of_tree(pattern, rows))
            givers.update([rows[place] for place in pattern.places])
    return candidates, givers


def _limit(call: Call, query: CandidateQuery) -> int | None:
    limits = (query.limit, call.service.settings.max_allocation_candidates)
    return min((limit for limit in limits if limit is not None), default=None)


def _shown(fleet: Fleet, givers: Iterable[int], *, trees: bool) -> Rows32:
    """Return the rows of which there are summaries.

    :param trees: whether all providers of a tree are shown as soon as one of them gives something.
    """
    rows = np.fromiter(givers, dtype=np.int32)
    if not trees or not len(rows):
        return rows
    return forest.trees(fleet, np.unique(fleet.state.rows.root[rows]))


def _body(candidates: Sequence[str], summaries: Sequence[str]) -> bytes:
    text = (
        f'{{"allocation_requests":[{",".join(candidates)}],'
        f'"provider_summaries":{{{",".join(summaries)}}}}}'
    )
    return text.encode("ascii")
