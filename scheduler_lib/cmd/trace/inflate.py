"""The fragmentation test: no departures, and more demand than the cluster has."""

from __future__ import annotations

import random
from collections.abc import Sequence

from scheduler_lib.cmd.trace.reading import GPU_MILLI, Node, Task
from scheduler_lib.exceptions import InvalidFile

DEMAND = 1.3
"""GPU demand over what the cluster has."""


def arrivals(nodes: Sequence[Node], tasks: Sequence[Task], seed: int) -> list[tuple[Task, int]]:
    """Return (task, copy number) pairs in the order in which they are to be placed.

    All tasks, and copies of tasks drawn uniformly until the GPU demand reaches ``DEMAND`` times
    what the nodes have; then shuffled.

    :param seed: the same seed gives the same order.
    :raises InvalidFile: when no task asks for a GPU, so that the demand cannot grow.
    """
    source = random.Random(seed)  # noqa: S311  (an experiment that can be repeated, no secret)
    target = DEMAND * GPU_MILLI * sum(node.gpus for node in nodes)
    demand = sum(task.gpu_demand for task in tasks)
    if demand < target and not demand:
        raise InvalidFile("No task asks for a GPU: there is no demand to inflate.", line=0)
    copies: dict[str, int] = {}
    order = [(task, 0) for task in tasks]
    while demand < target:
        task = source.choice(tasks)
        copies[task.name] = copies.get(task.name, 0) + 1
        order.append((task, copies[task.name]))
        demand += task.gpu_demand
    source.shuffle(order)
    return order
