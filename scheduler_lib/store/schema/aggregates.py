"""Aggregates, and which provider is in which."""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.store.schema.metadata import METADATA, OPTIONS, named, times

PLACEMENT_AGGREGATES = named("placement_aggregates", "uuid", 36)

PROVIDER_AGGREGATES = sa.Table(
    "resource_provider_aggregates",
    METADATA,
    sa.Column("resource_provider_id", sa.Integer(), primary_key=True, autoincrement=False),
    sa.Column("aggregate_id", sa.Integer(), primary_key=True, autoincrement=False, index=True),
    *times(),
    **OPTIONS,
)
