"""Everything a fleet knows, in parts that views share until one side writes."""

from __future__ import annotations

import weakref

from scheduler_lib.fleet.bits import NamedBits
from scheduler_lib.fleet.codes import CodeColumn
from scheduler_lib.fleet.hosts import HostColumns
from scheduler_lib.fleet.rows import Rows
from scheduler_lib.fleet.stock import StockColumns
from scheduler_lib.fleet.versions import Versions


class State:
    """The parts. Read them as attributes; get a part from ``own_*`` before writing to it.

    Branches form a pool. A part is copied before it is written as long as another member of the
    pool is alive; when a view is dropped, its base writes in place again.
    """

    def __init__(self) -> None:
        self.rows = Rows()
        self.traits = NamedBits()
        self.aggregates: CodeColumn[frozenset[str]] = CodeColumn()
        self.hosts = HostColumns()
        self.stocks: dict[str, StockColumns] = {}
        self.versions = Versions()
        self._pool: weakref.WeakSet[State] | None = None
        self._owned: set[str] = set()

    def branch(self) -> State:
        """Return a state that starts as this one is; neither sees what the other writes later."""
        if self._pool is None:
            self._pool = weakref.WeakSet([self])
        clone = State.__new__(State)
        vars(clone).update(vars(self))
        clone.stocks = dict(self.stocks)
        clone._owned = set()
        self._owned = set()
        self._pool.add(clone)
        return clone

    def own_rows(self) -> Rows:
        """Return the rows, to be written."""
        if self._pool is not None and self._must_copy("rows"):
            self.rows = self.rows.copy()
        return self.rows

    def own_traits(self) -> NamedBits:
        """Return the traits, to be written."""
        if self._pool is not None and self._must_copy("traits"):
            self.traits = self.traits.copy()
        return self.traits

    def own_aggregates(self) -> CodeColumn[frozenset[str]]:
        """Return the aggregates, to be written."""
        if self._pool is not None and self._must_copy("aggregates"):
            self.aggregates = self.aggregates.copy()
        return self.aggregates

    def own_hosts(self) -> HostColumns:
        """Return the hosts' facts, to be written."""
        if self._pool is not None and self._must_copy("hosts"):
            self.hosts = self.hosts.copy()
        return self.hosts

    def own_versions(self) -> Versions:
        """Return the version counters, to be written."""
        if self._pool is not None and self._must_copy("versions"):
            self.versions = self.versions.copy()
        return self.versions

    def own_stock(self, resource_class: str) -> StockColumns:
        """Return one class's columns, to be written; new ones if there are none yet."""
        stock = self.stocks.get(resource_class)
        if stock is None:
            stock = self.stocks[resource_class] = StockColumns()
            self._owned |= {f"shape:{resource_class}", f"usage:{resource_class}"}
        elif self._pool is not None and self._must_copy(f"shape:{resource_class}"):
            stock = self.stocks[resource_class] = stock.copy()
            self._owned.add(f"usage:{resource_class}")
        return stock

    def own_usage(self, resource_class: str) -> StockColumns:
        """Return one class's columns, of which only what is used may be written.

        :raises KeyError: when nobody has an inventory of that class.
        """
        stock = self.stocks[resource_class]
        if self._pool is not None and self._must_copy(f"usage:{resource_class}"):
            stock = self.stocks[resource_class] = stock.with_own_usage()
        return stock

    def bump(self, aspect: str) -> None:
        """Note that an aspect changed."""
        self.own_versions().bump(aspect)

    def _must_copy(self, part: str) -> bool:
        if self._pool is None or part in self._owned:
            return False
        if len(self._pool) == 1:
            # The other members are gone: everything is this one's alone.
            self._pool = None
            self._owned.clear()
            return False
        self._owned.add(part)
        return True
