"""The options: what may be configured, and the plain values the other rooms get from it.

In: command-line arguments and configuration files in oslo.config's form, or a ``ConfigOpts`` that
the caller owns. Out: the frozen settings of ``scheduler_lib.model.settings``, one function a
noun: ``conf.database.settings(conf)``, ``conf.capacity.settings(conf)``, and so on.

Nothing is registered on oslo.config's global object, so two clients with two configurations live
in one process. This room is the only one that knows oslo.config's types; it imports ``model`` and
``exceptions`` alone.
"""

from scheduler_lib.conf import calls, capacity, database, opts, paths, placement, scheduling
from scheduler_lib.conf.loading import load, register

__all__ = [
    "calls",
    "capacity",
    "database",
    "load",
    "opts",
    "paths",
    "placement",
    "register",
    "scheduling",
]
