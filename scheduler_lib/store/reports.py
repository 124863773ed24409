"""Reports: what each one changes, worked out against what is stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from uuid import UUID

from scheduler_lib.exceptions import InvalidStats
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.settings import CapacitySettings
from scheduler_lib.model.stats import ChildReport, HostStats
from scheduler_lib.store import derivation, trees
from scheduler_lib.store.derivation import Columns
from scheduler_lib.store.names import Names
from scheduler_lib.store.trees import StoredProvider, TreeChange, WantedProvider

Tree = Mapping[str, StoredProvider]


@dataclass(slots=True)
class HostChange:
    """What a report changes.

    :ivar insert: the compute node's row, if it is new.
    :ivar update: the compute node's row, if it differs from what is stored.
    :ivar told: whether readers of the feed must know of the row's change.
    """

    tree: TreeChange = field(default_factory=TreeChange)
    insert: Columns | None = None
    update: Columns | None = None
    told: bool = False


class Planner:
    """Works out what reports change.

    :param random: makes uuids for hosts and children that are reported without one.
    """

    def __init__(self, settings: CapacitySettings, names: Names, random: Random) -> None:
        self._settings = settings
        self._names = names
        self._random = random

    def plan(
        self, name: ResourceName, stats: HostStats, row: Columns | None, tree: Tree
    ) -> HostChange:
        """Return what a report changes.

        :param row: the compute node's row as it is stored.
        :param tree: its providers as they are stored, by uuid.
        :raises InvalidStats: for a name that is no standard one, or a reserve above the total.
        :raises DuplicateHost: when the name is stored with another uuid.
        :raises HostInUse: when something with allocations is no longer reported.
        """
        self._check_names(stats)
        if row is None:
            uuid = stats.uuid or self._new_uuid()
            row = {}
            change = HostChange(told=True)
        else:
            uuid = str(row["uuid"])
            if stats.uuid not in (None, uuid):
                raise trees.duplicate(name, str(name), uuid, str(stats.uuid))
            if derivation.is_older(row, stats):
                return HostChange()
            change = HostChange()
        columns = derivation.merged(row, stats)
        wanted = [self._root(uuid, name, stats, row, columns, tree.get(uuid))]
        if stats.children is not None:
            stored = {provider.name: provider.uuid for provider in tree.values()}
            wanted.extend(self._children(name, uuid, stats.children, stored))
        change.tree = trees.plan(name, tree, wanted, whole=stats.children is not None)
        _note_row(change, row, columns, name, uuid)
        return change

    def _root(
        self,
        uuid: str,
        name: ResourceName,
        stats: HostStats,
        row: Columns,
        columns: Columns,
        root: StoredProvider | None,
    ) -> WantedProvider:
        root = root or StoredProvider(0, uuid, name.node, 0, None)
        present = {key: stock.inventory for key, stock in root.stocks.items()}
        # What an operator added beside the reports stays.
        foreign = frozenset(present.keys() - derivation.reported_classes(row))
        traits = aggregates = None
        if stats.traits is not None:
            mine = derivation.reported_names(row, "reported_traits")
            traits = frozenset((root.traits - mine) | stats.traits)
        if stats.aggregates is not None:
            mine = derivation.reported_names(row, "reported_aggregates")
            aggregates = frozenset((root.aggregates - mine) | stats.aggregates)
        return WantedProvider(
            uuid=uuid,
            name=name.node,
            parent_uuid=None,
            inventories=derivation.inventories(columns, self._settings, present),
            traits=traits,
            aggregates=aggregates,
            keep=foreign,
        )

    def _children(
        self,
        host: ResourceName,
        parent_uuid: str,
        children: Sequence[ChildReport],
        stored: Mapping[str, str],
    ) -> Iterable[WantedProvider]:
        for child in children:
            known = stored.get(child.name)
            if child.uuid is not None and known not in (None, child.uuid):
                raise trees.duplicate(host, child.name, str(known), child.uuid)
            uuid = child.uuid or known or self._new_uuid()
            yield WantedProvider(
                uuid=uuid,
                name=child.name,
                parent_uuid=parent_uuid,
                inventories=child.inventories,
                traits=child.traits,
                aggregates=child.aggregates,
            )
            yield from self._children(host, uuid, child.children, stored)

    def _check_names(self, stats: HostStats) -> None:
        classes, traits = self._names.resource_classes, self._names.traits
        classes.check(stats.inventories or (), "inventories", InvalidStats)
        traits.check(stats.traits or (), "traits", InvalidStats)
        for child in _all(stats.children or ()):
            classes.check(child.inventories, "children.inventories", InvalidStats)
            traits.check(child.traits, "children.traits", InvalidStats)

    def _new_uuid(self) -> str:
        return str(UUID(int=self._random.getrandbits(128), version=4))


def _note_row(
    change: HostChange, row: Columns, columns: Columns, name: ResourceName, uuid: str
) -> None:
    if not row:
        identity = {"uuid": uuid, "host": name.host, "hypervisor_hostname": name.node}
        change.insert = {**columns, **identity}
        return
    differing = {key for key, value in columns.items() if row.get(key) != value}
    if differing:
        change.update = columns
        # The time of a report is for the next report to compare with, and for nobody else.
        change.told = differing != {"reported_at"}


def _all(children: Sequence[ChildReport]) -> Iterable[ChildReport]:
    for child in children:
        yield child
        yield from _all(child.children)
