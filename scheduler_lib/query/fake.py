"""A query backend for tests: scripted answers, and a record of what was asked."""

from __future__ import annotations

import threading
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from scheduler_lib.exceptions import (
    ClientClosed,
    InvalidInput,
    NoValidHost,
    RequestKeyMismatch,
    UnsupportedOperation,
)
from scheduler_lib.model.capability import Capability
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.model.decision import Decision, Destination, Explanation, Selection
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.primitive import fingerprint
from scheduler_lib.model.request import Request

Answer = Decision | Exception | Callable[[Request], Decision]

_SPACE = uuid.UUID("7d3ad1a9-5a39-4d3c-8f0c-0a1d1b6f2c55")


@dataclass(frozen=True, slots=True)
class QueryCall:
    """One call as the backend saw it.

    :ivar operation: ``select``, ``explain`` or ``release``.
    :ivar request: what was asked; None for a release.
    :ivar consumer_uuids: whom it was about.
    :ivar request_key: the key given to a select.
    :ivar dry_run: whether a select was to hold nothing.
    """

    operation: str
    context: object
    request: Request | None
    consumer_uuids: tuple[str, ...]
    request_key: str | None = None
    dry_run: bool = False


class FakeQuery:
    """Answers as scripted; unscripted, its hosts take turns and have room for everything.

    :param conf: not read.
    :param connections: not used.
    :param clock: not read.
    :param hosts: the hosts to answer with, each a name or a pair (host, node).
    """

    capabilities = frozenset({Capability.RELEASES, Capability.DRY_RUN, Capability.EXACTLY_ONCE})

    def __init__(
        self,
        conf: object = None,
        connections: object = None,
        clock: Clock | None = None,
        *,
        hosts: Sequence[str | tuple[str, str]] = ("fake-host",),
    ) -> None:
        self.hosts = tuple(ResourceName.parse(host, InvalidInput) for host in hosts)
        self.calls: list[QueryCall] = []
        self.closed = False
        self._script: deque[Answer] = deque()
        self._held: dict[str, None] = {}
        self._answered: dict[str, tuple[str, Decision]] = {}
        self._lock = threading.Lock()

    def script(self, *answers: Answer) -> FakeQuery:
        """Give the next selects these answers, in order.

        :param answers: a decision, an error to raise, or a function from request to decision.
        :returns: itself.
        """
        self._script.extend(answers)
        return self

    def select(
        self,
        context: object,
        request: Request,
        *,
        request_key: str | None = None,
        dry_run: bool = False,
        deadline: Deadline | None = None,
    ) -> Decision:
        """Answer with the next scripted answer, or with the hosts in turn.

        :raises NoValidHost: when the scripted decision has no destination.
        :raises RequestKeyMismatch: when the key was used for another request.
        :raises ClientClosed: after :meth:`close`.
        """
        with self._lock:
            self._note("select", context, request, request.consumers, request_key, dry_run)
            known = None if request_key is None else self._replayed(request_key, request)
            if known is not None:
                return known
            decision = self._next(request)
            if not decision.selections:
                raise _refusal(decision)
            if not dry_run:
                self._hold(request, request_key, decision)
            return decision

    def explain(
        self, context: object, request: Request, *, deadline: Deadline | None = None
    ) -> Explanation:
        """Refuse: this backend has no reasons.

        :raises UnsupportedOperation: always.
        """
        with self._lock:
            self._note("explain", context, request, request.consumers)
        raise UnsupportedOperation(
            "The backend 'fake' does not explain.", backend="fake", capability="explains"
        )

    def release(
        self,
        context: object,
        consumer_uuids: Sequence[str],
        *,
        deadline: Deadline | None = None,
    ) -> tuple[str, ...]:
        """Give back what the consumers hold.

        :raises ClientClosed: after :meth:`close`.
        """
        with self._lock:
            self._note("release", context, None, tuple(consumer_uuids))
            released = tuple(item for item in consumer_uuids if item in self._held)
            for item in released:
                self._held.pop(item, None)
            return released

    def close(self) -> None:
        """Refuse further calls."""
        self.closed = True

    def _note(
        self,
        operation: str,
        context: object,
        request: Request | None,
        consumer_uuids: tuple[str, ...],
        request_key: str | None = None,
        dry_run: bool = False,
    ) -> None:
        if self.closed:
            raise ClientClosed("The backend 'fake' is closed.")
        call = QueryCall(operation, context, request, consumer_uuids, request_key, dry_run)
        self.calls.append(call)

    def _replayed(self, request_key: str, request: Request) -> Decision | None:
        if request_key not in self._answered:
            return None
        print_of, decision = self._answered[request_key]
        if print_of != fingerprint(request):
            raise RequestKeyMismatch(
                f"The request key {request_key!r} was used for another request.",
                request_key=request_key,
            )
        return replace(decision, replayed=True)

    def _next(self, request: Request) -> Decision:
        if not self._script:
            return self._in_turn(request)
        answer = self._script.popleft()
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Decision) else answer(request)

    def _in_turn(self, request: Request) -> Decision:
        amounts: dict[str, int] = {}
        for group in request.groups.values():
            for name, amount in group.resources.items():
                amounts[name] = amounts.get(name, 0) + amount
        selections = []
        for index, consumer in enumerate(request.consumers):
            turn = [self._place(index + step, amounts) for step in range(len(self.hosts))]
            alternates = tuple(turn[1:][: request.alternates])
            selections.append(Selection(consumer, turn[0], alternates))
        return Decision(selections=tuple(selections))

    def _place(self, index: int, amounts: dict[str, int]) -> Destination:
        host, node = self.hosts[index % len(self.hosts)]
        provider = str(uuid.uuid5(_SPACE, f"{host}\0{node}"))
        return Destination(host, node, provider, {provider: dict(amounts)})

    def _hold(self, request: Request, request_key: str | None, decision: Decision) -> None:
        self._held.update(dict.fromkeys(request.consumers))
        if request_key is not None:
            self._answered[request_key] = (fingerprint(request), decision)


def _refusal(decision: Decision) -> NoValidHost:
    error = NoValidHost(decision.reason or "No host can take the request.", reason=decision.reason)
    error.decision = decision
    return error
