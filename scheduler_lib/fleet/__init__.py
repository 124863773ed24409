"""Every host and provider as columns in memory.

In: changes, from the store's feed, from a report in this process, or from a cast. Out: columns of
what each provider has left, the hosts of a static class with their numbers, and views on which
consumption can be tried. A fleet is brought up to date in O(changes), never rebuilt for a request.

This room knows numpy and ``scheduler_lib.model``; it does no I/O.
"""

from scheduler_lib.fleet.classes import StaticKey
from scheduler_lib.fleet.fleet import Fleet
from scheduler_lib.fleet.hostclass import HostClass
from scheduler_lib.fleet.stock import StockColumns
from scheduler_lib.fleet.view import FleetView

__all__ = ["Fleet", "FleetView", "HostClass", "StaticKey", "StockColumns"]
