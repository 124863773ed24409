"""Filters: each asks one question of every host that is still in the running.

In: the hosts as columns, and the request. Out: which of them pass; for one host, why not.
A filter is found by its name in the entry-point group ``scheduler_lib.filters``.
"""
