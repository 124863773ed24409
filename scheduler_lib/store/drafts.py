"""Claims on their way into the books: read and checked first, then settled under the locks.

Locks are taken in one order by everybody: consumers by uuid, then providers by id. A draft takes
the first, settling it takes the second; what else must change under the providers' locks (a
reshape's inventories) is written in between.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from scheduler_lib.exceptions import (
    ClaimConflict,
    GenerationConflict,
    InvalidRequest,
)
from scheduler_lib.model.allocation import ANY_GENERATION, Claim, Receipt
from scheduler_lib.model.inventory import checked_units
from scheduler_lib.model.naming import checked_name, checked_symbol, checked_uuid
from scheduler_lib.store import allocations, changes, class_names, consumers, ledger
from scheduler_lib.store.allocations import Amount
from scheduler_lib.store.ledger import Entry, Place
from scheduler_lib.store.names import Names, standard_classes
from scheduler_lib.store.schema.changes import USAGE
from scheduler_lib.store.session import Session


@dataclass(slots=True)
class Draft:
    """Claims with what their consumers hold now.

    :ivar generations: of the consumers that are there; they are locked.
    :ivar held: what these hold.
    :ivar wanted: what all shall hold.
    :ivar booked: on whom: columns of consumers, for those that shall hold something.
    :ivar counted: providers whose generation the claims count up.
    :ivar strict: whether what a consumer held all along must suit today's limits, too.
    """

    claims: Mapping[str, Claim]
    generations: Mapping[str, int]
    held: Sequence[Amount]
    wanted: Sequence[Amount]
    booked: Mapping[str, Mapping[str, object]]
    counted: frozenset[str]
    strict: bool = False

    @property
    def entries(self) -> dict[Place, Entry]:
        """Return what each inventory is asked for, net of what the consumers give back."""
        deltas: dict[Place, int] = defaultdict(int)
        for _, provider, class_id, used in self.held:
            deltas[provider, class_id] -= used
        # What a consumer held all along may stay, even if the limits have changed since.
        kept = frozenset[Amount]() if self.strict else frozenset(self.held)
        amounts: dict[Place, list[int]] = defaultdict(list)
        for amount in self.wanted:
            place = amount[1:3]
            deltas[place] += amount.used
            if amount not in kept:
                amounts[place].append(amount.used)
        return {place: Entry(delta, tuple(amounts[place])) for place, delta in deltas.items()}


def checked(claims: Sequence[Claim]) -> dict[str, Claim]:
    """Return claims by consumer, with uuids normalised and without zeros.

    :raises InvalidRequest: when a claim cannot mean anything.
    """
    for name in _classes(claims):
        checked_symbol(name, "allocations", InvalidRequest)
    by_consumer = {claim.consumer_uuid: claim for claim in map(_checked, claims)}
    if len(by_consumer) != len(claims):
        raise InvalidRequest("A consumer is named by two claims.", field="consumer_uuid")
    return by_consumer


def draft(
    session: Session, names: Names, claims: Mapping[str, Claim], *, emptied_count: bool = True
) -> Draft:
    """Lock the consumers and read what they hold.

    :param claims: as :func:`checked` gives them.
    :param emptied_count: whether a consumer that is emptied counts a generation of what it held.
    :raises GenerationConflict: when a consumer is not at the generation that was named.
    :raises ProviderNotFound: when a provider is not there.
    :raises ResourceClassNotFound: when nobody made a class.
    """
    generations = consumers.lock(session, sorted(claims))
    for uuid, claim in claims.items():
        _check_generation(uuid, claim.consumer_generation, generations.get(uuid))
    held = allocations.held_by(session, sorted(generations))
    wanted = _amounts(session, names, claims.values())
    holders = dict.fromkeys(amount.consumer_uuid for amount in wanted)
    booked = consumers.bookings(session, names, [claims[uuid] for uuid in holders])
    counted = {amount.provider_uuid for amount in wanted}
    if emptied_count:
        counted.update(a.provider_uuid for a in held if a.consumer_uuid not in booked)
    return Draft(claims, generations, held, wanted, booked, frozenset(counted))


def settle(session: Session, names: Names, drafted: Draft) -> Receipt:
    """Lock the providers, and write what was drafted, all or nothing.

    :raises ProviderNotFound: when a provider is not there.
    :raises ResourceClassNotFound: when nobody made a class.
    :raises ClaimConflict: when the capacity is not there.
    """
    entries = drafted.entries
    try:
        ids, usages = ledger.book(session, names, entries)
    except ClaimConflict:
        class_names.check_all(session, names, _classes(drafted.claims.values()))
        raise
    ledger.bump(session, [ids[uuid] for uuid in drafted.counted])
    released = _replace(session, drafted, ids)
    changed = dict.fromkeys(place[0] for place, entry in entries.items() if entry.delta)
    return Receipt(usages, changes.append(session, changed, USAGE), released)


def _replace(session: Session, drafted: Draft, ids: Mapping[str, int]) -> tuple[str, ...]:
    """Write who holds what; return the consumers that hold nothing any more."""
    generations, booked = drafted.generations, drafted.booked
    if generations:
        allocations.delete(session, list(generations))
    allocations.insert(session, drafted.wanted, ids)
    consumers.insert(session, {u: booked[u] for u in booked if u not in generations})
    if not generations:
        return ()
    consumers.update(session, {u: booked[u] for u in booked if u in generations})
    released = tuple(u for u in drafted.claims if u in generations and u not in booked)
    consumers.delete(session, released)
    return released


def known_amounts(session: Session, names: Names, claims: Collection[Claim]) -> list[Amount] | None:
    """Return what is asked, if every resource class is known; else None."""
    wanted = _classes(claims)
    ids = names.resource_classes.get(session, wanted)
    return _rows(claims, ids) if len(ids) == len(wanted) else None


def _amounts(session: Session, names: Names, claims: Collection[Claim]) -> list[Amount]:
    """Return what is asked, with ids for the names of resource classes."""
    wanted = _classes(claims)
    ids = names.resource_classes.get(session, wanted)
    if len(ids) < len(wanted):
        if unknown := wanted - ids.keys() - standard_classes():
            ledger.check_providers(session, {u for claim in claims for u in claim.allocations})
            raise class_names.not_found(min(unknown))
        # A standard name that nobody has reported yet: it exists, but no provider has it.
        ids = {**ids, **names.resource_classes.make(session, wanted - ids.keys())}
    return _rows(claims, ids)


def _rows(claims: Collection[Claim], ids: Mapping[str, int]) -> list[Amount]:
    return [
        Amount(claim.consumer_uuid, provider, ids[name], amount)
        for claim in claims
        for provider, amounts in claim.allocations.items()
        for name, amount in amounts.items()
    ]


def _classes(claims: Collection[Claim]) -> set[str]:
    return {name for claim in claims for amounts in claim.allocations.values() for name in amounts}


def _checked(claim: Claim) -> Claim:
    """Return a claim with its uuids normalised and without zeros; names are left to the caller."""
    checked: dict[str, dict[str, int]] = {}
    for provider, amounts in claim.allocations.items():
        uuid = checked_uuid(provider, "allocations", InvalidRequest)
        if uuid in checked:
            raise InvalidRequest(f"Provider {uuid} is named twice.", field="allocations")
        checked[uuid] = {
            name: amount
            for name, amount in amounts.items()
            if checked_units(amount, f"allocations.{name}", InvalidRequest)
        }
    for field in ("project_id", "user_id"):
        if getattr(claim, field) is not None:
            checked_name(getattr(claim, field), field, InvalidRequest)
    if claim.consumer_type is not None:
        checked_symbol(claim.consumer_type, "consumer_type", InvalidRequest)
    return Claim(
        consumer_uuid=checked_uuid(claim.consumer_uuid, "consumer_uuid", InvalidRequest),
        allocations=checked,
        project_id=claim.project_id,
        user_id=claim.user_id,
        consumer_type=claim.consumer_type,
        consumer_generation=claim.consumer_generation,
    )


def _check_generation(uuid: str, expected: int | None, found: int | None) -> None:
    if expected in (found, ANY_GENERATION):
        return
    told = "holds nothing" if found is None else f"is at generation {found}"
    wanted = "to hold nothing" if expected is None else f"at generation {expected}"
    raise GenerationConflict(
        f"Consumer {uuid} {told}; it was expected {wanted}.",
        kind="consumer",
        uuid=uuid,
        expected=expected,
        found=found,
    )
