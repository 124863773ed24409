"""Hosts report, an instance is placed, and given back: on a database of this directory."""

from __future__ import annotations

import uuid

from scheduler_lib import SchedulerClient, conf
from scheduler_lib.model.request import Request


def main() -> None:
    """Place one instance, and release it."""
    options = conf.load()
    options.set_override("connection", "sqlite:///first_steps.sqlite", group="database")
    with SchedulerClient(options) as client:
        for number in (1, 2, 3):
            stats = {"vcpus": 4 * number, "memory_mb": 8192 * number, "local_gb": 100}
            client.update_resource_stats(None, f"host{number}", stats)

        consumer = str(uuid.uuid4())
        request = Request.build({"VCPU": 2, "MEMORY_MB": 4096}, consumers=[consumer])
        (selection,) = client.select(None, request).selections
        print("placed on", selection.destination.host)
        print("next best:", *(each.host for each in selection.alternates))
        print("released:", len(client.release(None, [consumer])))


if __name__ == "__main__":
    main()
