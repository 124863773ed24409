"""Ways to tell what a host has: one file a backend, found by its entry point.

In: a host's checked report and a deadline. Out: nothing, or what was reported before, or an error
of our tree. ``base`` says what a backend owes its callers; ``scheduler_lib.testing.contract`` holds
each backend to that.
"""
