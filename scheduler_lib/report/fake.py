"""A report backend for tests: records the reports, and reads them back."""

from __future__ import annotations

import json
import threading
import uuid
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict

from scheduler_lib.exceptions import ClientClosed, DuplicateHost, HostNotFound
from scheduler_lib.model.capability import Capability
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.stats import JSON_TEXTS, ChildReport, HostStats
from scheduler_lib.report.base import HostRecord, HostRecords


class FakeReport:
    """Keeps every report in memory.

    :param conf: not read.
    :param connections: not used.
    :param clock: not read.
    """

    capabilities = frozenset({Capability.READS_BACK, Capability.NESTED})

    def __init__(
        self, conf: object = None, connections: object = None, clock: Clock | None = None
    ) -> None:
        self.reports: list[tuple[ResourceName, HostStats]] = []
        self.closed = False
        self._errors: deque[Exception] = deque()
        self._hosts: dict[ResourceName, HostRecord] = {}
        self._lock = threading.Lock()

    def fail_next(self, *errors: Exception) -> FakeReport:
        """Raise these errors from the next reports, in order; a report that fails is not kept.

        :returns: itself.
        """
        self._errors.extend(errors)
        return self

    def update(
        self,
        context: object,
        name: ResourceName,
        stats: HostStats,
        *,
        deadline: Deadline | None = None,
    ) -> None:
        """Record the report.

        :raises DuplicateHost: when the name belongs to another uuid.
        """
        with self._lock:
            self._check_open()
            self.reports.append((name, stats))
            if self._errors:
                raise self._errors.popleft()
            known = self._hosts.get(name)
            _check_uuid(name, known, stats)
            self._hosts[name] = _merged(name, known, stats)

    def get(
        self, context: object, name: ResourceName, *, deadline: Deadline | None = None
    ) -> HostRecord:
        """Return what was reported of one host.

        :raises HostNotFound: when nothing was.
        """
        with self._lock:
            self._check_open()
            return _copied(self._found(name))

    def list(self, context: object, *, deadline: Deadline | None = None) -> HostRecords:
        """Return what was reported of every host, by name.

        :raises ClientClosed: after :meth:`close`.
        """
        with self._lock:
            self._check_open()
            return [_copied(self._hosts[name]) for name in sorted(self._hosts)]

    def delete(
        self, context: object, name: ResourceName, *, deadline: Deadline | None = None
    ) -> None:
        """Forget one host.

        :raises HostNotFound: when it has not reported.
        """
        with self._lock:
            self._check_open()
            self._found(name)
            del self._hosts[name]

    def close(self) -> None:
        """Refuse further calls."""
        self.closed = True

    def _check_open(self) -> None:
        if self.closed:
            raise ClientClosed("The backend 'fake' is closed.")

    def _found(self, name: ResourceName) -> HostRecord:
        if name not in self._hosts:
            raise HostNotFound(
                f"No host {str(name)!r} has reported.", host=name.host, node=name.node
            )
        return self._hosts[name]


def _check_uuid(name: ResourceName, known: HostRecord | None, stats: HostStats) -> None:
    if known is None or stats.uuid is None or known["uuid"] == stats.uuid:
        return
    raise DuplicateHost(
        f"{name} is stored with the uuid {known['uuid']}, and reported with {stats.uuid}.",
        host=name.host,
        node=name.node,
        stored=known["uuid"],
        reported=stats.uuid,
    )


def _merged(name: ResourceName, known: HostRecord | None, stats: HostStats) -> HostRecord:
    record: HostRecord = dict(known or {"uuid": stats.uuid or str(uuid.uuid4())})
    record["host"], record["hypervisor_hostname"] = name
    for column, value in stats.columns.items():
        decoded = column in JSON_TEXTS and isinstance(value, str) and value != ""
        record[column] = json.loads(str(value)) if decoded else value
    for part in ("inventories", "traits", "aggregates", "children"):
        value = getattr(stats, part)
        if value is not None:
            record[part] = _plain(value)
        else:
            record.setdefault(part, {} if part == "inventories" else [])
    return record


def _plain(value: object) -> object:
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return {key: {**asdict(item), "used": 0} for key, item in value.items()}
    if isinstance(value, tuple):
        return [_child(child) for child in value]
    return value


def _child(child: ChildReport) -> dict[str, object]:
    return {
        "name": child.name,
        "uuid": child.uuid,
        "inventories": _plain(child.inventories),
        "traits": sorted(child.traits),
        "aggregates": sorted(child.aggregates),
        "children": [_child(item) for item in child.children],
    }


def _copied(record: HostRecord) -> HostRecord:
    copy: HostRecord = json.loads(json.dumps(record))
    return copy
