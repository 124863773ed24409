"""Rows become reports and requests as the trace's description says."""

from __future__ import annotations

from scheduler_lib.cmd.trace.mapping import RequestMaker, consumer_uuid, gpu_uuid, node_stats
from scheduler_lib.cmd.trace.reading import Node, Task
from scheduler_lib.model.request import UNSUFFIXED
from scheduler_lib.model.stats import HostStats


def task(**fields: object) -> Task:
    known: dict[str, object] = {
        "name": "t", "cpu_milli": 6000, "memory_mib": 1024, "gpus": 0, "gpu_milli": 0,
        "models": (), "created_s": 0.0, "deleted_s": None,
    }  # fmt: skip
    return Task(**{**known, **fields})  # type: ignore[arg-type]


def test_each_gpu_of_a_node_is_a_child_with_its_model_as_a_trait() -> None:
    stats = HostStats.parse(node_stats(Node("n1", 64000, 262144, 2, "P100")))
    assert stats.inventories is not None
    assert {name: item.total for name, item in stats.inventories.items()} == {
        "CUSTOM_CPU_MILLI": 64000,
        "MEMORY_MB": 262144,
    }
    assert stats.children is not None
    assert [child.uuid for child in stats.children] == [gpu_uuid("n1", 0), gpu_uuid("n1", 1)]
    for child in stats.children:
        assert {name: item.total for name, item in child.inventories.items()} == {
            "CUSTOM_GPU_MILLI": 1000
        }
        assert child.traits == {"CUSTOM_GPU_P100"}


def test_a_node_without_memory_has_no_inventory_of_it() -> None:
    assert node_stats(Node("n1", 1, 0, 0, ""))["inventories"] == {"CUSTOM_CPU_MILLI": {"total": 1}}


def test_a_task_asks_for_each_gpu_in_a_group_of_its_own() -> None:
    asked = RequestMaker().request(
        task(gpus=2, gpu_milli=1000, models=("P100", "T4")), consumer_uuid("t", 0)
    )
    assert asked.group_policy == "isolate"
    assert asked.groups[UNSUFFIXED].resources == {"CUSTOM_CPU_MILLI": 6000, "MEMORY_MB": 1024}
    further = [group for suffix, group in asked.groups.items() if suffix != UNSUFFIXED]
    assert len(further) == 2
    for group in further:
        assert group.resources == {"CUSTOM_GPU_MILLI": 1000}
        assert group.any_of == (frozenset({"CUSTOM_GPU_P100", "CUSTOM_GPU_T4"}),)


def test_a_task_without_gpus_asks_the_root_alone() -> None:
    asked = RequestMaker().request(task(memory_mib=0), consumer_uuid("t", 0))
    assert list(asked.groups) == [UNSUFFIXED]
    assert asked.groups[UNSUFFIXED].resources == {"CUSTOM_CPU_MILLI": 6000}


def test_a_task_that_asks_for_gpus_alone_has_no_further_group() -> None:
    asked = RequestMaker().request(
        task(cpu_milli=0, memory_mib=0, gpus=1, gpu_milli=500), consumer_uuid("t", 0)
    )
    assert len(asked.groups) == 1


def test_a_task_and_its_copies_are_consumers_of_their_own() -> None:
    names = {consumer_uuid("t", 0), consumer_uuid("t", 1), consumer_uuid("u", 0)}
    assert len(names) == 3
    assert consumer_uuid("t", 1) == consumer_uuid("t", 1)
