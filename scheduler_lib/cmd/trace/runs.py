"""Whole runs: a database, the nodes' reports, the tasks, the books checked at the end."""

from __future__ import annotations

import enum
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scheduler_lib import conf
from scheduler_lib.client import SchedulerClient
from scheduler_lib.cmd.trace import history, inflate
from scheduler_lib.cmd.trace.mapping import RequestMaker, node_stats
from scheduler_lib.cmd.trace.placements import NoPlacements, PlacementFile
from scheduler_lib.cmd.trace.placing import Amounts, Placer
from scheduler_lib.cmd.trace.policy import SETTINGS, Policy
from scheduler_lib.cmd.trace.reading import Node, Task
from scheduler_lib.cmd.trace.report import Outcome
from scheduler_lib.exceptions import InvalidConfiguration
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.store.store import Store

if TYPE_CHECKING:
    from oslo_config.cfg import ConfigOpts

CONTEXT: object = None
"""The facade's calls take a context; a replay has none."""

CHECK_TIMEOUT_S = 600.0

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


class Mode(enum.Enum):
    """In which order tasks come and go."""

    HISTORY = "history"
    """As it happened: arrivals and departures at their times."""
    INFLATE = "inflate"
    """No departures, and copies until the GPU demand is 130 % of the cluster."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run.

    :ivar connection: a database without hosts to run on; None for a temporary one for each run.
    """

    nodes: Sequence[Node]
    tasks: Sequence[Task]
    mode: Mode
    policy: Policy
    seeds: Sequence[int]
    connection: str | None = None
    placements: Path | None = None


def run(plan: Plan, clock: Clock, progress: Progress) -> tuple[Outcome, ...]:
    """Return one outcome for each seed.

    :raises InvalidConfiguration: when several runs shall share one database, or it has hosts.
    :raises InvalidFile: when the placements cannot be written, or the demand cannot be inflated.
    """
    if plan.connection is not None and len(plan.seeds) > 1:
        raise InvalidConfiguration(
            "Several seeds need a fresh database each.",
            hint="Leave out --connection, or run one seed.",
            field="seeds",
        )
    if plan.placements is None:
        return tuple(_run(plan, seed, clock, progress, None) for seed in plan.seeds)
    with PlacementFile(plan.placements) as sink:
        return tuple(_run(plan, seed, clock, progress, sink) for seed in plan.seeds)


def _run(
    plan: Plan, seed: int, clock: Clock, progress: Progress, sink: PlacementFile | None
) -> Outcome:
    if sink is not None:
        sink.seed = seed
    with _options(plan, seed) as options, SchedulerClient(options) as client:
        _check_empty(client)
        _report_nodes(client, plan.nodes, progress)
        placer = Placer(client, CONTEXT, clock, RequestMaker(), sink or NoPlacements())
        books = Books(options, clock)
        if plan.mode is Mode.HISTORY:
            held = _history(plan, placer, books, progress)
        else:
            held = _inflate(plan, seed, placer, progress)
        balanced = books.check() and placer.count.lost == 0
    return Outcome(seed, placer.count, held, Amounts.of_nodes(plan.nodes), balanced)


@contextmanager
def _options(plan: Plan, seed: int) -> Iterator[ConfigOpts]:
    with tempfile.TemporaryDirectory(prefix="scheduler_lib-replay-") as directory:
        url = plan.connection or f"sqlite:///{directory}/replay.sqlite"
        options = conf.load()
        # A `$` would be taken for a reference to another option.
        options.set_override("connection", url.replace("$", "$$"), group="database")
        for name, value in SETTINGS[plan.policy].items():
            options.set_override(name, value, group="filter_scheduler")
        options.set_override("random_seed", seed, group="filter_scheduler")
        yield options


def _check_empty(client: SchedulerClient) -> None:
    if client.list_resource_stats(CONTEXT):
        raise InvalidConfiguration(
            "The database has hosts already; a replay needs one without.",
            hint="Name another database in --connection, or leave it out for a temporary one.",
            field="connection",
        )


def _report_nodes(client: SchedulerClient, nodes: Sequence[Node], progress: Progress) -> None:
    for number, node in enumerate(nodes, 1):
        client.update_resource_stats(CONTEXT, (node.name, node.name), node_stats(node))
        progress("reporting nodes", number, len(nodes))


def _history(plan: Plan, placer: Placer, books: Books, progress: Progress) -> Amounts:
    held = Amounts()
    for number, step in enumerate(history.steps(plan.tasks), 1):
        if step.arriving is None:
            held = placer.count.held
            books.check()
        placer.release(step.leaving)
        if step.arriving is not None:
            placer.place(step.arriving)
            progress("placing tasks", number, len(plan.tasks))
    return held


def _inflate(plan: Plan, seed: int, placer: Placer, progress: Progress) -> Amounts:
    order = inflate.arrivals(plan.nodes, plan.tasks, seed)
    for number, (task, copy) in enumerate(order, 1):
        placer.place(task, copy)
        progress(f"placing tasks, seed {seed}", number, len(order))
    return placer.count.held


class Books:
    """Checks the books beside the client, on connections of its own.

    :param options: where the books are.
    """

    def __init__(self, options: ConfigOpts, clock: Clock) -> None:
        self._options = options
        self._clock = clock
        self._sound = True

    def check(self) -> bool:
        """Check now; return whether this and every earlier check found nothing wrong."""
        database = conf.database.settings(self._options)
        capacity = conf.capacity.settings(self._options)
        with Store(database, capacity, self._clock) as store:
            found = store.books.check(Deadline.after(CHECK_TIMEOUT_S, self._clock))
        self._sound = self._sound and not found
        return self._sound
