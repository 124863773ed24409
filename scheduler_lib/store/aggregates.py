"""Aggregates: which ones a provider is in. They exist by being named."""

from __future__ import annotations

from collections.abc import Collection

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.naming import checked_uuid
from scheduler_lib.model.record import NamesRecord
from scheduler_lib.store import changes, ledger, provider_rows
from scheduler_lib.store.database import Database
from scheduler_lib.store.names import Names
from scheduler_lib.store.pair_rows import AGGREGATE_PAIRS
from scheduler_lib.store.provider_names import ProviderNames
from scheduler_lib.store.session import Session


class Aggregates:
    """Reads and writes the aggregates of providers."""

    def __init__(self, database: Database, names: Names, pruning: changes.Pruning) -> None:
        self._database = database
        self._names = names
        self._pruning = pruning
        self._of = ProviderNames(AGGREGATE_PAIRS, names.aggregates)

    def of(self, provider_uuid: str, deadline: Deadline) -> NamesRecord:
        """Return the aggregates a provider is in.

        :raises ProviderNotFound: when there is no such provider.
        """
        deadline.check("reading aggregates")
        with self._database.snapshot() as session:
            return self._of.record(session, provider_uuid)

    def replace(
        self,
        provider_uuid: str,
        uuids: Collection[str],
        generation: int | None,
        deadline: Deadline,
    ) -> NamesRecord:
        """Put a provider into these aggregates, and no others.

        :param generation: what the provider was read at; then this counts one more, even if
            nothing changes. None (the API before 1.19) neither asks nor counts.
        :raises InvalidRequest: for what is no uuid.
        :raises ProviderNotFound: when there is no such provider.
        :raises GenerationConflict: when somebody has written to it since.
        """
        wanted = {checked_uuid(uuid, "aggregates", InvalidRequest) for uuid in uuids}

        def work(session: Session) -> NamesRecord:
            head = provider_rows.lock(session, provider_uuid, generation)
            self._of.replace(session, head, self._names.aggregates.make(session, wanted))
            if generation is not None:
                ledger.bump(session, [head.id])
            self._pruning.run(session)
            return self._of.record(session, provider_uuid)

        return self._database.write(work, deadline, "writing aggregates")
