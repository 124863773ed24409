"""Which providers a list shall show: by what they are, and by what they can give themselves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scheduler_lib.api import querystring
from scheduler_lib.api.call import Call
from scheduler_lib.fleet import Fleet
from scheduler_lib.fleet.arrays import Bools
from scheduler_lib.model.inventory import MAX_UNITS
from scheduler_lib.model.record import ProviderRecord
from scheduler_lib.placement import forest
from scheduler_lib.placement.plan import NO_CONDITION, Condition

_TRAITS = 'Invalid trait(s) in "required" parameter: '
# From so many uuids on it is quicker to read all providers than to look these up.
_MANY = 2000


def found(call: Call) -> list[ProviderRecord]:
    """Return the providers that pass every filter of the query string.

    :raises ApiError: 400 for filters that cannot mean anything.
    """
    condition, amounts = _condition(call), _amounts(call)
    uuids = None
    if condition != NO_CONDITION or amounts:
        fleet = call.service.fleet(call.deadline)
        uuids = _uuids(fleet, condition, amounts)
        call.service.keep(fleet)
        if not uuids:
            return []
    name, uuid, in_tree = (call.value(key) or None for key in ("name", "uuid", "in_tree"))
    records = call.service.store.providers.records(
        call.deadline,
        name=name,
        uuid=_lower(uuid),
        in_tree=_lower(in_tree),
        uuids=uuids if uuids is None or len(uuids) < _MANY else None,
    )
    if uuids is None:
        return records
    wanted = frozenset(uuids)
    return [record for record in records if record.uuid in wanted]


def _lower(uuid: str | None) -> str | None:
    return None if uuid is None else uuid.lower()


def _amounts(call: Call) -> dict[str, int]:
    text = call.value("resources")
    amounts = {} if text is None else querystring.resources(text)
    querystring.check_classes(call, amounts)
    return amounts


def _condition(call: Call) -> Condition:
    aggregates = querystring.aggregates(call.values("member_of"), call.minor)
    traits = querystring.traits(call.values("required"), call.minor)
    querystring.check_traits(call, traits.names(), _TRAITS)
    return Condition(
        required=traits.required,
        any_of=traits.any_of,
        forbidden=traits.forbidden,
        member_of=aggregates.member_of,
        forbidden_aggregates=aggregates.forbidden,
    )


def _uuids(fleet: Fleet, condition: Condition, amounts: Mapping[str, int]) -> list[str]:
    """Return the providers that meet a condition and have room for each amount themselves."""
    passing = forest.meeting(fleet, condition)
    for name, amount in amounts.items():
        passing = passing & _with_room(fleet, name, amount, len(passing))
    uuids = fleet.state.rows.uuids
    return [uuids[row] for row in np.flatnonzero(passing).tolist()]


def _with_room(fleet: Fleet, name: str, amount: int, size: int) -> Bools:
    """Tell for each row whether the provider allows the amount, and has it left."""
    room = np.zeros(size, dtype=np.bool_)
    stock = fleet.stock(name)
    if stock is None or amount > MAX_UNITS:
        return room
    fits = stock.free >= amount
    allowed = stock.allows(amount)
    if allowed is not None:
        fits = fits & allowed
    # An empty slot has nothing free, so its row -1 is never picked.
    room[stock.rows[fits]] = True
    return room
