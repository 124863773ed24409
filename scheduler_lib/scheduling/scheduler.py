"""The scheduler: narrow, weigh, pick, claim; or say why not."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from scheduler_lib.exceptions import ClaimConflict, NoValidHost
from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.model.decision import Decision, Explanation, Selection, StageCount
from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import SchedulingSettings
from scheduler_lib.scheduling.batch import Batch, selections_of
from scheduler_lib.scheduling.choices import Choices
from scheduler_lib.scheduling.claiming import Claimer
from scheduler_lib.scheduling.demand import Demand
from scheduler_lib.scheduling.explaining import Explaining
from scheduler_lib.scheduling.filters.base import Filter
from scheduler_lib.scheduling.narrowing import Narrowed, Narrowing
from scheduler_lib.scheduling.refusing import refusal
from scheduler_lib.scheduling.weighers.base import Weigher

Guard = AbstractContextManager[object]


@dataclass(slots=True)
class _Attempt:
    """One call of select, on its way.

    :ivar deadline: when to stop trying.
    :ivar guard: held while the fleet is read.
    :ivar claiming: what is chosen is claimed.
    :ivar counts: how many hosts each check left, when they were last narrowed.
    :ivar refused: claims that were lost to somebody else.
    """

    request: Request
    fleet: Fleet
    deadline: Deadline
    guard: Guard
    claiming: bool
    counts: tuple[StageCount, ...] = ()
    refused: int = 0


class Scheduler:
    """Chooses hosts; between requests it keeps only what was asked, for weighers that look ahead.

    :param settings: how to choose.
    :param filters: in the order they run.
    :param weighers: whose scores are added up.
    :param clock: what time it is, for heartbeats.
    :param random_source: for the subset and the shuffle, where these are configured.
    :param demand: notes what is asked, for weighers that look ahead; None to begin afresh.
    """

    def __init__(
        self,
        settings: SchedulingSettings,
        filters: Sequence[Filter],
        weighers: Sequence[Weigher],
        clock: Clock,
        random_source: random.Random,
        demand: Demand | None = None,
    ) -> None:
        self._settings = settings
        self._filters = tuple(filters)
        self._weighers = tuple(weighers)
        self._clock = clock
        self._random = random_source
        self._demand = demand or Demand()
        self._looks_ahead = any(weigher.looks_ahead for weigher in weighers)

    def select(
        self,
        request: Request,
        fleet: Fleet,
        claimer: Claimer | None,
        deadline: Deadline,
        guard: Guard | None = None,
    ) -> Decision:
        """Choose a destination for every consumer, and claim it; all or nothing.

        :param request: what is asked.
        :param fleet: the hosts, fresh; it is read, never changed.
        :param claimer: where to claim; None to decide only.
        :param deadline: when to stop trying.
        :param guard: held while the fleet is read, not while claims are made.
        :raises NoValidHost: when the fleet as it is now cannot take the request.
        :raises DeadlineExceeded: when others kept taking what was chosen, or the search is long.
        """
        attempt = _Attempt(request, fleet, deadline, guard or nullcontext(), claimer is not None)
        if self._looks_ahead:
            with attempt.guard:
                self._demand.note(request)
        while True:
            for selections in self._offers(attempt):
                deadline.check("claiming what was chosen")
                try:
                    if claimer is not None:
                        claimer.claim(selections)
                except ClaimConflict:
                    attempt.refused += 1
                else:
                    return Decision(selections, attempt.counts, attempt.refused)
            # Everything that was offered went to somebody else: look at the fleet as it is now.

    def explain(self, request: Request, fleet: Fleet) -> Explanation:
        """Hold the request against every host, as if for one instance; nothing changes."""
        return self._explaining(request, fleet).explanation()

    def _explaining(self, request: Request, fleet: Fleet) -> Explaining:
        return Explaining(
            request,
            fleet,
            self._filters,
            self._weighers,
            self._settings,
            self._demand,
            self._clock.now(),
        )

    def _offers(self, attempt: _Attempt) -> Iterator[tuple[Selection, ...]]:
        if len(attempt.request.consumers) > 1:
            with attempt.guard:
                offer = self._batch(attempt)
            yield offer
        else:
            yield from self._single(attempt)

    def _single(self, attempt: _Attempt) -> Iterator[tuple[Selection, ...]]:
        request = attempt.request
        wanted = 1 + self._alternates(request)
        with attempt.guard:
            narrowed = self._narrow(attempt, attempt.fleet)
            attempt.counts = narrowed.counts
            choices = Choices(
                narrowed,
                request,
                self._weighers,
                self._settings,
                self._random,
                claiming=attempt.claiming,
            )
            best = choices.best(wanted)
            if not best:
                raise self._refusal(attempt, attempt.fleet, narrowed, placed=0)
        while best:
            yield (Selection(request.consumers[0], best[0], tuple(best[1:])),)
            with attempt.guard:
                choices.drop_best()
                best = choices.best(wanted)

    def _batch(self, attempt: _Attempt) -> tuple[Selection, ...]:
        request = attempt.request
        view = attempt.fleet.view()
        narrowed = self._narrow(attempt, view)
        attempt.counts = narrowed.counts
        batch = Batch(
            narrowed,
            view,
            request,
            self._filters,
            self._weighers,
            self._settings,
            self._random,
            self._clock.now(),
            claiming=attempt.claiming,
        )
        chosen = batch.place(len(request.consumers))
        if len(chosen) < len(request.consumers):
            left = self._narrow(attempt, view)
            raise self._refusal(attempt, view, left, placed=len(chosen))
        alternates = batch.alternates(chosen, self._alternates(request))
        return selections_of(request, chosen, alternates)

    def _narrow(self, attempt: _Attempt, fleet: Fleet) -> Narrowed:
        now = self._clock.now()
        return Narrowing(
            attempt.request,
            fleet,
            self._filters,
            self._demand,
            now,
            tick=lambda: attempt.deadline.check("looking for providers"),
        ).run()

    def _refusal(
        self, attempt: _Attempt, fleet: Fleet, narrowed: Narrowed, *, placed: int
    ) -> NoValidHost:
        counts = list(narrowed.counts)
        if len(narrowed.shortlist):
            counts.append(StageCount("combination", len(narrowed.shortlist), 0))
        return refusal(
            attempt.request,
            counts,
            fleet.host_count,
            placed=placed,
            refused_claims=attempt.refused,
            reasons=self._explaining(attempt.request, fleet.view()).reasons,
        )

    def _alternates(self, request: Request) -> int:
        asked = request.alternates
        return self._settings.alternates if asked is None else asked
