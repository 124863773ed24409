"""Rows as hosts' reports and requests."""

from __future__ import annotations

import uuid

from scheduler_lib.cmd.trace.reading import GPU_MILLI, Node, Task
from scheduler_lib.model.request import UNSUFFIXED, Request, ResourceGroup

CPU_CLASS = "CUSTOM_CPU_MILLI"
MEMORY_CLASS = "MEMORY_MB"
GPU_CLASS = "CUSTOM_GPU_MILLI"

# Names in a file become the same uuids in every run, so that runs can be compared.
_NAMESPACE = uuid.UUID("5f0c8a4e-2b0d-5a51-9a5e-3a2f6d1c7b90")


def node_stats(node: Node) -> dict[str, object]:
    """Return the report of one node: its root's inventories, and each GPU as a child."""
    inventories = {CPU_CLASS: node.cpu_milli, MEMORY_CLASS: node.memory_mib}
    traits = [model_trait(node.model)] if node.model else []
    return {
        "inventories": {name: {"total": total} for name, total in inventories.items() if total},
        "children": [
            {
                "name": f"{node.name}-gpu{index}",
                "uuid": gpu_uuid(node.name, index),
                "inventories": {GPU_CLASS: {"total": GPU_MILLI}},
                "traits": traits,
            }
            for index in range(node.gpus)
        ],
    }


def model_trait(model: str) -> str:
    """Return the trait that stands for a GPU model."""
    return f"CUSTOM_GPU_{model}"


def gpu_uuid(node_name: str, index: int) -> str:
    """Return the uuid of one GPU's provider."""
    return str(uuid.uuid5(_NAMESPACE, f"gpu/{node_name}/{index}"))


def consumer_uuid(task_name: str, copy: int) -> str:
    """Return the uuid under which a task, or a copy of it, holds its resources.

    :param copy: 0 for the task itself, then 1, 2, ... for its copies.
    """
    return str(uuid.uuid5(_NAMESPACE, f"task/{task_name}/{copy}"))


class RequestMaker:
    """Makes requests; tasks that ask for the same share their groups."""

    def __init__(self) -> None:
        self._groups: dict[tuple[object, ...], dict[str, ResourceGroup]] = {}

    def request(self, task: Task, consumer: str) -> Request:
        """Return the request of one task.

        :param consumer: the uuid that will hold the resources.
        """
        shape = (task.cpu_milli, task.memory_mib, task.gpus, task.gpu_milli, task.models)
        groups = self._groups.get(shape)
        if groups is None:
            groups = self._groups[shape] = _groups(task)
        return Request(groups=groups, consumers=(consumer,), group_policy="isolate", alternates=0)


def _groups(task: Task) -> dict[str, ResourceGroup]:
    groups = {}
    if task.cpu_milli or task.memory_mib:
        groups[UNSUFFIXED] = ResourceGroup(
            resources={CPU_CLASS: task.cpu_milli, MEMORY_CLASS: task.memory_mib}
        )
    models = frozenset(model_trait(model) for model in task.models)
    gpu = ResourceGroup(resources={GPU_CLASS: task.gpu_milli}, any_of=(models,) if models else ())
    groups.update((f"gpu{index}", gpu) for index in range(task.gpus))
    return groups
