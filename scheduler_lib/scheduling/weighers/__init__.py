"""Weighers: each says how much it likes every host that passed.

In: the hosts as columns, and the request. Out: one raw number a host; the ranking normalises it,
multiplies it and adds it up. A weigher is found by its name in ``scheduler_lib.weighers``.
"""
