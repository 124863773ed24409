"""A recorded cluster, run through the facade: what ``scheduler-lib replay`` does.

In: two CSV files, one of nodes and one of tasks, and a policy. ``reading`` checks the rows,
``mapping`` turns them into hosts' reports and requests, ``history`` and ``inflate`` order the
arrivals and departures, ``placing`` asks the facade and takes the time, ``runs`` sets up a fresh
database for each run. Out: ``report``'s figures, and on demand every placement as CSV.

Everything goes through ``SchedulerClient``, as a caller's own program would.
"""
