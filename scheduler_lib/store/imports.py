"""Imports: an OpenStack Placement database, copied into ours.

Names first, then providers with all they have, then consumers with all they hold, each in batches
that are whole in themselves: whenever it is stopped, the books balance, and it can be run again.
What is there already and equal is left alone; what differs is made as it is in the source; what is
here and not in the source stays, and is told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import URL

from scheduler_lib.exceptions import Conflict, InvalidInput
from scheduler_lib.model.clock import Deadline
from scheduler_lib.store import import_providers
from scheduler_lib.store.books import Books, Discrepancy
from scheduler_lib.store.consumers import INCOMPLETE
from scheduler_lib.store.database import Database
from scheduler_lib.store.engine import parse_url
from scheduler_lib.store.import_holdings import HoldingBatch
from scheduler_lib.store.import_names import NAMED, copy_names
from scheduler_lib.store.import_providers import ProviderBatch
from scheduler_lib.store.import_source import BATCH, Source, opened
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import Statement
from scheduler_lib.store.schema import (
    ALLOCATIONS,
    CONSUMERS,
    INVENTORIES,
    PROVIDER_AGGREGATES,
    PROVIDER_TRAITS,
    RESOURCE_CLASSES,
    RESOURCE_PROVIDERS,
)
from scheduler_lib.store.session import Session
from scheduler_lib.store.transaction import T, Work

Progress = Callable[[str, int, int], None]

_PORTS = {"postgresql": 5432, "mysql": 3306, "mariadb": 3306}
_COPIED = (
    RESOURCE_PROVIDERS, INVENTORIES, PROVIDER_TRAITS, PROVIDER_AGGREGATES, CONSUMERS, ALLOCATIONS,
)  # fmt: skip
_COUNTS = {
    table.name: Statement(sa.select(sa.func.count()).select_from(table))
    for table in (*NAMED, *_COPIED)
}
_USED = Statement(
    sa.select(
        RESOURCE_PROVIDERS.c.uuid, INVENTORIES.c.resource_class_id, INVENTORIES.c.used
    ).join_from(
        INVENTORIES,
        RESOURCE_PROVIDERS,
        RESOURCE_PROVIDERS.c.id == INVENTORIES.c.resource_provider_id,
    )
)


@dataclass(frozen=True, slots=True)
class ImportedTable:
    """One table after the copy, in rows.

    :ivar source: how many the source has, of those that are copied.
    :ivar here: how many we have.
    """

    table: str
    source: int
    here: int

    @property
    def left(self) -> int:
        """Return how many rows here are not in the source."""
        return self.here - self.source


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What a copy did.

    :ivar tables: every table that was copied.
    :ivar providers_written: providers that were new or differed.
    :ivar consumers_written: the same, consumers.
    :ivar nameless_consumers: consumers that have no row in the source: booked on nobody.
    :ivar empty_consumers: consumers of the source that hold nothing: left out.
    :ivar over_capacity: inventories of which more is used than there is, as in the source.
    """

    tables: tuple[ImportedTable, ...]
    providers_written: int
    consumers_written: int
    nameless_consumers: int
    empty_consumers: int
    over_capacity: tuple[Discrepancy, ...]


class Imports:
    """Copies other databases into this one."""

    def __init__(self, database: Database, names: Names) -> None:
        self._database = database
        self._names = names

    def placement(self, connection: str, deadline: Deadline, progress: Progress) -> ImportReport:
        """Copy an OpenStack Placement database, and check the copy.

        :param connection: its URL; it is only read.
        :param progress: is told what is being done, how many of it are, and how many there are.
        :raises InvalidInput: when it is this very database, or has rows that mean nothing.
        :raises SchemaMismatch: when its schema is not that of Placement 14 to 16.
        :raises DuplicateProvider: when a name belongs to another provider here; nothing is changed.
        :raises GenerationConflict: when a provider was written here since; nothing is changed.
        :raises Conflict: when the copy does not balance in the end.
        """
        check_apart(connection, self._database.settings.connection)
        with opened(connection) as source:
            return _Copy(self._database, self._names, source, deadline, progress).run()


class _Copy:
    """One copy on its way."""

    def __init__(
        self,
        database: Database,
        names: Names,
        source: Source,
        deadline: Deadline,
        progress: Progress,
    ) -> None:
        self._database = database
        self._names = names
        self._source = source
        self._deadline = deadline
        self._progress = progress
        self._ids: dict[str, dict[int, int]] = {RESOURCE_PROVIDERS.name: {}}
        self._roots: dict[int, int] = {}
        self._uuids: dict[int, str] = {}

    def run(self) -> ImportReport:
        """Copy everything, and check it."""
        providers = self._source.providers()
        with self._database.snapshot() as session:
            import_providers.check(session, providers)
        for table in NAMED:
            rows = self._source.names(table, NAMED[table])
            self._ids[table.name] = self._write(lambda s: copy_names(s, table, rows), table.name)  # noqa: B023
        written = 0
        for start in range(0, len(providers), BATCH):
            part = providers[start : start + BATCH]
            batch = ProviderBatch(self._source, part, self._ids, self._roots)
            written += self._write(batch.write, "providers")
            self._progress("providers", min(start + BATCH, len(providers)), len(providers))
        ids = self._ids[RESOURCE_PROVIDERS.name]
        self._uuids = {ids[p.id]: import_providers.uuid_of(p.uuid, "provider") for p in providers}
        consumers_written = self._copy_holdings()
        return self._report(written, consumers_written)

    def _copy_holdings(self) -> int:
        source = self._source
        # Not made where nothing needs it.
        incomplete = self._write(self._incomplete, "names") if source.has_unbooked() else (0, 0)
        total, done, written = source.count(ALLOCATIONS), 0, 0
        for rows in source.allocations():
            batch = HoldingBatch(source, rows, self._ids, incomplete, self._uuids)
            written += self._write(batch.write, "consumers")
            done += len(rows)
            self._progress("allocations", done, total)
        return written

    def _incomplete(self, session: Session) -> tuple[int, int]:
        project = self._names.projects.make(session, [INCOMPLETE])
        user = self._names.users.make(session, [INCOMPLETE])
        return project[INCOMPLETE], user[INCOMPLETE]

    def _report(self, providers_written: int, consumers_written: int) -> ImportReport:
        source = self._source
        empty, nameless = source.empty_consumers(), source.nameless_consumers()
        with self._database.snapshot() as session:
            here = {name: int(session.rows(count)[0][0]) for name, count in _COUNTS.items()}
            used = {tuple(row[:2]): row[2] for row in session.rows(_USED)}
        there = {table.name: source.count(table) for table in (*NAMED, *_COPIED)}
        there[CONSUMERS.name] += nameless - empty
        there[ALLOCATIONS.name] = source.distinct_allocations()
        tables = tuple(ImportedTable(name, there[name], here[name]) for name in _COUNTS)
        self._check_usages(used, tables)
        found = Books(self._database).check(self._deadline)
        if wrong := [item for item in found if item.kind != "over_capacity"]:
            raise Conflict(f"The books do not balance after the copy: {wrong[0].message}")
        return ImportReport(tables, providers_written, consumers_written, nameless, empty, found)

    def _check_usages(
        self, used: dict[tuple[object, ...], int], tables: tuple[ImportedTable, ...]
    ) -> None:
        """Go on only if the copy uses what the source uses, and more only by what was here."""
        if missing := [table for table in tables if table.left < 0]:
            raise Conflict(f"{missing[0].table}: {-missing[0].left} rows are missing in the copy.")
        more = next(table.left for table in tables if table.table == ALLOCATIONS.name)
        classes = self._ids[RESOURCE_CLASSES.name]
        for (provider, class_id), there in self._source.usages().items():
            uuid = import_providers.uuid_of(provider, "provider")
            found = used.get((uuid, classes[class_id]), 0)
            if found < there or (found > there and not more):
                raise Conflict(f"{uuid} uses {found} of a class here, and {there} in the source.")

    def _write(self, work: Work[T], what: str) -> T:
        return self._database.write(work, self._deadline, f"copying {what}")


def check_apart(source: str, target: str) -> None:
    """Go on only with two databases: tables of both have the same names.

    :param source: the URL of the one that is read.
    :param target: the URL of ours.
    :raises InvalidInput: when they are one.
    """
    if _place(parse_url(source)) == _place(parse_url(target)):
        raise InvalidInput(
            "The source is the configured database itself.",
            hint="Give this library a database of its own, in [database] connection.",
            field="source",
        )


def _place(url: URL) -> tuple[object, ...]:
    kind = url.get_backend_name()
    if kind == "sqlite":
        return kind, Path(str(url.database).removeprefix("file:").partition("?")[0]).resolve()
    host = "127.0.0.1" if url.host in (None, "localhost") else url.host
    return kind.replace("mariadb", "mysql"), host, url.port or _PORTS[kind], url.database
