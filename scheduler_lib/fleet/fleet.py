"""The fleet: every host and provider, brought up to date by changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from scheduler_lib.fleet.arrays import Rows32
from scheduler_lib.fleet.changes import Changer
from scheduler_lib.fleet.classes import Members, StaticKey, build_members
from scheduler_lib.fleet.hostclass import HostClass
from scheduler_lib.fleet.state import State
from scheduler_lib.fleet.stock import StockColumns
from scheduler_lib.fleet.versions import HOSTS, Memo
from scheduler_lib.model.provider import Change, HostFacts
from scheduler_lib.model.settings import Accounting

if TYPE_CHECKING:
    from scheduler_lib.fleet.view import FleetView

_CLASSES = 64
_ANSWERS = 128

_Answer = TypeVar("_Answer")


class Fleet:
    """Every host and provider as columns.

    One thread writes at a time, and nobody reads meanwhile: the caller holds a lock. A view may be
    read later, outside the lock.

    :param accounting: which numbers say how full a host is.
    :param default_zone: the availability zone of hosts that name none.
    """

    def __init__(
        self, accounting: Accounting = Accounting.ALLOCATIONS, default_zone: str = "nova"
    ) -> None:
        self._begin(State(), accounting, default_zone)

    def _begin(self, state: State, accounting: Accounting, default_zone: str) -> None:
        self._state = state
        self._accounting = accounting
        self._default_zone = default_zone
        self._changer = Changer(state, accounting, default_zone)
        self._classes: Memo[HostClass] = Memo(_CLASSES)
        self._answers: Memo[object] = Memo(_ANSWERS)

    @property
    def state(self) -> State:
        """The columns, for the rooms that read them whole."""
        return self._state

    @property
    def host_count(self) -> int:
        """How many hosts there are."""
        return self._state.hosts.count

    def apply(self, changes: Iterable[Change]) -> None:
        """Bring the fleet up to date, in O(changes).

        :param changes: in their order; those about providers that are gone do nothing.
        """
        self._changer.apply(changes)

    def consume(self, amounts: Iterable[tuple[str, str, int]]) -> None:
        """Add to what is used; all of it or nothing.

        :param amounts: provider uuid, resource class and units; negative units give back.
        :raises ProviderNotFound: when a provider, or its inventory of that class, is not there.
        """
        self._changer.consume(amounts)

    def view(self) -> FleetView:
        """Return a copy-on-write view: what is consumed there stays there.

        The view keeps showing the fleet as it is now, whatever is applied to the fleet later.
        """
        from scheduler_lib.fleet.view import FleetView

        return FleetView(self)

    def hosts(self, key: StaticKey) -> HostClass:
        """Return the hosts of a static class."""
        versions = self._state.versions
        known = self._classes.get(key, versions)
        if known is None:
            known = self._build(key)
            self._classes.put(key, versions, key.aspects(), known)
        return known

    def answer(
        self, key: Hashable, aspects: Sequence[str], build: Callable[[], _Answer]
    ) -> _Answer:
        """Return what was worked out of the columns before, or work it out.

        :param key: names the answer, and its type.
        :param aspects: what it looks at; it is dropped when one of them changes.
        :param build: gives the answer, which must not be changed later.
        """
        versions = self._state.versions
        known = self._answers.get(key, versions)
        if known is None:
            known = self._inherited(key, self._state)
            if known is None:
                known = build()
            self._answers.put(key, versions, aspects, known)
        return known  # type: ignore[return-value]

    def followed(self, key: Hashable, follow: Callable[[_Answer | None], _Answer]) -> _Answer:
        """Return an answer that follows the columns by their journals.

        :param key: names the answer, and its type.
        :param follow: takes the answer there was, or None, and returns it if it still holds, and
            otherwise a new one; the old one must not be changed, views may be reading it.
        """
        versions = self._state.versions
        known = self._answers.get(key, versions)
        before = self._inherited(key, self._state) if known is None else known
        now = follow(before)  # type: ignore[arg-type]
        if now is not known:
            self._answers.put(key, versions, (), now)
        return now

    def row(self, uuid: str) -> int:
        """Return a provider's row.

        :raises ProviderNotFound: when there is no such provider.
        """
        return self._state.rows.find(uuid)

    def uuid(self, row: int) -> str:
        """Return a provider's uuid."""
        return self._state.rows.uuids[row]

    def name(self, row: int) -> str:
        """Return a provider's name."""
        return self._state.rows.names[row]

    def root(self, row: int) -> int:
        """Return the row of the root of a provider's tree."""
        return int(self._state.rows.root[row])

    def parent(self, row: int) -> int:
        """Return the row of a provider's parent; -1 for a root."""
        return int(self._state.rows.parent[row])

    def tree(self, root_row: int) -> tuple[int, ...]:
        """Return the rows of a tree: the root first, then depth-first by name."""
        return tuple(self._state.rows.tree(root_row))

    def host_rows(self, host: str | None, node: str | None) -> Rows32:
        """Return the root rows of the hosts of that name, by (host, node).

        :param host: the service host's name, its case ignored; None for any.
        :param node: the node's name, exactly; None for any.
        """
        hosts = self._state.hosts
        slots = hosts.order()
        if host is not None:
            slots = self._by_host().get(host.casefold(), slots[:0])
        if node is not None:
            slots = slots[[hosts.name(slot).node == node for slot in slots.tolist()]]
        return hosts.rows[slots]

    def knows_trait(self, name: str) -> bool:
        """Tell whether a provider has, or ever had, that trait."""
        return name in self._state.traits

    def knows_class(self, name: str) -> bool:
        """Tell whether a provider has, or ever had, an inventory of that class."""
        return name in self._state.stocks

    def stock(self, resource_class: str) -> StockColumns | None:
        """Return the columns of a resource class; None when nobody ever had an inventory of it."""
        return self._state.stocks.get(resource_class)

    def traits(self, row: int) -> frozenset[str]:
        """Return the traits a provider has itself."""
        return self._state.traits.names(row)

    def aggregates(self, row: int) -> frozenset[str]:
        """Return the uuids of the aggregates a provider is in itself."""
        return self._state.aggregates.get(row) or frozenset()

    def facts(self, row: int) -> HostFacts | None:
        """Return a host's facts; None for a provider that is no host."""
        slot = self._state.hosts.slot(row)
        return None if slot < 0 else self._state.hosts.facts(slot)

    def _build(self, key: StaticKey) -> HostClass:
        return HostClass(self._state, build_members(self._state, key))

    def _by_host(self) -> dict[str, Rows32]:
        return self.answer("hosts by name", (HOSTS,), self._hosts_by_name)

    def _hosts_by_name(self) -> dict[str, Rows32]:
        hosts = self._state.hosts
        lists: dict[str, list[int]] = {}
        for slot in hosts.order().tolist():
            lists.setdefault(hosts.name(slot).host.casefold(), []).append(slot)
        return {name: np.array(slots, dtype=np.int32) for name, slots in lists.items()}

    def _inherited(self, key: Hashable, state: State) -> object | None:
        return None

    def _kept_answer(self, key: Hashable, state: State) -> object | None:
        return self._answers.peek(key, state.versions)

    def _kept_class(self, key: StaticKey, state: State) -> tuple[Members, HostClass] | None:
        known = self._classes.peek(key, state.versions)
        return None if known is None else (known.members, known)
