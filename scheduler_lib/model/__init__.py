"""The values that every room speaks in.

In: what callers give, checked once, where the value is made. Out: frozen values that never change
and never do I/O, so any room may keep or share them. An invalid value cannot be built: its
constructor raises an error of our tree that names the field.

This room imports nothing but ``scheduler_lib.exceptions``.
"""
