"""Suites that hold a backend to what it declares, for authors of plug-ins.

In: a class of yours that subclasses :class:`QueryContract` or :class:`ReportContract` and says how
to make the backend. Out: tests; each capability is tried, and must be there exactly if the backend
declares it, so neither a broken promise nor an undeclared one goes unseen::

    from scheduler_lib.testing.contract import QueryContract

    class TestMyQuery(QueryContract):
        def make_backend(self, hosts):
            return MyQuery(...)     # a backend that knows these hosts, and no others
"""

from scheduler_lib.testing.contract.query import QueryContract
from scheduler_lib.testing.contract.report import ReportContract

__all__ = ["QueryContract", "ReportContract"]
