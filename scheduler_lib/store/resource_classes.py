"""Resource classes: which there are, and how one gets another name."""

from __future__ import annotations

from collections.abc import Collection

import os_resource_classes

from scheduler_lib.exceptions import ResourceClassInUse
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.record import NameRecord
from scheduler_lib.store import changes
from scheduler_lib.store.catalogue import Catalogue
from scheduler_lib.store.class_names import not_found
from scheduler_lib.store.database import Database
from scheduler_lib.store.names import Names
from scheduler_lib.store.renaming import Renaming
from scheduler_lib.store.schema import INVENTORIES
from scheduler_lib.store.session import Session


class ResourceClasses:
    """Reads and writes resource classes.

    Those of os-resource-classes exist from the start; names of one's own begin with ``CUSTOM_``.
    """

    def __init__(self, database: Database, names: Names, pruning: changes.Pruning) -> None:
        self._database = database
        self._names = names
        self._pruning = pruning
        self._catalogue = Catalogue(
            "resource class", names.resource_classes, INVENTORIES.c.resource_class_id
        )
        self._renaming = Renaming(self._catalogue)

    def list(self, deadline: Deadline) -> list[NameRecord]:
        """Return all: first the standard ones in their order, then others as they were made."""
        deadline.check("listing resource classes")
        with self._database.snapshot() as session:
            found = self._catalogue.records(session)
        standard = [found.pop(name) for name in os_resource_classes.STANDARDS]
        return [*standard, *found.values()]

    def get(self, name: str, deadline: Deadline) -> NameRecord:
        """Return one class.

        :raises ResourceClassNotFound: when there is none of that name.
        """
        deadline.check("reading a resource class")
        with self._database.snapshot() as session:
            record = self._catalogue.record(session, name)
        if record is None:
            raise not_found(name)
        return record

    def create(self, name: str, deadline: Deadline) -> tuple[NameRecord, bool]:
        """Make a class, if it is not there yet.

        :returns: the class, and whether it was made just now.
        :raises InvalidRequest: for a name that does not begin with ``CUSTOM_``.
        """
        self._catalogue.check_own(name)
        return self._database.write(
            lambda session: self._catalogue.create(session, name),
            deadline,
            "making a resource class",
        )

    def rename(self, name: str, new_name: str, deadline: Deadline) -> NameRecord:
        """Give a class another name, everywhere at once.

        Below it stands a class of its own with what the old one had; the old one is removed. No
        provider's generation is counted.

        :raises ResourceClassNotFound: when there is none of the old name.
        :raises InvalidRequest: when one of the names does not begin with ``CUSTOM_``.
        :raises ResourceClassExists: when there is one of the new name.
        """
        self._catalogue.check_own(new_name)

        def work(session: Session) -> NameRecord:
            if self._catalogue.record(session, name) is None:
                raise not_found(name)
            self._catalogue.check_own(name)
            if name != new_name:
                self._renaming.run(session, name, new_name)
                self._pruning.run(session)
            return self._catalogue.record(session, new_name) or NameRecord(new_name)

        return self._database.write(work, deadline, "renaming a resource class")

    def remove(self, name: str, deadline: Deadline) -> None:
        """Take a class away.

        :raises ResourceClassNotFound: when there is none of that name.
        :raises InvalidRequest: for a standard one.
        :raises ResourceClassInUse: when some provider has an inventory of it.
        """

        def work(session: Session) -> None:
            class_id = self._catalogue.lock(session, name)
            if class_id is None:
                raise not_found(name)
            if self._catalogue.is_used(session, class_id):
                raise ResourceClassInUse(
                    f"Some provider has an inventory of {name}.", resource_class=name
                )
            self._catalogue.remove(session, class_id)

        self._database.write(work, deadline, "removing a resource class")

    def missing(self, names: Collection[str], deadline: Deadline) -> frozenset[str]:
        """Return those of the names that no class has; no statement when all are standard."""
        deadline.check("looking for resource classes")
        if self._names.resource_classes.standard().issuperset(names):
            return frozenset()
        with self._database.reading() as session:
            return self._names.resource_classes.missing(session, names)
