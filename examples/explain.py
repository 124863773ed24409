"""Why no host takes a request, host by host, with the numbers."""

from __future__ import annotations

import uuid

from scheduler_lib import SchedulerClient, conf
from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.model.request import Request


def main() -> None:
    """Ask for too much, and print what every host lacks."""
    options = conf.load()
    options.set_override("connection", "sqlite:///explain.sqlite", group="database")
    with SchedulerClient(options) as client:
        client.update_resource_stats(None, "small", {"vcpus": 2, "memory_mb": 4096})
        client.update_resource_stats(
            None, "off", {"vcpus": 64, "memory_mb": 262144, "disabled": True}
        )
        client.update_resource_stats(None, "large", {"vcpus": 64, "memory_mb": 262144})

        request = Request.build(
            {"VCPU": 8, "MEMORY_MB": 65536},
            consumers=[str(uuid.uuid4())],
            required=["HW_CPU_X86_AVX512F"],
        )
        try:
            client.select(None, request)
        except NoValidHost as error:
            print(error)
            for reason in error.decision.reasons() if error.decision else ():
                print(f"{reason.host}: {reason.message} ({reason.kind.value})")


if __name__ == "__main__":
    main()
