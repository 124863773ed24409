"""Usages: what is used of a provider, and what a project uses in all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from scheduler_lib.api.call import Call, Json, Reply
from scheduler_lib.api.handlers.addresses import provider_uuid
from scheduler_lib.model.record import UsageRecord

RULE = "placement:usages"

_TYPES_SINCE = 38
# Two types that are asked for, and no consumer has: all in one, and those without a type.
_ALL, _UNKNOWN = "all", "unknown"


def of_provider(call: Call) -> Reply:
    """Return what is used of each class that a provider has."""
    record = call.service.store.usages.of_provider(provider_uuid(call), call.deadline)
    return Reply(
        body={
            "resource_provider_generation": record.generation,
            "usages": {name: stock.used for name, stock in record.stocks.items()},
        },
        # It is true of this moment only, whenever that began.
        modified_at=call.moment(),
    )


def of_project(call: Call) -> Reply:
    """Return what a project, or one of its users, uses: from 1.38 on by type of consumers."""
    project_id = call.value("project_id") or ""
    call.authorize(RULE, {"project_id": project_id})
    asked = call.value("consumer_type")
    records = call.service.store.usages.of_project(
        project_id,
        call.deadline,
        user_id=call.value("user_id"),
        consumer_type=None if asked == _ALL else asked,
    )
    if not call.since(_TYPES_SINCE):
        usages: Json = dict(_summed(records))
    elif asked == _ALL:
        usages = {_ALL: _counted(records)} if records else {}
    else:
        usages = {record.consumer_type or _UNKNOWN: _counted([record]) for record in records}
    return Reply(body={"usages": usages}, modified_at=call.moment())


def _summed(records: Iterable[UsageRecord]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for record in records:
        sums.update(record.resources)
    return sums


def _counted(records: Iterable[UsageRecord]) -> Json:
    records = list(records)
    return {**_summed(records), "consumer_count": sum(r.consumer_count for r in records)}
