"""Who can give what: the candidates of a request.

In: a fleet (or a view of one) and the resource groups of a request. Out: which trees may serve it,
found in one pass over the columns, and for a tree the exact ways to serve it, one after another,
as many as are asked for. Nothing is claimed, and nothing is changed.
"""

from scheduler_lib.placement.candidate import Candidate, Shortfall
from scheduler_lib.placement.search import Search

__all__ = ["Candidate", "Search", "Shortfall"]
