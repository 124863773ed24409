"""Resource providers, as Placement stores them."""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.store.schema.metadata import METADATA, OPTIONS, times

RESOURCE_PROVIDERS = sa.Table(
    "resource_providers",
    METADATA,
    sa.Column("id", sa.Integer(), primary_key=True),
    sa.Column("uuid", sa.String(36), nullable=False, unique=True),
    sa.Column("name", sa.String(255), nullable=False, unique=True),
    sa.Column("generation", sa.Integer(), nullable=False, default=0, server_default="0"),
    sa.Column("root_provider_id", sa.Integer(), index=True),
    sa.Column("parent_provider_id", sa.Integer(), index=True),
    *times(),
    # An id that came back would join a new provider to what belonged to a deleted one.
    sqlite_autoincrement=True,
    **OPTIONS,
)
