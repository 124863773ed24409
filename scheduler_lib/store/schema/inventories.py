"""Inventories with their usage, and resource classes."""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.store.schema.metadata import METADATA, NUMBER, OPTIONS, named, times

RESOURCE_CLASSES = named("resource_classes", removable=True)

INVENTORIES = sa.Table(
    "inventories",
    METADATA,
    sa.Column("id", sa.Integer(), primary_key=True),
    sa.Column("resource_provider_id", sa.Integer(), nullable=False),
    sa.Column("resource_class_id", sa.Integer(), nullable=False, index=True),
    sa.Column("total", sa.Integer(), nullable=False),
    sa.Column("reserved", sa.Integer(), nullable=False),
    sa.Column("min_unit", sa.Integer(), nullable=False),
    sa.Column("max_unit", sa.Integer(), nullable=False),
    sa.Column("step_size", sa.Integer(), nullable=False),
    sa.Column("allocation_ratio", NUMBER, nullable=False),
    # The sum of the allocations; only claims change it.
    sa.Column("used", sa.BigInteger(), nullable=False, default=0, server_default="0"),
    # floor((total - reserved) x allocation_ratio), worked out when the row is written: no database
    # has the decimal arithmetic that the rule asks for.
    sa.Column("capacity", sa.BigInteger(), nullable=False),
    *times(),
    sa.UniqueConstraint("resource_provider_id", "resource_class_id"),
    **OPTIONS,
)
