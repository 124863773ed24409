"""Claims: who holds what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from scheduler_lib.exceptions import ConsumerNotFound, GenerationConflict, InvalidRequest
from scheduler_lib.model.allocation import ANY_GENERATION, Claim, Receipt
from scheduler_lib.model.answer import RecordedAnswer
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.inventory import checked_units
from scheduler_lib.model.naming import checked_name, checked_symbol, checked_uuid
from scheduler_lib.store import allocations, changes, consumers, ledger
from scheduler_lib.store.allocations import Amount
from scheduler_lib.store.database import Database
from scheduler_lib.store.ledger import Entry, Place
from scheduler_lib.store.names import Names, standard_classes, unknown_name
from scheduler_lib.store.request_keys import RequestKeys
from scheduler_lib.store.schema.changes import USAGE
from scheduler_lib.store.session import Session


class Claims:
    """Writes and reads what consumers hold."""

    def __init__(
        self,
        database: Database,
        names: Names,
        request_keys: RequestKeys,
        pruning: changes.Pruning,
    ) -> None:
        self._database = database
        self._names = names
        self._request_keys = request_keys
        self._pruning = pruning

    def write(
        self,
        claims: Sequence[Claim],
        deadline: Deadline,
        *,
        answer: RecordedAnswer | None = None,
    ) -> Receipt:
        """Write claims, all or nothing; each replaces what its consumer held.

        :param answer: what to record under a request key, in the same transaction.
        :returns: the usages after it, the feed's rows, and consumers that hold nothing any more.
        :raises InvalidRequest: when a claim cannot mean anything.
        :raises ProviderNotFound: when a provider is not there.
        :raises ClaimConflict: when the capacity is not there; `asked` is what would be used more.
        :raises GenerationConflict: when a consumer is not at the generation that was named.
        :raises RequestKeyTaken: when the key has been answered meanwhile.
        """
        for name in _classes(claims):
            checked_symbol(name, "allocations", InvalidRequest)
        by_consumer = {claim.consumer_uuid: claim for claim in map(_checked, claims)}
        if len(by_consumer) != len(claims):
            raise InvalidRequest("A consumer is named by two claims.", field="consumer_uuid")

        def work(session: Session) -> Receipt:
            if answer is not None:
                self._request_keys.record(session, answer)
            receipt = self._write(session, by_consumer)
            self._pruning.run(session)
            return receipt

        return self._database.write(work, deadline, "writing claims")

    def release(self, consumer_uuids: Iterable[str], deadline: Deadline) -> Receipt:
        """Let consumers hold nothing; those that hold nothing already are left out of the receipt.

        :raises InvalidRequest: for what is no uuid.
        """
        uuids = dict.fromkeys(
            checked_uuid(uuid, "consumer_uuid", InvalidRequest) for uuid in consumer_uuids
        )
        return self.write(
            [Claim(uuid, {}, consumer_generation=ANY_GENERATION) for uuid in uuids], deadline
        )

    def get(self, consumer_uuid: str, deadline: Deadline) -> Claim:
        """Return what a consumer holds, as a claim that would write it again.

        :raises ConsumerNotFound: when it holds nothing.
        """
        uuid = checked_uuid(consumer_uuid, "consumer_uuid", InvalidRequest)
        deadline.check("reading a consumer")
        with self._database.snapshot() as session:
            stored = consumers.read(session, uuid)
            held = allocations.held_by(session, [uuid])
            classes = self._names.resource_classes.names(session, (a.class_id for a in held))
        if stored is None:
            raise ConsumerNotFound(f"Consumer {uuid} holds nothing.", consumer=uuid)
        by_provider: dict[str, dict[str, int]] = defaultdict(dict)
        for amount in held:
            by_provider[amount.provider_uuid][classes[amount.class_id]] = amount.used
        return Claim(
            consumer_uuid=uuid,
            allocations=dict(by_provider),
            project_id=stored.project_id,
            user_id=stored.user_id,
            consumer_type=stored.consumer_type,
            consumer_generation=stored.generation,
        )

    def _write(self, session: Session, claims: Mapping[str, Claim]) -> Receipt:
        if not claims:
            return Receipt()
        generations = consumers.lock(session, sorted(claims))
        for uuid, claim in claims.items():
            _check_generation(uuid, claim.consumer_generation, generations.get(uuid))
        held = allocations.held_by(session, sorted(generations))
        wanted = self._amounts(session, claims.values())
        holders = dict.fromkeys(amount.consumer_uuid for amount in wanted)
        booked = consumers.bookings(session, self._names, (claims[uuid] for uuid in holders))
        entries = _entries(held, wanted)
        ids, usages = ledger.book(session, self._names, entries)
        ledger.bump(session, list(ids.values()))
        if generations:
            allocations.delete(session, list(generations))
        allocations.insert(session, wanted, ids)
        consumers.insert(session, {u: booked[u] for u in holders if u not in generations})
        released: tuple[str, ...] = ()
        if generations:
            consumers.update(session, {u: booked[u] for u in holders if u in generations})
            released = tuple(u for u in claims if u in generations and u not in holders)
            consumers.delete(session, released)
        changed = dict.fromkeys(place[0] for place, entry in entries.items() if entry.delta)
        return Receipt(usages, changes.append(session, changed, USAGE), released)

    def _amounts(self, session: Session, claims: Collection[Claim]) -> list[Amount]:
        """Return what is asked, with ids for the names of resource classes."""
        names = _classes(claims)
        ids = self._names.resource_classes.get(session, names)
        if len(ids) < len(names):
            for name in sorted(names - ids.keys() - standard_classes()):
                raise unknown_name(name, standard_classes(), "allocations", InvalidRequest)
            # A standard name that nobody has reported yet: it exists, but no provider has it.
            ids = self._names.resource_classes.make(session, names)
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
    return Claim(
        consumer_uuid=checked_uuid(claim.consumer_uuid, "consumer_uuid", InvalidRequest),
        allocations=checked,
        project_id=claim.project_id,
        user_id=claim.user_id,
        consumer_type=checked_symbol(claim.consumer_type, "consumer_type", InvalidRequest),
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


def _entries(held: Sequence[Amount], wanted: Sequence[Amount]) -> dict[Place, Entry]:
    """Return what each inventory is asked for, net of what the same consumers give back."""
    deltas: dict[Place, int] = defaultdict(int)
    for _, provider, class_id, used in held:
        deltas[provider, class_id] -= used
    # What a consumer held all along may stay, even if the limits have changed since.
    kept = set(held)
    amounts: dict[Place, list[int]] = defaultdict(list)
    for amount in wanted:
        place = amount[1:3]
        deltas[place] += amount.used
        if amount not in kept:
            amounts[place].append(amount.used)
    return {place: Entry(delta, tuple(amounts[place])) for place, delta in deltas.items()}
