"""Choosing: which of the hosts that can serve a request gets it, and why the others do not.

In: a request, a fleet (or a view of one), the configured filters and weighers, a clock, a random
source, and a port through which claims are made. Out: a ``Decision``: destinations, how many hosts
each check left, and, when asked, the reason for every host that was refused.

    static class of hosts -> names -> room for the resources -> filters -> weighers -> pick -> claim

Nothing here does I/O, reads a clock or rolls dice of its own: the same input gives the same answer.
What was asked lately is part of that input where a weigher looks ahead; ``demand`` keeps it.
"""
