"""What every query backend must do, and what each capability means."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import pytest

from scheduler_lib.exceptions import (
    ClientClosed,
    NoValidHost,
    RequestKeyMismatch,
)
from scheduler_lib.model.capability import Capability
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.decision import Decision
from scheduler_lib.model.request import Request
from scheduler_lib.query.base import QUERY_CAPABILITIES, QueryBackend
from scheduler_lib.testing.builders import HostBuilder, a_host, a_request
from scheduler_lib.testing.contract.promises import check_promise

_CAPABILITIES = sorted(QUERY_CAPABILITIES, key=lambda capability: capability.value)


class QueryContract(ABC):
    """Subclass it, name the class ``Test...``, and define :meth:`make_backend`."""

    @abstractmethod
    def make_backend(self, hosts: Sequence[HostBuilder]) -> QueryBackend:
        """Return a backend that knows these hosts, and no others.

        :param hosts: their names and reports (``host.name``, ``host.stats()``).
        """

    @pytest.fixture(autouse=True)
    def _closing(self) -> Iterator[None]:
        self._made: list[QueryBackend] = []
        yield
        for backend in self._made:
            backend.close()

    def backend(self, *hosts: HostBuilder) -> QueryBackend:
        """Return a backend that is closed when the test ends; it knows one host of two VCPU."""
        backend = self.make_backend(hosts or (a_host("h1").vcpus(2),))
        self._made.append(backend)
        return backend

    def select(
        self,
        backend: QueryBackend,
        request: Request,
        *,
        request_key: str | None = None,
        dry_run: bool = False,
    ) -> Decision:
        """Ask the backend, with time enough."""
        return backend.select(
            None, request, request_key=request_key, dry_run=dry_run, deadline=self.deadline()
        )

    def release(self, backend: QueryBackend, *consumers: str) -> tuple[str, ...]:
        """Release, with time enough."""
        return backend.release(None, consumers, deadline=self.deadline())

    @staticmethod
    def deadline() -> Deadline:
        """Return a deadline that is far away."""
        return Deadline.after(60.0, SystemClock())

    def test_backend_has_the_shape_of_one(self) -> None:
        """It has the methods and the declaration that the facade relies on."""
        backend = self.backend()
        assert isinstance(backend, QueryBackend)
        assert backend.capabilities <= QUERY_CAPABILITIES

    def test_one_selection_for_each_consumer_in_order(self) -> None:
        """The answer names the request's consumers, in the request's order."""
        request = a_request(VCPU=1).instances(2).build()
        decision = self.select(self.backend(), request)
        assert tuple(item.consumer_uuid for item in decision.selections) == request.consumers
        assert all(item.destination.host for item in decision.selections)

    def test_request_stays_as_it_was(self) -> None:
        """What is asked belongs to the caller."""
        request = a_request(VCPU=1).field(hints={"a": ("b",)}).build()
        before = repr(request)
        self.select(self.backend(), request)
        assert repr(request) == before

    def test_closing_twice_does_nothing_and_later_calls_are_refused(self) -> None:
        """A closed backend says so."""
        backend = self.backend()
        backend.close()
        backend.close()
        with pytest.raises(ClientClosed):
            self.select(backend, a_request(VCPU=1).build())

    @pytest.mark.parametrize("capability", _CAPABILITIES, ids=lambda item: str(item.value))
    def test_capability_is_there_exactly_if_it_is_declared(self, capability: Capability) -> None:
        """A promise is kept, and nothing works that is not promised."""
        backend = self.backend()
        observe = getattr(self, f"observe_{capability.value}")
        check_promise(capability, backend.capabilities, observe, backend)

    def observe_claims(self, backend: QueryBackend) -> bool:
        """Tell whether a selection says that it holds what it was given, and does."""
        decision = self.select(backend, a_request(VCPU=2).build())
        refused = self._refused(backend, a_request(VCPU=1).build())
        return refused and all(item.claimed for item in decision.destinations)

    def observe_releases(self, backend: QueryBackend) -> bool:
        """Tell whether a consumer can be released once, and passed over ever after."""
        request = a_request(VCPU=2).build()
        self.select(backend, request)
        first = self.release(backend, *request.consumers, str(uuid.uuid4()))
        again = self.release(backend, *request.consumers)
        if first != request.consumers or again != ():
            return False
        self.select(backend, a_request(VCPU=2).build())
        return True

    def observe_explains(self, backend: QueryBackend) -> bool:
        """Tell whether each host's failed check is named, with its numbers."""
        request = a_request(VCPU=3).build()
        explanation = backend.explain(None, request, deadline=self.deadline())
        (verdict,) = explanation.verdicts
        (reason,) = verdict.reasons
        return (verdict.host, reason.check, reason.asked, reason.free) == ("h1", "VCPU", 3, 2)

    def observe_dry_run(self, backend: QueryBackend) -> bool:
        """Tell whether a dry run answers, and holds nothing."""
        request = a_request(VCPU=2).build()
        decision = self.select(backend, request, dry_run=True)
        if not decision.selections or any(item.claimed for item in decision.destinations):
            return False
        self.select(backend, a_request(VCPU=2).build(), dry_run=True)
        if Capability.RELEASES in backend.capabilities:
            return self.release(backend, *request.consumers) == ()
        return True

    def observe_exactly_once(self, backend: QueryBackend) -> bool:
        """Tell whether a key is answered once, the same ever after, and for one request only."""
        request = a_request(VCPU=1).build()
        key = str(uuid.uuid4())
        first = self.select(backend, request, request_key=key)
        again = self.select(backend, request, request_key=key)
        if first.replayed or not again.replayed or again.selections != first.selections:
            return False
        with pytest.raises(RequestKeyMismatch):
            self.select(backend, a_request(VCPU=2).build(), request_key=key)
        if Capability.RELEASES in backend.capabilities:
            self.release(backend, *request.consumers)
            late = self.select(backend, request, request_key=key)
            held = self.release(backend, *request.consumers)
            return late.replayed and late.selections == first.selections and held == ()
        return True

    def observe_all_or_nothing(self, backend: QueryBackend) -> bool:
        """Tell whether a request that does not fit as a whole takes nothing at all."""
        if not self._refused(backend, a_request(VCPU=1).instances(3).build()):
            return False
        return not self._refused(backend, a_request(VCPU=1).instances(2).build())

    def _refused(self, backend: QueryBackend, request: Request) -> bool:
        try:
            self.select(backend, request)
        except NoValidHost as error:
            return bool(error.message)
        return False
