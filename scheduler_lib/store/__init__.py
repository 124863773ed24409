"""The books: who has what and who holds what, in SQL.

In: hosts' reports, claims and releases, answers to remember. Out: receipts, providers, and a feed
of changes that keeps a fleet in memory up to date. Every write is one transaction: it happens whole
or not at all, and what it changed stands in the feed of the same transaction.

Only this room knows SQL. :class:`scheduler_lib.store.store.Store` is its door, and
:class:`scheduler_lib.store.connections.Connections` opens each database once.

====================  ==================================================================
``store.hosts``       compute nodes: report, read, delete
``store.claims``      who holds what: write, release, read
``store.request_keys``  answers that were given, by request key
``store.feed``        everything once, then only what changed
``store.providers``   providers and their trees: read, make, move, delete
``store.inventories``  what providers have: read, write
``store.traits``      which traits there are, and which providers have
``store.resource_classes``  which classes there are: read, make, rename, remove
``store.aggregates``  which aggregates providers are in
``store.books``       the invariant: what is used is what is allocated
====================  ==================================================================
"""
