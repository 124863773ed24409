"""Benchmarks: what a decision costs here, and what it costs elsewhere on the same hosts.

In comes a fleet described by arithmetic (``fleet_shape``); out go medians (pytest-benchmark's JSON)
that ``report`` turns into the table in the documentation.
"""
