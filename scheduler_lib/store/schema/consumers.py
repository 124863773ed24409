"""Consumers, and who they are booked on."""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.store.schema.metadata import METADATA, OPTIONS, named, times

PROJECTS = named("projects", "external_id")
USERS = named("users", "external_id")
CONSUMER_TYPES = named("consumer_types")

CONSUMERS = sa.Table(
    "consumers",
    METADATA,
    sa.Column("id", sa.Integer(), primary_key=True),
    sa.Column("uuid", sa.String(36), nullable=False, unique=True),
    sa.Column("project_id", sa.Integer(), nullable=False),
    sa.Column("user_id", sa.Integer(), nullable=False),
    sa.Column("generation", sa.Integer(), nullable=False, default=0, server_default="0"),
    sa.Column("consumer_type_id", sa.Integer()),
    *times(),
    # Usages are asked for by project, and by project and user.
    sa.Index(None, "project_id", "user_id"),
    **OPTIONS,
)
