"""The scheduler in this process, over the books in the store."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from scheduler_lib import plugins
from scheduler_lib.conf import capacity, database, scheduling
from scheduler_lib.exceptions import (
    BackendUnavailable,
    ClientClosed,
    NoValidHost,
    RequestKeyMismatch,
)
from scheduler_lib.model.answer import RecordedAnswer
from scheduler_lib.model.capability import Capability
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.model.decision import Decision, Explanation
from scheduler_lib.model.primitive import decision_from_primitive, fingerprint
from scheduler_lib.model.request import Request
from scheduler_lib.model.settings import Accounting, SchedulingSettings
from scheduler_lib.query.claimers import ConsumingClaimer, StoreClaimer
from scheduler_lib.query.mirror import Mirror
from scheduler_lib.query.vocabulary import Vocabulary
from scheduler_lib.scheduling.claiming import Claimer
from scheduler_lib.scheduling.filters.requested import RequestedFilter
from scheduler_lib.scheduling.scheduler import Scheduler
from scheduler_lib.store.connections import Connections
from scheduler_lib.store.errors import RequestKeyTaken
from scheduler_lib.store.store import Store

if TYPE_CHECKING:
    from oslo_config.cfg import ConfigOpts

_ALWAYS = frozenset(
    {
        Capability.EXPLAINS,
        Capability.DRY_RUN,
        Capability.EXACTLY_ONCE,
        Capability.ALL_OR_NOTHING,
    }
)
_BOOKED = frozenset({Capability.CLAIMS, Capability.RELEASES})


class LocalQuery:
    """Decides here, claims in the store.

    :param conf: the options.
    :param connections: the stores this client has open.
    :param clock: what the time is read on.
    """

    def __init__(self, conf: ConfigOpts, connections: Connections, clock: Clock) -> None:
        self._conf = conf
        self._connections = connections
        self._clock = clock
        self._vocabulary = Vocabulary()
        self._engine: _Engine | None = None
        self._closed = False
        self._lock = threading.Lock()

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this backend promises; where reports say what is used, nothing is claimed."""
        reported = scheduling.settings(self._conf).accounting is Accounting.REPORTED
        return _ALWAYS if reported else _ALWAYS | _BOOKED

    def select(
        self,
        context: object,
        request: Request,
        *,
        request_key: str | None,
        dry_run: bool,
        deadline: Deadline,
    ) -> Decision:
        """Choose a destination for each consumer, and claim it.

        :raises InvalidRequest: for a trait or a resource class that nobody knows.
        :raises NoValidHost: when the fleet, as it is during the call, cannot take the request.
        :raises RequestKeyMismatch: when the key was used for another request.
        :raises GenerationConflict: when a consumer holds something already.
        """
        engine = self._opened()
        answer = None
        if request_key is not None:
            answer = RecordedAnswer(request_key, fingerprint(request), "")
            known = engine.replayed(answer, deadline)
            if known is not None:
                return known
        try:
            return self._decided(engine, request, answer, dry_run, deadline)
        except (RequestKeyTaken, NoValidHost):
            # The same request may have been answered meanwhile, and have taken the last room.
            known = None if answer is None else engine.replayed(answer, deadline)
            if known is None:
                raise
            return known

    def explain(self, context: object, request: Request, *, deadline: Deadline) -> Explanation:
        """Return what every host says to the request.

        :raises InvalidRequest: for a trait or a resource class that nobody knows.
        :raises BackendUnavailable: when the database does not answer.
        :raises ClientClosed: after :meth:`close`.
        """
        engine = self._opened()
        fleet = engine.mirror.refreshed(engine.mirror.ticket(), deadline)
        with engine.mirror.lock:
            self._vocabulary.check(request, fleet.knows_class, fleet.knows_trait)
            view = fleet.view()
        return engine.scheduler.explain(request, view)

    def release(
        self, context: object, consumer_uuids: Sequence[str], *, deadline: Deadline
    ) -> tuple[str, ...]:
        """Give back what the consumers hold.

        :raises BackendUnavailable: when the database does not answer.
        :raises ClientClosed: after :meth:`close`.
        """
        engine = self._opened()
        receipt = engine.store.claims.release(consumer_uuids, deadline)
        engine.mirror.booked(receipt)
        return receipt.released

    def close(self) -> None:
        """Forget the fleet; the connections are closed by whoever shares them."""
        with self._lock:
            self._closed = True
            self._engine = None

    def _decided(
        self,
        engine: _Engine,
        request: Request,
        answer: RecordedAnswer | None,
        dry_run: bool,
        deadline: Deadline,
    ) -> Decision:
        with _before_sending():
            fleet = engine.mirror.refreshed(engine.mirror.ticket(), deadline)
        self._vocabulary.check(request, fleet.knows_class, fleet.knows_trait)
        claimer = None if dry_run else engine.claimer(request, answer, deadline)
        if engine.reported:
            # Nobody arbitrates but this fleet: what is chosen is consumed before others look.
            with engine.mirror.lock:
                decision = engine.scheduler.select(request, fleet, claimer, deadline)
            return _unclaimed(decision)
        return engine.scheduler.select(request, fleet, claimer, deadline, engine.mirror.lock)

    def _opened(self) -> _Engine:
        engine = self._engine
        if engine is not None:
            return engine
        with self._lock:
            if self._closed:
                raise ClientClosed("The backend 'local' is closed.")
            if self._engine is None:
                with _before_sending():
                    self._engine = self._made()
            return self._engine

    def _made(self) -> _Engine:
        settings = scheduling.settings(self._conf)
        store = self._connections.store(
            database.settings(self._conf), capacity.settings(self._conf)
        )
        source = random.Random(settings.random_seed)  # noqa: S311 - chooses, guards nothing
        filters = [make(settings) for make in _loaded("filters", settings.enabled_filters)]
        scheduler = Scheduler(
            settings,
            [RequestedFilter(settings), *filters],
            [make(settings) for make in _loaded("weighers", settings.enabled_weighers)],
            self._clock,
            source,
        )
        return _Engine(store, scheduler, settings, self._clock, source)


class _Engine:
    """What a backend that has been opened works with."""

    def __init__(
        self,
        store: Store,
        scheduler: Scheduler,
        settings: SchedulingSettings,
        clock: Clock,
        source: random.Random,
    ) -> None:
        self.store = store
        self.scheduler = scheduler
        self.reported = settings.accounting is Accounting.REPORTED
        self.mirror = Mirror(store, settings.accounting, settings.default_availability_zone)
        self._clock = clock
        self._random = source

    def claimer(
        self, request: Request, answer: RecordedAnswer | None, deadline: Deadline
    ) -> Claimer:
        """Return where one call claims."""
        if self.reported:
            return ConsumingClaimer(self.store, self.mirror, answer, deadline)
        return StoreClaimer(
            self.store, self.mirror, request, answer, deadline, self._clock, self._random
        )

    def replayed(self, asked: RecordedAnswer, deadline: Deadline) -> Decision | None:
        """Return what was answered under the key; None when nothing was.

        :raises RequestKeyMismatch: when it was the answer to another request.
        """
        with _before_sending():
            known = self.store.request_keys.find(asked.request_key, deadline)
        if known is None:
            return None
        if known.fingerprint != asked.fingerprint:
            raise RequestKeyMismatch(
                f"The request key {asked.request_key!r} was used for another request.",
                request_key=asked.request_key,
            )
        return replace(decision_from_primitive(json.loads(known.answer)), replayed=True)


@contextmanager
def _before_sending() -> Iterator[None]:
    """Mark what fails in here as safe to repeat: nothing has been claimed yet."""
    try:
        yield
    except BackendUnavailable as error:
        fields = {**error.fields, "sent": False}
        raise BackendUnavailable(error.message, hint=error.hint, **fields) from error


def _loaded(kind: str, names: Sequence[str]) -> list[type]:
    return [plugins.load(f"scheduler_lib.{kind}", name) for name in names]


def _unclaimed(decision: Decision) -> Decision:
    return replace(
        decision,
        selections=tuple(
            replace(item, destination=replace(item.destination, claimed=False))
            for item in decision.selections
        ),
    )
