"""The ten lines that the demonstration runs, and shows as they stand here."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lib import SchedulerClient
from scheduler_lib.exceptions import NoValidHost

Answer = list[dict[str, object]] | NoValidHost


def ten_lines(client: SchedulerClient) -> Iterator[tuple[str, Answer]]:  # noqa: D103  (it is shown)
    for number in range(1, 7):
        stats = {"vcpus": 8, "memory_mb": 16384 * number, "local_gb": 500}
        client.update_resource_stats(None, f"host{number}", stats)
    wanted = {"web": (3, 4096), "db": (1, 65536), "batch": (4, 8192), "huge": (1, 90112)}
    for name, (count, memory_mb) in wanted.items():
        spec = {"instance_type": {"vcpus": 2, "memory_mb": memory_mb}, "num_instances": count}
        try:
            yield name, client.select_destinations(None, spec)
        except NoValidHost as error:
            yield name, error
