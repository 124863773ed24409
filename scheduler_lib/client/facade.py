"""The client that callers hold."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TypeVar, overload

from scheduler_lib.client.backends import Backends
from scheduler_lib.client.calls import Calls, request_id
from scheduler_lib.client.reported import LastReports
from scheduler_lib.client.statistics import Statistics
from scheduler_lib.exceptions import InvalidInput, InvalidRequest, InvalidStats
from scheduler_lib.model.clock import Clock, Deadline, SystemClock
from scheduler_lib.model.decision import Decision, Destination, Explanation
from scheduler_lib.model.naming import ResourceName, checked_name, checked_uuid, key_text, shortened
from scheduler_lib.model.nova.juno import request_from_legacy
from scheduler_lib.model.nova.requestspec import request_from_spec
from scheduler_lib.model.primitive import stats_digest
from scheduler_lib.model.request import Request
from scheduler_lib.model.stats import HostStats
from scheduler_lib.query.base import QueryBackend
from scheduler_lib.report.base import HostRecord, HostRecords, ReportBackend

if TYPE_CHECKING:
    from oslo_config.cfg import ConfigOpts

LOG = logging.getLogger("scheduler_lib.client")

T = TypeVar("T")
PlainDestination = dict[str, object]


class SchedulerClient:
    """Picks hosts, and takes what hosts report.

    Every call takes the caller's request context first (any object, or None; a ``request_id`` in it
    is logged), and ``deadline_s``, the seconds the whole call may take. Any number of threads may
    share one client. The first call connects; ``close`` and ``with`` release.

    Beside what each method names, every call may raise ``InvalidConfiguration``, ``PluginNotFound``
    and ``SchemaMismatch`` (it cannot begin), ``BackendUnavailable``, ``StorageFull`` and
    ``DeadlineExceeded`` (it may work later), ``BackendFailure``, and ``ClientClosed``.

    :param conf: options made by ``scheduler_lib.conf.load``, or a ``ConfigOpts`` of the caller's
        own; None for the defaults.
    :param query: the query backend, by name or as an object; None for the configured one.
    :param report: the report backend, by name or as an object; None for the configured one.
    :param clock: what the time is read on; None for the machine's clock.
    """

    def __init__(
        self,
        conf: ConfigOpts | None = None,
        *,
        query: QueryBackend | str | None = None,
        report: ReportBackend | str | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.statistics = Statistics()
        self._clock: Clock = clock or SystemClock()
        self._backends = Backends(conf, query, report, self._clock)
        self._calls: Calls | None = None
        self._last = LastReports(self._clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release connections and memory; later calls raise :class:`ClientClosed`."""
        self._backends.close()

    @overload
    def select_destinations(
        self,
        context: object,
        request_spec: Mapping[str, object] | None = ...,
        filter_properties: Mapping[str, object] | None = ...,
        *,
        spec_obj: object = ...,
        instance_uuids: Sequence[str] | None = ...,
        return_objects: Literal[False] = ...,
        return_alternates: bool = ...,
        deadline_s: float | None = ...,
    ) -> list[PlainDestination]: ...

    @overload
    def select_destinations(
        self,
        context: object,
        request_spec: Mapping[str, object] | None = ...,
        filter_properties: Mapping[str, object] | None = ...,
        *,
        spec_obj: object = ...,
        instance_uuids: Sequence[str] | None = ...,
        return_objects: Literal[True],
        return_alternates: bool = ...,
        deadline_s: float | None = ...,
    ) -> list[list[Destination]]: ...

    @overload
    def select_destinations(
        self,
        context: object,
        request_spec: Mapping[str, object] | None = ...,
        filter_properties: Mapping[str, object] | None = ...,
        *,
        spec_obj: object = ...,
        instance_uuids: Sequence[str] | None = ...,
        return_objects: bool,
        return_alternates: bool = ...,
        deadline_s: float | None = ...,
    ) -> list[PlainDestination] | list[list[Destination]]: ...

    def select_destinations(
        self,
        context: object,
        request_spec: Mapping[str, object] | None = None,
        filter_properties: Mapping[str, object] | None = None,
        *,
        spec_obj: object = None,
        instance_uuids: Sequence[str] | None = None,
        return_objects: bool = False,
        return_alternates: bool = False,
        deadline_s: float | None = None,
    ) -> list[PlainDestination] | list[list[Destination]]:
        """Pick and claim a host for each instance.

        :param request_spec: what is asked, in the form of Nova's Juno release.
        :param filter_properties: how to choose, in the same form.
        :param spec_obj: instead of both, a RequestSpec: its primitive, or an object with the same
            attributes.
        :param instance_uuids: the instances, one host each; None to read them from the request, or
            to make them.
        :param return_objects: give destinations instead of dictionaries.
        :param return_alternates: with ``return_objects``, give the next-best hosts too.
        :returns: one ``{"host", "nodename", "limits"}`` for each instance, in order; or, for each,
            a list of its destination and the alternates.
        :raises NoValidHost: when not every instance can be placed; nothing is claimed then.
        :raises InvalidRequest: naming what is wrong with the request.
        :raises GenerationConflict: when an instance holds something already.
        """
        wants_alternates = bool(return_objects and return_alternates)

        def act(deadline: Deadline) -> Decision:
            request = _request(request_spec, filter_properties, spec_obj, instance_uuids)
            if not wants_alternates:
                request = replace(request, alternates=0)
            return self._selected(context, request, None, False, deadline)

        decision = self._run("select_destinations", context, act, deadline_s=deadline_s)
        if return_objects:
            return [[item.destination, *item.alternates] for item in decision.selections]
        return [item.destination.as_dict() for item in decision.selections]

    def select_resources(
        self,
        context: object,
        resource_request: Mapping[str, object],
        *,
        deadline_s: float | None = None,
    ) -> list[PlainDestination]:
        """Pick and claim a host for each instance, asked in one dictionary.

        :param resource_request: holds ``request_spec`` and ``filter_properties``.
        :returns: one ``{"host", "nodename", "limits"}`` for each instance, in order.
        :raises NoValidHost: when not every instance can be placed; nothing is claimed then.
        :raises InvalidRequest: naming what is wrong with the request.
        :raises GenerationConflict: when an instance holds something already.
        """

        def act(deadline: Deadline) -> Decision:
            spec, properties = _halves(resource_request)
            request = replace(_request(spec, properties, None, None), alternates=0)
            return self._selected(context, request, None, False, deadline)

        decision = self._run("select_resources", context, act, deadline_s=deadline_s)
        return [item.destination.as_dict() for item in decision.selections]

    def select(
        self,
        context: object,
        request: Request,
        *,
        request_key: str | None = None,
        dry_run: bool = False,
        deadline_s: float | None = None,
    ) -> Decision:
        """Pick and claim a host for each consumer of a typed request.

        :param request_key: a text of the caller's choice; the same request under the same key is
            answered once, and that answer repeated for ``[database] request_key_retention_s``.
        :param dry_run: pick, but claim nothing.
        :raises NoValidHost: when not every consumer can be placed; nothing is claimed then.
        :raises InvalidRequest: naming what is wrong with the request or the key.
        :raises GenerationConflict: when a consumer holds something already.
        :raises UnsupportedOperation: for a key or a dry run that the query backend does not offer.
        :raises RequestKeyMismatch: when the key was used for another request.
        """

        def act(deadline: Deadline) -> Decision:
            _check_request(request)
            _check_key(request_key, dry_run)
            return self._selected(context, request, request_key, dry_run, deadline)

        repeatable = request_key is not None or dry_run
        return self._run("select", context, act, deadline_s=deadline_s, repeatable=repeatable)

    def explain(
        self, context: object, request: Request, *, deadline_s: float | None = None
    ) -> Explanation:
        """Return, for every host, every check it fails or the scores it gets.

        :raises InvalidRequest: naming what is wrong with the request.
        :raises UnsupportedOperation: when the query backend does not explain.
        """

        def act(deadline: Deadline) -> Explanation:
            _check_request(request)
            return self._backends.query().explain(context, request, deadline=deadline)

        return self._run("explain", context, act, deadline_s=deadline_s, repeatable=True)

    def release(
        self,
        context: object,
        consumer_uuids: Iterable[str],
        *,
        deadline_s: float | None = None,
    ) -> tuple[str, ...]:
        """Give back all that the consumers hold; those that hold nothing are passed over.

        :returns: the consumers that held something.
        :raises InvalidRequest: when a consumer is no UUID.
        :raises UnsupportedOperation: when the query backend holds nothing that could be released.
        """

        def act(deadline: Deadline) -> tuple[str, ...]:
            consumers = _consumers(consumer_uuids)
            if not consumers:
                return ()
            return self._backends.query().release(context, consumers, deadline=deadline)

        return self._run("release", context, act, deadline_s=deadline_s, repeatable=True)

    def update_resource_stats(
        self,
        context: object,
        name: str | tuple[str, str],
        stats: Mapping[str, object],
        *,
        deadline_s: float | None = None,
    ) -> None:
        """Create a host, or bring it up to date; a report that says nothing new is not sent.

        :param name: ``"host"`` or ``("host", "node")``.
        :param stats: the fields of ``compute_nodes`` (JSON ones as text or decoded), and
            ``inventories``, ``traits``, ``aggregates``, ``availability_zone``, ``children``; what
            is not named stays as it is.
        :raises InvalidStats: naming the field; nothing is written then.
        :raises DuplicateHost: when the name belongs to another uuid.
        :raises HostInUse: when a child or an inventory with allocations is no longer reported.
        """

        def act(deadline: Deadline) -> None:
            parsed_name = ResourceName.parse(name, InvalidStats)
            self._report(context, parsed_name, _report_of(parsed_name, stats), deadline)

        self._run("update_resource_stats", context, act, deadline_s=deadline_s, repeatable=True)

    def get_resource_stats(
        self, context: object, name: str | tuple[str, str], *, deadline_s: float | None = None
    ) -> HostRecord:
        """Return what is known of one host: the fields of ``compute_nodes``, and its structure.

        :raises HostNotFound: when it has never reported.
        :raises InvalidInput: when the name is none.
        """

        def act(deadline: Deadline) -> HostRecord:
            parsed = ResourceName.parse(name, InvalidInput)
            return self._backends.report().get(context, parsed, deadline=deadline)

        return self._run("get_resource_stats", context, act, deadline_s=deadline_s, repeatable=True)

    def list_resource_stats(
        self, context: object, *, deadline_s: float | None = None
    ) -> HostRecords:
        """Return what is known of every host, by name."""

        def act(deadline: Deadline) -> HostRecords:
            return self._backends.report().list(context, deadline=deadline)

        return self._run(
            "list_resource_stats", context, act, deadline_s=deadline_s, repeatable=True
        )

    def delete_resource(
        self, context: object, name: str | tuple[str, str], *, deadline_s: float | None = None
    ) -> None:
        """Forget one host with everything below it.

        :raises HostNotFound: when it has never reported.
        :raises HostInUse: when it still holds allocations.
        :raises InvalidInput: when the name is none.
        """

        def act(deadline: Deadline) -> None:
            parsed = ResourceName.parse(name, InvalidInput)
            self._last.forget(parsed)
            self._backends.report().delete(context, parsed, deadline=deadline)

        self._run("delete_resource", context, act, deadline_s=deadline_s)

    def _run(
        self,
        operation: str,
        context: object,
        act: Callable[[Deadline], T],
        *,
        deadline_s: float | None,
        repeatable: bool = False,
    ) -> T:
        return self._prepared().run(
            operation, context, act, deadline_s=deadline_s, repeatable=repeatable
        )

    def _prepared(self) -> Calls:
        if self._calls is None:
            # Two first calls may both get here; they make equal things.
            self._calls = Calls(self._backends.settings(), self._clock, self.statistics)
        return self._calls

    def _selected(
        self,
        context: object,
        request: Request,
        request_key: str | None,
        dry_run: bool,
        deadline: Deadline,
    ) -> Decision:
        return self._backends.query().select(
            context, request, request_key=request_key, dry_run=dry_run, deadline=deadline
        )

    def _report(
        self, context: object, name: ResourceName, stats: HostStats, deadline: Deadline
    ) -> None:
        backend = self._backends.report()
        digest = stats_digest(stats)
        if not self._last.begin(name, digest, self._prepared().settings.report_refresh_s):
            self.statistics.dropped("update_resource_stats")
            LOG.debug("%sreport of %s says nothing new", request_id(context), name)
            return
        accepted: bytes | None = None
        try:
            backend.update(context, name, stats, deadline=deadline)
            accepted = digest
        finally:
            self._last.end(name, accepted)


def _request(
    request_spec: object, filter_properties: object, spec_obj: object, instance_uuids: object
) -> Request:
    if spec_obj is not None:
        return request_from_spec(spec_obj, instance_uuids, _new_uuid)
    if request_spec is None:
        raise InvalidRequest(
            "Neither request_spec nor spec_obj says what is asked.", field="request_spec"
        )
    return request_from_legacy(request_spec, filter_properties, instance_uuids, _new_uuid)


def _new_uuid() -> str:
    return str(uuid.uuid4())


def _halves(resource_request: object) -> tuple[object, object]:
    if not isinstance(resource_request, Mapping):
        raise InvalidRequest(
            f"resource_request must be a mapping, not {shortened(resource_request)}.",
            field="resource_request",
        )
    known = ("request_spec", "filter_properties")
    unknown = sorted(key_text(key) for key in resource_request if key not in known)
    if unknown:
        raise InvalidRequest(
            f"resource_request has no field {shortened(unknown[0])}; it holds "
            f"{' and '.join(known)}.",
            field=f"resource_request.{unknown[0]}"[:300],
        )
    return resource_request.get("request_spec"), resource_request.get("filter_properties")


def _check_request(request: object) -> None:
    if not isinstance(request, Request):
        raise InvalidRequest(
            f"request must be a Request, not {shortened(request)}.", field="request"
        )


def _check_key(request_key: object, dry_run: bool) -> None:
    if request_key is None:
        return
    checked_name(request_key, "request_key", InvalidRequest)
    if dry_run:
        raise InvalidRequest(
            "A dry run records nothing, so it takes no request_key.", field="request_key"
        )


def _consumers(consumer_uuids: object) -> tuple[str, ...]:
    if isinstance(consumer_uuids, str | bytes | Mapping) or not isinstance(
        consumer_uuids, Iterable
    ):
        raise InvalidRequest(
            f"consumer_uuids must be a list, not {shortened(consumer_uuids)}.",
            field="consumer_uuids",
        )
    checked = (checked_uuid(item, "consumer_uuids", InvalidRequest) for item in consumer_uuids)
    return tuple(dict.fromkeys(checked))


def _report_of(name: ResourceName, stats: object) -> HostStats:
    parsed = HostStats.parse(stats)
    parsed.check_tree(name.node)
    given: Mapping[str, object] = stats if isinstance(stats, Mapping) else {}
    for field, part in (("host", name.host), ("hypervisor_hostname", name.node)):
        told = given.get(field)
        if told is not None and told != part:
            raise InvalidStats(
                f"{field} is {shortened(told)}, but the report is for {part!r}.",
                hint="Name a node that is not called like its host as (host, node).",
                field=field,
            )
    return parsed
