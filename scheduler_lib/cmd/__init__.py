"""The command ``scheduler-lib``: what an operator types.

In: arguments, configuration files and, for some commands, files to read. Out: tables, JSON, YAML,
CSV or plain values on stdout, progress on stderr, and an exit code: 0 done, 1 an error of our
tree (told in one line with its hint), 2 arguments that cannot be understood.

Commands go through ``SchedulerClient`` like any other caller; only ``db`` and ``provider`` look
into the store themselves. This room alone knows cliff.
"""
