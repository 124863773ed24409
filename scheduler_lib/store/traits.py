"""Traits: which there are, and which a provider has."""

from __future__ import annotations

from collections.abc import Collection

from scheduler_lib.exceptions import TraitInUse, TraitNotFound
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.record import NameRecord, NamesRecord
from scheduler_lib.store import changes, ledger, provider_rows
from scheduler_lib.store.catalogue import Catalogue
from scheduler_lib.store.database import Database
from scheduler_lib.store.names import Names
from scheduler_lib.store.pair_rows import TRAIT_PAIRS
from scheduler_lib.store.provider_names import ProviderNames
from scheduler_lib.store.session import Session


class Traits:
    """Reads and writes traits.

    Those of os-traits exist from the start; names of one's own begin with ``CUSTOM_``.
    """

    def __init__(self, database: Database, names: Names, pruning: changes.Pruning) -> None:
        self._database = database
        self._names = names
        self._pruning = pruning
        self._catalogue = Catalogue("trait", names.traits, TRAIT_PAIRS.column)
        self._of = ProviderNames(TRAIT_PAIRS, names.traits)

    def list(
        self,
        deadline: Deadline,
        *,
        names: Collection[str] | None = None,
        prefix: str | None = None,
        associated: bool | None = None,
    ) -> list[NameRecord]:
        """Return the traits that pass every filter that is given, in the order of names.

        :param names: which they shall be among.
        :param prefix: what they shall begin with.
        :param associated: whether some provider shall have them, or none.
        """
        deadline.check("listing traits")
        with self._database.snapshot() as session:
            found = self._catalogue.records(session, associated=associated)
        among = None if names is None else frozenset(names)
        return [
            found[name]
            for name in sorted(found)
            if (among is None or name in among) and name.startswith(prefix or "")
        ]

    def get(self, name: str, deadline: Deadline) -> NameRecord:
        """Return one trait.

        :raises TraitNotFound: when there is none of that name.
        """
        deadline.check("reading a trait")
        with self._database.snapshot() as session:
            record = self._catalogue.record(session, name)
        if record is None:
            raise _not_found([name])
        return record

    def create(self, name: str, deadline: Deadline) -> tuple[NameRecord, bool]:
        """Make a trait, if it is not there yet.

        :returns: the trait, and whether it was made just now.
        :raises InvalidRequest: for a name that does not begin with ``CUSTOM_``.
        """
        self._catalogue.check_own(name)
        return self._database.write(
            lambda session: self._catalogue.create(session, name), deadline, "making a trait"
        )

    def remove(self, name: str, deadline: Deadline) -> None:
        """Take a trait away.

        :raises TraitNotFound: when there is none of that name.
        :raises InvalidRequest: for one of os-traits.
        :raises TraitInUse: when some provider has it.
        """

        def work(session: Session) -> None:
            trait_id = self._catalogue.lock(session, name)
            if trait_id is None:
                raise _not_found([name])
            if self._catalogue.is_used(session, trait_id):
                raise TraitInUse(f"Some provider has the trait {name}.", trait=name)
            self._catalogue.remove(session, trait_id)

        self._database.write(work, deadline, "removing a trait")

    def missing(self, names: Collection[str], deadline: Deadline) -> frozenset[str]:
        """Return those of the names that no trait has; no statement when all are of os-traits."""
        deadline.check("looking for traits")
        if self._names.traits.standard().issuperset(names):
            return frozenset()
        with self._database.reading() as session:
            return self._names.traits.missing(session, names)

    def of(self, provider_uuid: str, deadline: Deadline) -> NamesRecord:
        """Return the traits of a provider.

        :raises ProviderNotFound: when there is no such provider.
        """
        deadline.check("reading a provider's traits")
        with self._database.snapshot() as session:
            return self._of.record(session, provider_uuid)

    def replace(
        self,
        provider_uuid: str,
        generation: int | None,
        names: Collection[str],
        deadline: Deadline,
    ) -> NamesRecord:
        """Give a provider these traits, and no others; counts a generation if it had others.

        :param generation: what the provider was read at; None for any.
        :raises ProviderNotFound: when there is no such provider.
        :raises GenerationConflict: when somebody has written to it since.
        :raises TraitNotFound: naming all that do not exist.
        """

        def work(session: Session) -> NamesRecord:
            head = provider_rows.lock(session, provider_uuid, generation)
            ids = self._names.traits.hold(session, names)
            if missing := sorted(set(names) - ids.keys()):
                raise _not_found(missing)
            if self._of.replace(session, head, ids):
                ledger.bump(session, [head.id])
            self._pruning.run(session)
            return self._of.record(session, provider_uuid)

        return self._database.write(work, deadline, "writing a provider's traits")


def _not_found(names: list[str]) -> TraitNotFound:
    return TraitNotFound(f"There is no trait {', '.join(names)}.", traits=tuple(names))
