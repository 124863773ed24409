"""How changes are written into the columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scheduler_lib.exceptions import ProviderNotFound
from scheduler_lib.fleet.rows import NONE
from scheduler_lib.fleet.state import State
from scheduler_lib.fleet.versions import AGGREGATES, STRUCTURE
from scheduler_lib.model.provider import (
    COMPUTE_STATUS_DISABLED,
    Change,
    HostFacts,
    Provider,
    ProviderChanged,
    ProviderRemoved,
    Stock,
    UsageChanged,
)
from scheduler_lib.model.settings import Accounting

# In reported accounting, which report column says how much of a class is used.
REPORTED_USAGE = {
    "VCPU": "vcpus_used",
    "MEMORY_MB": "memory_mb_used",
    "DISK_GB": "local_gb_used",
}


class Changer:
    """Writes changes into a state.

    :param accounting: which numbers say how full a host is.
    :param default_zone: the zone of hosts that name none.
    """

    def __init__(self, state: State, accounting: Accounting, default_zone: str) -> None:
        self._state = state
        self._reported = accounting is Accounting.REPORTED
        self._default_zone = default_zone

    def apply(self, changes: Iterable[Change]) -> None:
        """Write changes in their order; those about providers that are gone do nothing."""
        for change in changes:
            if isinstance(change, UsageChanged):
                self._set_usage(change)
            elif isinstance(change, ProviderChanged):
                self._put(change.provider)
            elif isinstance(change, ProviderRemoved):
                self._remove(change.uuid)

    def consume(self, amounts: Iterable[tuple[str, str, int]]) -> None:
        """Add to what is used; all of it, or nothing when a provider lacks an inventory.

        :raises ProviderNotFound: naming the provider and the class.
        """
        wanted = [(self._state.rows.find(uuid), name, n) for uuid, name, n in amounts]
        for row, name, _ in wanted:
            stock = self._state.stocks.get(name)
            if stock is None or stock.slot(row) < 0:
                uuid = self._state.rows.uuids[row]
                raise ProviderNotFound(
                    f"Provider {uuid} has no inventory of {name}.",
                    provider=uuid,
                    resource_class=name,
                )
        for row, name, amount in wanted:
            stock = self._state.own_usage(name)
            slot = stock.slot(row)
            stock.set_used(slot, stock.cell("used", slot) + amount, row)

    def _set_usage(self, change: UsageChanged) -> None:
        state, name = self._state, change.resource_class
        row = state.rows.row_of.get(change.provider_uuid, NONE)
        if row < 0 or name not in state.stocks or self._is_reported(row, name):
            return
        slot = state.stocks[name].slot(row)
        if slot >= 0:
            state.own_usage(name).set_used(slot, change.used, row)

    def _is_reported(self, row: int, resource_class: str) -> bool:
        if not self._reported or resource_class not in REPORTED_USAGE:
            return False
        hosts = self._state.hosts
        slot = hosts.slot(row)
        column = hosts.numbers.get(REPORTED_USAGE[resource_class])
        if slot < 0 or column is None:
            return False
        value = column.cell(slot)
        return value == value

    def _put(self, provider: Provider) -> None:
        state = self._state
        rows = state.own_rows()
        row = rows.claim(provider.uuid)
        fresh = not rows.alive[row]
        nested = provider.root_uuid != provider.uuid
        parent = NONE
        root = row
        if nested:
            root = rows.claim(provider.root_uuid)
            parent = rows.claim(provider.parent_uuid or provider.root_uuid)
        if not fresh and (rows.root[row] != row) != nested:
            self._drop_stocks(row, {}, nested=not nested)
        if rows.place(row, provider.name, parent, root):
            state.bump(STRUCTURE)
        facts = None if nested else provider.facts
        was_host = state.hosts.slot(row) >= 0
        self._put_traits(row, provider.traits, fresh=fresh, host=was_host)
        self._put_aggregates(row, provider.aggregates, fresh=fresh, host=was_host)
        self._put_facts(row, facts, provider.traits)
        if not fresh:
            self._drop_stocks(row, provider.stocks, nested=nested)
        self._put_stocks(row, provider.stocks, facts, fresh=fresh, nested=nested)

    def _put_traits(self, row: int, traits: frozenset[str], *, fresh: bool, host: bool) -> None:
        for name in self._state.own_traits().put(row, traits, tell=not fresh):
            self._state.bump(f"trait:{name}")
            if host:
                self._state.bump(f"host_trait:{name}")

    def _put_aggregates(
        self, row: int, aggregates: frozenset[str], *, fresh: bool, host: bool
    ) -> None:
        column = self._state.own_aggregates()
        if fresh:
            if aggregates:
                column.put(row, aggregates)
            return
        before = column.get(row) or frozenset()
        if column.put(row, aggregates or None):
            self._state.bump(AGGREGATES)
            for uuid in before ^ aggregates:
                self._state.bump(f"aggregate:{uuid}")
                if host:
                    self._state.bump(f"host_aggregate:{uuid}")

    def _put_facts(self, row: int, facts: HostFacts | None, traits: frozenset[str]) -> None:
        if facts is None:
            if self._state.hosts.slot(row) < 0:
                return
            aspects = self._state.own_hosts().drop(row)
        else:
            zone = facts.availability_zone or self._default_zone
            off = facts.disabled or COMPUTE_STATUS_DISABLED in traits
            aspects = self._state.own_hosts().put(row, facts, zone, off=off)
        for aspect in aspects:
            self._state.bump(aspect)

    def _put_stocks(
        self,
        row: int,
        stocks: Mapping[str, Stock],
        facts: HostFacts | None,
        *,
        fresh: bool,
        nested: bool,
    ) -> None:
        for name, stock in stocks.items():
            used = stock.used
            if self._reported and facts is not None and name in REPORTED_USAGE:
                used = _reported_usage(facts, name, stock, used)
            columns = self._state.own_stock(name)
            changed = columns.put(row, stock.inventory, used, fresh=fresh, nested=nested)
            if changed and not fresh:
                self._state.bump(f"shape:{name}")

    def _drop_stocks(self, row: int, kept: Mapping[str, Stock], *, nested: bool) -> None:
        for name, columns in list(self._state.stocks.items()):
            if name not in kept and columns.slot(row) >= 0:
                self._state.own_stock(name).drop(row, nested=nested)
                self._state.bump(f"shape:{name}")

    def _remove(self, uuid: str) -> None:
        state = self._state
        row = state.rows.row_of.get(uuid, NONE)
        if row < 0 or not state.rows.alive[row]:
            return
        nested = bool(state.rows.root[row] != row)
        self._drop_stocks(row, {}, nested=nested)
        state.own_traits().put(row, ())
        state.own_aggregates().put(row, None)
        self._put_facts(row, None, frozenset())
        state.own_rows().remove(row)
        state.bump(STRUCTURE)


def _reported_usage(facts: HostFacts, name: str, stock: Stock, booked: int) -> int:
    """Return what a host says is used of a class, less its reserve; what is booked if it does not.

    Trackers count the reserve as used (Nova, compute_nodes); the capacity leaves it out already.
    """
    reported = facts.numbers.get(REPORTED_USAGE[name])
    if reported is None:
        return booked
    return max(int(reported) - stock.inventory.reserved, 0)
