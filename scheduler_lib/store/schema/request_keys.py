"""Answers that were given, by request key."""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.store.schema.metadata import LONG_TEXT, METADATA, NUMBER, OPTIONS

REQUEST_KEYS = sa.Table(
    "request_keys",
    METADATA,
    sa.Column("id", sa.Integer(), primary_key=True),
    sa.Column("request_key", sa.String(255), nullable=False, unique=True),
    sa.Column("fingerprint", sa.String(255), nullable=False),
    sa.Column("answer", LONG_TEXT, nullable=False),
    sa.Column("created_at", NUMBER, nullable=False, index=True),
    **OPTIONS,
)
