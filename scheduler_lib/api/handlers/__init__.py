"""The handlers: one module a noun.

In: a :class:`scheduler_lib.api.call.Call`, its query and body checked by their schemas, its caller
allowed. Out: a :class:`scheduler_lib.api.call.Reply`, or an error.
"""
