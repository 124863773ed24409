"""The facade: the only door for callers.

In: what conductors, resource trackers and tests pass: dictionaries, Nova's objects, typed requests.
Out: decisions and reports through a query and a report backend, or errors of our tree.

What happens around every call happens here, once, so that no backend does it again: input is
checked and normalised, a deadline is set, what is safe to repeat is repeated, reports that say
nothing new are dropped, errors are translated, and everything is counted and timed.

Nothing heavy is imported before the first call: no oslo, SQLAlchemy, numpy or stevedore.
"""

from scheduler_lib.client.facade import SchedulerClient
from scheduler_lib.client.statistics import OperationStatistics, Statistics

__all__ = ["OperationStatistics", "SchedulerClient", "Statistics"]
