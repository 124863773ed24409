"""Usages: what is used of a provider, and what a project uses in all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from scheduler_lib.api.call import Call, Json, Pairs, Reply
from scheduler_lib.api.handlers.addresses import provider_uuid
from scheduler_lib.api.translation import absent
from scheduler_lib.exceptions import ProviderNotFound
from scheduler_lib.model.record import UsageRecord

_TYPES_SINCE = 38
# Two types that are asked for, and no consumer has: all in one, and those without a type.
_ALL, _UNKNOWN = "all", "unknown"


def of_provider(call: Call) -> Reply:
    """Return what is used of each class that a provider has."""
    try:
        record = call.service.store.usages.of_provider(provider_uuid(call), call.deadline)
    except ProviderNotFound as error:
        raise absent(error) from None
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
    asked = call.value("consumer_type")
    records = call.service.store.usages.of_project(
        call.value("project_id") or "",
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


def project(query: Pairs) -> Mapping[str, str]:
    """Return the project that is named, for the rule that says who may see it."""
    return {"project_id": dict(query).get("project_id", "")}


def _summed(records: Iterable[UsageRecord]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for record in records:
        sums.update(record.resources)
    return sums


def _counted(records: Iterable[UsageRecord]) -> Json:
    records = list(records)
    return {**_summed(records), "consumer_count": sum(r.consumer_count for r in records)}
