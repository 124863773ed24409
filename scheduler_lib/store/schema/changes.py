"""The feed: one row for each provider that a transaction changed."""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.store.schema.metadata import BIG_KEY, METADATA, NUMBER, OPTIONS

# What may have changed of the provider.
SEED = 0
PROVIDER = 1
USAGE = 2
REMOVED = 3

CHANGES = sa.Table(
    "changes",
    METADATA,
    sa.Column("id", BIG_KEY, primary_key=True),
    sa.Column("provider_uuid", sa.String(36), nullable=False),
    sa.Column("kind", sa.SmallInteger(), nullable=False),
    sa.Column("created_at", NUMBER, nullable=False),
    # The newest row is never removed, so SQLite gives no id twice even without AUTOINCREMENT.
    **OPTIONS,
)
