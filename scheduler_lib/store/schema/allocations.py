"""Allocations: who holds how much of which inventory."""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.store.schema.metadata import METADATA, OPTIONS, times

ALLOCATIONS = sa.Table(
    "allocations",
    METADATA,
    sa.Column("id", sa.Integer(), primary_key=True),
    sa.Column("resource_provider_id", sa.Integer(), nullable=False),
    sa.Column("consumer_id", sa.String(36), nullable=False),
    sa.Column("resource_class_id", sa.Integer(), nullable=False),
    sa.Column("used", sa.Integer(), nullable=False),
    *times(),
    sa.Index(None, "resource_provider_id", "resource_class_id"),
    # The name that the convention gives is too long for two of the databases.
    sa.UniqueConstraint(
        "consumer_id",
        "resource_provider_id",
        "resource_class_id",
        name="uq_allocations_consumer_provider_class",
    ),
    **OPTIONS,
)
