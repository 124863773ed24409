"""Claims: who holds what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.allocation import ANY_GENERATION, Claim, Receipt
from scheduler_lib.model.answer import RecordedAnswer
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.naming import checked_uuid
from scheduler_lib.model.record import ConsumerRecord, HoldersRecord
from scheduler_lib.store import changes, drafts, holdings
from scheduler_lib.store.consumers import INCOMPLETE
from scheduler_lib.store.database import Database
from scheduler_lib.store.names import Names
from scheduler_lib.store.quick_claims import QuickClaims
from scheduler_lib.store.request_keys import RequestKeys
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

        As in Placement, a generation more is counted for each provider that a claim names, and for
        those that a claim of nothing empties; not for one that a consumer merely leaves.

        :param answer: what to record under a request key, in the same transaction.
        :returns: the usages after it, the feed's rows, and consumers that hold nothing any more.
        :raises InvalidRequest: when a claim cannot mean anything.
        :raises ProviderNotFound: when a provider is not there.
        :raises ResourceClassNotFound: when nobody made a class.
        :raises ClaimConflict: when the capacity is not there; `asked` is what would be used more.
        :raises GenerationConflict: when a consumer is not at the generation that was named.
        :raises RequestKeyTaken: when the key has been answered meanwhile.
        """
        by_consumer = drafts.checked(claims)

        def work(session: Session) -> Receipt:
            if answer is not None:
                self._request_keys.record(session, answer)
            return self._write(session, by_consumer)

        quick = None
        if answer is None and not self._pruning.is_due:
            quick = QuickClaims.of(self._names, by_consumer)
        return self._database.write(work, deadline, "writing claims", quick)

    def release(self, consumer_uuids: Iterable[str], deadline: Deadline) -> Receipt:
        """Let consumers hold nothing; those that hold nothing already are left out of the receipt.

        No provider's generation is counted, as in Placement.

        :raises InvalidRequest: for what is no uuid.
        """
        uuids = dict.fromkeys(
            checked_uuid(uuid, "consumer_uuid", InvalidRequest) for uuid in consumer_uuids
        )
        claims = {u: Claim(u, {}, consumer_generation=ANY_GENERATION) for u in uuids}
        return self._database.write(
            lambda session: self._write(session, claims, emptied_count=False),
            deadline,
            "releasing consumers",
        )

    def get(self, consumer_uuid: str, deadline: Deadline) -> Claim:
        """Return what a consumer holds, as a claim that would write it again.

        :raises ConsumerNotFound: when it holds nothing.
        """
        found = self.consumer(consumer_uuid, deadline)
        return Claim(
            consumer_uuid=found.uuid,
            allocations={uuid: share.resources for uuid, share in found.shares.items()},
            project_id=None if found.project_id == INCOMPLETE else found.project_id,
            user_id=None if found.user_id == INCOMPLETE else found.user_id,
            consumer_type=found.consumer_type,
            consumer_generation=found.generation,
        )

    def consumer(self, consumer_uuid: str, deadline: Deadline) -> ConsumerRecord:
        """Return a consumer with everything it holds, and its providers' generations.

        :raises ConsumerNotFound: when it holds nothing.
        """
        uuid = checked_uuid(consumer_uuid, "consumer_uuid", InvalidRequest)
        deadline.check("reading a consumer")
        with self._database.snapshot() as session:
            return holdings.of_consumer(session, self._names, uuid)

    def of_provider(self, provider_uuid: str, deadline: Deadline) -> HoldersRecord:
        """Return who holds what of a provider.

        :raises ProviderNotFound: when there is no such provider.
        """
        uuid = checked_uuid(provider_uuid, "provider_uuid", InvalidRequest)
        deadline.check("reading a provider's consumers")
        with self._database.snapshot() as session:
            return holdings.of_provider(session, self._names, uuid)

    def _write(
        self, session: Session, claims: Mapping[str, Claim], *, emptied_count: bool = True
    ) -> Receipt:
        if not claims:
            self._pruning.run(session)
            return Receipt()
        drafted = drafts.draft(session, self._names, claims, emptied_count=emptied_count)
        receipt = drafts.settle(session, self._names, drafted)
        self._pruning.run(session)
        return receipt
