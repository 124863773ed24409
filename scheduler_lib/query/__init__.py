"""Ways to ask for destinations: one file a backend, found by its entry point.

In: a typed request and a deadline. Out: a decision, or an error of our tree. ``base`` says what a
backend owes its callers; ``scheduler_lib.testing.contract`` holds each backend to that.
This room must never be imported by the rooms below it, and knows nothing of the facade above.
"""
