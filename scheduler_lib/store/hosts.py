"""Compute nodes: report, read, delete.

A node's root provider has the node's name, as in Nova; so a node's name may be reported by one
host only, and no provider elsewhere may have it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scheduler_lib.exceptions import DuplicateHost, HostInUse, HostNotFound, InvalidStats
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.stats import HostStats
from scheduler_lib.store import allocations, changes, compute_nodes, host_views, tree_rows, trees
from scheduler_lib.store.database import Database
from scheduler_lib.store.derivation import Columns
from scheduler_lib.store.names import Names
from scheduler_lib.store.reports import HostChange, Planner
from scheduler_lib.store.schema.changes import PROVIDER, REMOVED
from scheduler_lib.store.session import Session
from scheduler_lib.store.transaction import Overtaken
from scheduler_lib.store.trees import StoredProvider, TreeChange

Report = tuple[ResourceName, HostStats]


class Hosts:
    """Writes and reads compute nodes with their provider trees."""

    def __init__(
        self, database: Database, names: Names, planner: Planner, pruning: changes.Pruning
    ) -> None:
        self._database = database
        self._names = names
        self._planner = planner
        self._pruning = pruning

    def report(self, name: ResourceName, stats: HostStats, deadline: Deadline) -> tuple[int, ...]:
        """Create or update a host; what the report does not name stays as it is stored.

        A report that is older than the stored one, or that changes nothing, is not written.
        Traits and aggregates replace those that the host reported before; what somebody else added
        stays. Children are reported whole: those that are missing go.

        :returns: ids of the rows appended to the change feed; empty when readers need not know.
        :raises InvalidStats: naming the field.
        :raises DuplicateHost: when the name or the uuid belongs to somebody else.
        :raises HostInUse: when something with allocations is no longer reported.
        """
        return self.report_many([(name, stats)], deadline)

    def report_many(self, reports: Sequence[Report], deadline: Deadline) -> tuple[int, ...]:
        """Create or update hosts in one transaction; see :meth:`report`.

        :raises InvalidStats: also when a host is reported twice.
        """
        names = [name for name, _ in reports]
        if len(set(names)) != len(names):
            raise InvalidStats("A host is reported twice.", field="name")
        if not reports:
            return ()

        def work(session: Session) -> tuple[int, ...]:
            ids = self._report(session, reports)
            if ids:
                self._pruning.run(session)
            return ids

        return self._database.write(work, deadline, "writing a report")

    def get(self, name: ResourceName, deadline: Deadline) -> dict[str, object]:
        """Return a host as it is stored: compute_nodes columns, inventories with usage, and so on.

        :raises HostNotFound: when no such host has reported.
        """
        deadline.check("reading a host")
        with self._database.snapshot() as session:
            found = host_views.read(session, self._names, name)
        if found is None:
            raise _not_found(name)
        return found

    def list(self, deadline: Deadline) -> list[dict[str, object]]:
        """Return every host, in the order of host and node names; a fixed number of statements."""
        deadline.check("reading the hosts")
        with self._database.snapshot() as session:
            return host_views.read_all(session, self._names)

    def delete(self, name: ResourceName, deadline: Deadline) -> tuple[int, ...]:
        """Remove a host with its whole tree.

        :returns: ids of the rows appended to the change feed.
        :raises HostNotFound: when no such host has reported.
        :raises HostInUse: when it still holds allocations; `consumers` names whose.
        """

        def work(session: Session) -> tuple[int, ...]:
            return self._delete(session, name)

        return self._database.write(work, deadline, "deleting a host")

    def _report(self, session: Session, reports: Sequence[Report]) -> tuple[int, ...]:
        rows = self._lock_rows(session, reports)
        stored = self._trees(session, reports, rows)
        planned: dict[ResourceName, HostChange] = {}
        for name, stats in reports:
            row = rows.get(name)
            tree = stored.get(_uuid(row, stats) or "", {})
            planned[name] = self._planner.plan(name, stats, row, tree)
        try:
            self._check_owners(session, planned)
        except DuplicateHost as error:
            # A server shows each statement the moment it runs in: the host may have been written
            # by somebody else's first report, or its provider made, after this one had looked.
            fresh = {name for name in planned if name not in rows}
            if not fresh.isdisjoint(self._lock_rows(session, reports)):
                raise Overtaken from error
            if tree_rows.lock(session, _roots(reports, rows)).keys() != stored.keys():
                raise Overtaken from error
            raise
        return self._write(session, list(planned.values()))

    def _write(self, session: Session, planned: Sequence[HostChange]) -> tuple[int, ...]:
        whole = TreeChange()
        for change in planned:
            whole.add(change.tree)
        tree_rows.write(session, self._names, whole)
        compute_nodes.insert(session, [c.insert for c in planned if c.insert])
        compute_nodes.update(session, [c.update for c in planned if c.update])
        rows = [c.insert or c.update or {} for c in planned if c.told]
        told = dict.fromkeys(str(row["uuid"]) for row in rows)
        removed = changes.append(session, [gone.uuid for gone in whole.remove], REMOVED)
        return removed + changes.append(session, told | whole.changed, PROVIDER)

    def _lock_rows(
        self, session: Session, reports: Sequence[Report]
    ) -> dict[ResourceName, Columns]:
        """Lock and return the reported hosts' rows; nobody else may have their names or uuids."""
        by_name: dict[ResourceName, Columns] = {}
        for columns in compute_nodes.lock(session, [name.node for name, _ in reports]):
            stored = ResourceName(str(columns["host"]), str(columns["hypervisor_hostname"]))
            by_name[stored] = columns
        new = [(name, stats) for name, stats in reports if name not in by_name]
        uuids = [stats.uuid for _, stats in new if stats.uuid is not None]
        owners = compute_nodes.names_by_uuid(session, uuids)
        for name, stats in new:
            if stats.uuid in owners:
                other = ResourceName(*owners[stats.uuid])
                error = trees.duplicate(name, str(other), stats.uuid, stats.uuid)
                if other == name:
                    # Its first report, by somebody else, came between the two looks.
                    raise Overtaken from error
                raise error
        return by_name

    def _trees(
        self, session: Session, reports: Sequence[Report], rows: dict[ResourceName, Columns]
    ) -> dict[str, dict[str, StoredProvider]]:
        nested = any(stats.children is not None for _, stats in reports)
        stored = tree_rows.lock(session, _roots(reports, rows), complete=nested)
        tree_rows.fill(
            session,
            self._names,
            [
                provider
                for tree in stored.values()
                for provider in tree.values()
                if nested or provider.parent_id is None
            ],
            traits=nested or any(stats.traits is not None for _, stats in reports),
            aggregates=nested or any(stats.aggregates is not None for _, stats in reports),
        )
        return stored

    def _check_owners(self, session: Session, planned: Mapping[ResourceName, HostChange]) -> None:
        """Nobody else may have the names and uuids of providers that are new or renamed."""
        named = [p for c in planned.values() for p in (*c.tree.insert, *c.tree.move)]
        if not named:
            return
        owners = tree_rows.owners_of_names(session, [provider.name for provider in named])
        inserted = [provider.uuid for c in planned.values() for provider in c.tree.insert]
        stored = tree_rows.names_of_uuids(session, inserted)
        for name, change in planned.items():
            fresh = [*change.tree.insert, *change.tree.move]
            trees.check_names(name, fresh, owners, stored)
            # The next report of the same transaction must not take them either.
            owners.update((provider.name, provider.uuid) for provider in fresh)
            stored.update((provider.uuid, provider.name) for provider in change.tree.insert)

    def _delete(self, session: Session, name: ResourceName) -> tuple[int, ...]:
        rows = compute_nodes.lock(session, [name.node])
        uuids = [str(row["uuid"]) for row in rows if row["host"] == name.host]
        if not uuids:
            raise _not_found(name)
        tree = tree_rows.lock(session, uuids, complete=True).get(uuids[0], {})
        holders = allocations.consumers_of(session, list(tree))
        if holders:
            consumers = tuple(dict.fromkeys(consumer for consumer, _ in holders))
            raise HostInUse(
                f"{name} still holds allocations of {len(consumers)} consumers.",
                host=name.host,
                node=name.node,
                consumers=consumers,
            )
        gone = trees.children_first(list(tree.values()))
        tree_rows.remove(session, [provider.id for provider in gone])
        compute_nodes.delete(session, uuids)
        return changes.append(session, [provider.uuid for provider in gone], REMOVED)


def _uuid(row: Columns | None, stats: HostStats) -> str | None:
    """Return the uuid of the root: somebody may have made it before the host's first report."""
    return stats.uuid if row is None else str(row["uuid"])


def _roots(reports: Sequence[Report], rows: Mapping[ResourceName, Columns]) -> list[str]:
    return [uuid for name, stats in reports if (uuid := _uuid(rows.get(name), stats))]


def _not_found(name: ResourceName) -> HostNotFound:
    return HostNotFound(f"No host {name} has reported.", host=name.host, node=name.node)
