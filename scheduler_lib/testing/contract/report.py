"""What every report backend must do, and what each capability means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import pytest

from scheduler_lib.exceptions import (
    ClientClosed,
    DuplicateHost,
    HostNotFound,
)
from scheduler_lib.model.capability import Capability
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.stats import HostStats
from scheduler_lib.report.base import REPORT_CAPABILITIES, HostRecord, ReportBackend
from scheduler_lib.testing.builders import HostBuilder, a_host
from scheduler_lib.testing.contract.promises import check_promise

_CAPABILITIES = sorted(REPORT_CAPABILITIES, key=lambda capability: capability.value)
_UUID = "11111111-2222-4333-8444-555555555555"
_OTHER = "99999999-2222-4333-8444-555555555555"
_AGGREGATE = "aaaaaaaa-2222-4333-8444-555555555555"


class ReportContract(ABC):
    """Subclass it, name the class ``Test...``, and define :meth:`make_backend`."""

    @abstractmethod
    def make_backend(self) -> ReportBackend:
        """Return a new backend; in one test, each looks at the same place, empty at first."""

    @pytest.fixture(autouse=True)
    def _closing(self) -> Iterator[None]:
        self._made: list[ReportBackend] = []
        yield
        for backend in self._made:
            backend.close()

    def backend(self) -> ReportBackend:
        """Return a new backend that is closed when the test ends."""
        backend = self.make_backend()
        self._made.append(backend)
        return backend

    def report(self, backend: ReportBackend, host: HostBuilder) -> None:
        """Push a host's report, with time enough."""
        stats = HostStats.parse(host.stats())
        backend.update(None, ResourceName.parse(host.name), stats, deadline=self.deadline())

    def read(self, backend: ReportBackend, name: str | tuple[str, str]) -> HostRecord:
        """Read one host back, with time enough."""
        return backend.get(None, ResourceName.parse(name), deadline=self.deadline())

    @staticmethod
    def deadline() -> Deadline:
        """Return a deadline that is far away."""
        return Deadline.after(60.0, SystemClock())

    def test_backend_has_the_shape_of_one(self) -> None:
        """It has the methods and the declaration that the facade relies on."""
        backend = self.backend()
        assert isinstance(backend, ReportBackend)
        assert backend.capabilities <= REPORT_CAPABILITIES

    def test_report_sent_twice_is_as_good_as_sent_once(self) -> None:
        """The facade may send a report again when it does not know what became of it."""
        backend = self.backend()
        self.report(backend, a_host("h1").field(uuid=_UUID))
        self.report(backend, a_host("h1").field(uuid=_UUID))
        if Capability.READS_BACK in backend.capabilities:
            assert len(backend.list(None, deadline=self.deadline())) == 1

    def test_another_uuid_under_a_known_name_is_refused(self) -> None:
        """A name belongs to the uuid that reported it first."""
        backend = self.backend()
        if Capability.READS_BACK not in backend.capabilities:
            pytest.skip("nothing is kept that a uuid could contradict")
        self.report(backend, a_host("h1").vcpus(8).field(uuid=_UUID))
        with pytest.raises(DuplicateHost):
            self.report(backend, a_host("h1").vcpus(4).field(uuid=_OTHER))
        assert self.read(backend, "h1")["vcpus"] == 8

    def test_closing_twice_does_nothing_and_later_calls_are_refused(self) -> None:
        """A closed backend says so."""
        backend = self.backend()
        backend.close()
        backend.close()
        with pytest.raises(ClientClosed):
            self.report(backend, a_host("h1"))

    @pytest.mark.parametrize("capability", _CAPABILITIES, ids=lambda item: str(item.value))
    def test_capability_is_there_exactly_if_it_is_declared(self, capability: Capability) -> None:
        """A promise is kept, and nothing works that is not promised."""
        backend = self.backend()
        observe = getattr(self, f"observe_{capability.value}")
        check_promise(capability, backend.capabilities, observe, backend)

    def observe_reads_back(self, backend: ReportBackend) -> bool:
        """Tell whether hosts are read, listed by name, changed in part, and deleted."""
        self.report(backend, a_host(("h2", "n2")).vcpus(4))
        self.report(backend, a_host("h1").vcpus(8).field(stats={"a": "b"}))
        self.report(backend, HostBuilder("h1").field(running_vms=3))
        first = self.read(backend, "h1")
        rows = backend.list(None, deadline=self.deadline())
        names = [(row["host"], row["hypervisor_hostname"]) for row in rows]
        backend.delete(None, ResourceName("h1", "h1"), deadline=self.deadline())
        told = (first["vcpus"], first["running_vms"], first["stats"])
        gone = self._gone(backend)
        return gone and names == [("h1", "h1"), ("h2", "n2")] and told == (8, 3, {"a": "b"})

    def observe_durable(self, backend: ReportBackend) -> bool:
        """Tell whether a report is there for a backend that is made after this one was closed."""
        self.report(backend, a_host("h1"))
        backend.close()
        return not self._gone(self.backend())

    def observe_shared(self, backend: ReportBackend) -> bool:
        """Tell whether a backend sees what another one beside it took."""
        self.report(backend, a_host("h1"))
        return not self._gone(self.backend())

    def observe_nested(self, backend: ReportBackend) -> bool:
        """Tell whether children, traits and aggregates are kept."""
        child = {"VGPU": 4}
        host = a_host("h1").trait("HW_CPU_X86_AVX2").aggregate(_AGGREGATE)
        self.report(backend, host.child("h1_gpu0", child, traits=("CUSTOM_A100",)))
        row = self.read(backend, "h1")
        (kept,) = row["children"]  # type: ignore[misc]
        told = (row["traits"], row["aggregates"], kept["name"], kept["traits"])  # type: ignore[has-type]
        total = kept["inventories"]["VGPU"]["total"]  # type: ignore[has-type]
        wanted = (["HW_CPU_X86_AVX2"], [_AGGREGATE], "h1_gpu0", ["CUSTOM_A100"])
        return told == wanted and total == 4

    def _gone(self, backend: ReportBackend) -> bool:
        try:
            self.read(backend, "h1")
        except HostNotFound:
            return True
        return False
