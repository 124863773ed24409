"""Asking the facade, task by task, and keeping count of what came of it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from scheduler_lib.client import SchedulerClient
from scheduler_lib.cmd.trace.mapping import RequestMaker, consumer_uuid
from scheduler_lib.cmd.trace.reading import GPU_MILLI, Node, Task
from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.model.clock import Clock
from scheduler_lib.model.decision import Decision, Destination


@dataclass(frozen=True, slots=True)
class Amounts:
    """Thousandths of GPUs, thousandths of CPUs, MiB of memory."""

    gpu_milli: int = 0
    cpu_milli: int = 0
    memory_mib: int = 0

    @classmethod
    def of_nodes(cls, nodes: Iterable[Node]) -> Amounts:
        """Return what the nodes have in all."""
        total = cls()
        for node in nodes:
            total = total.plus(cls(node.gpus * GPU_MILLI, node.cpu_milli, node.memory_mib))
        return total

    @classmethod
    def of_task(cls, task: Task) -> Amounts:
        """Return what the task asks for."""
        return cls(task.gpu_demand, task.cpu_milli, task.memory_mib)

    def plus(self, other: Amounts, times: int = 1) -> Amounts:
        """Return the sum.

        :param times: how often the other is added; -1 takes it off.
        """
        return Amounts(
            self.gpu_milli + times * other.gpu_milli,
            self.cpu_milli + times * other.cpu_milli,
            self.memory_mib + times * other.memory_mib,
        )

    def highest(self, other: Amounts) -> Amounts:
        """Return the greater of each."""
        return Amounts(
            max(self.gpu_milli, other.gpu_milli),
            max(self.cpu_milli, other.cpu_milli),
            max(self.memory_mib, other.memory_mib),
        )


class PlacementSink(Protocol):
    """Takes what became of every task."""

    def placed(self, task: Task, copy: int, destination: Destination) -> None:
        """Take a task that has a host."""
        ...

    def refused(self, task: Task, copy: int, check: str) -> None:
        """Take a task that has none.

        :param check: the first check that no host was left after.
        """
        ...


@dataclass(slots=True)
class Count:
    """What has happened so far in one run.

    :ivar held: what the placed tasks hold now.
    :ivar peak: the highest of each amount so far.
    :ivar reasons: refused tasks by the first check that no host was left after.
    :ivar seconds: how long each decision took, claim included.
    :ivar lost: releases that found nothing to release.
    """

    placed: int = 0
    refused: int = 0
    lost: int = 0
    held: Amounts = field(default_factory=Amounts)
    peak: Amounts = field(default_factory=Amounts)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: array[float] = field(default_factory=lambda: array("d"))


class Placer:
    """Places tasks through the facade, and gives back what they held.

    :param context: handed on to the facade, untouched.
    """

    def __init__(
        self,
        client: SchedulerClient,
        context: object,
        clock: Clock,
        requests: RequestMaker,
        sink: PlacementSink,
    ) -> None:
        self.count = Count()
        self._client = client
        self._context = context
        self._clock = clock
        self._requests = requests
        self._sink = sink
        self._holding: dict[str, str] = {}

    def place(self, task: Task, copy: int = 0) -> None:
        """Ask for a host, and claim it there.

        :param copy: 0 for the task itself, then 1, 2, ... for its copies.
        """
        consumer = consumer_uuid(task.name, copy)
        request = self._requests.request(task, consumer)
        started = self._clock.monotonic()
        try:
            decision = self._client.select(self._context, request)
        except NoValidHost as error:
            self.count.seconds.append(self._clock.monotonic() - started)
            self._refuse(task, copy, first_failing_check(error))
            return
        self.count.seconds.append(self._clock.monotonic() - started)
        self._accept(task, copy, consumer, decision)

    def _refuse(self, task: Task, copy: int, check: str) -> None:
        self.count.refused += 1
        self.count.reasons[check] += 1
        self._sink.refused(task, copy, check)

    def _accept(self, task: Task, copy: int, consumer: str, decision: Decision) -> None:
        count = self.count
        count.placed += 1
        count.held = count.held.plus(Amounts.of_task(task))
        count.peak = count.peak.highest(count.held)
        if copy == 0:
            self._holding[task.name] = consumer
        self._sink.placed(task, copy, decision.destinations[0])

    def release(self, tasks: Sequence[Task]) -> None:
        """Give back what these tasks hold; tasks that were refused hold nothing."""
        leaving = [task for task in tasks if task.name in self._holding]
        if not leaving:
            return
        consumers = [self._holding.pop(task.name) for task in leaving]
        released = self._client.release(self._context, consumers)
        self.count.lost += len(set(consumers) - set(released))
        for task in leaving:
            self.count.held = self.count.held.plus(Amounts.of_task(task), times=-1)


def first_failing_check(error: NoValidHost) -> str:
    """Return the first check that no host was left after."""
    if error.decision is not None:
        for stage in error.decision.counts:
            if stage.after == 0:
                return stage.check
    return "none"
