"""Compute nodes: Nova's columns, and ours after them."""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.model.stats import (
    COUNTS,
    FLAGS,
    JSON_TEXTS,
    MOMENTS,
    RATIOS,
    RESERVES,
    SHORT_TEXTS,
    SIGNED,
)
from scheduler_lib.store.schema.metadata import LONG_TEXT, METADATA, NUMBER, OPTIONS, times

# What the last report itself said of the root, so that the next one can take it back, and what an
# operator added stays.
OWNED = ("reported_inventories", "reported_traits", "reported_aggregates")

# Nova's NOT NULL is left out where a first report may lack the field.
COMPUTE_NODES = sa.Table(
    "compute_nodes",
    METADATA,
    sa.Column("id", sa.Integer(), primary_key=True),
    sa.Column("uuid", sa.String(36), nullable=False, unique=True),
    sa.Column("host", sa.String(255), nullable=False),
    sa.Column("hypervisor_hostname", sa.String(255), nullable=False, index=True),
    *(sa.Column(name, sa.Integer()) for name in (*COUNTS, *SIGNED)),
    *(sa.Column(name, NUMBER) for name in RATIOS),
    *(sa.Column(name, sa.String(255)) for name in SHORT_TEXTS),
    *(sa.Column(name, LONG_TEXT) for name in JSON_TEXTS),
    *times(),
    sa.Column("deleted_at", sa.DateTime()),
    sa.Column("deleted", sa.Integer(), nullable=False, default=0, server_default="0"),
    *(sa.Column(name, sa.Integer()) for name in RESERVES),
    *(sa.Column(name, sa.Boolean()) for name in FLAGS),
    *(sa.Column(name, NUMBER) for name in MOMENTS),
    sa.Column("availability_zone", sa.String(255)),
    sa.Column("disabled_reason", sa.String(255)),
    *(sa.Column(name, LONG_TEXT) for name in OWNED),
    sa.UniqueConstraint("host", "hypervisor_hostname", "deleted"),
    **OPTIONS,
)
