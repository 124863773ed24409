"""JSON schemas of bodies and query strings, as data: one module a noun.

Each name is a mapping from the microversion that brought a schema to the schema; it holds until
the next one. They are compiled when they are first used (``scheduler_lib.api.validation``).
"""
