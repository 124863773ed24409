"""Who can give what: the candidates of a request.

In: a fleet (or a view of one) and the resource groups of a request. Out: which trees may serve it,
found in one pass over the columns; for a tree the exact ways to serve it, one after another; and
the candidates of all trees, as many as are asked for. Nothing is claimed, and nothing is changed.

A limit bounds the work: trees are read some at once, and those that are alike (the same shape, the
same providers able, as much room where it matters) are solved once, as a pattern that is told by
places in the tree. A request that the hosts' own inventories decide is not searched at all.

Some requests take longer than anybody waits. The room has no clock: whoever asks passes a tick,
which is called now and then, and ends the search by raising.
"""

from scheduler_lib.placement.candidate import Candidate, Shortfall
from scheduler_lib.placement.pattern import Pattern
from scheduler_lib.placement.search import Search

__all__ = ["Candidate", "Pattern", "Search", "Shortfall"]
