"""Traits, and which provider has which."""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.store.schema.metadata import METADATA, OPTIONS, named, times

TRAITS = named("traits", removable=True)

PROVIDER_TRAITS = sa.Table(
    "resource_provider_traits",
    METADATA,
    sa.Column("resource_provider_id", sa.Integer(), primary_key=True, autoincrement=False),
    sa.Column("trait_id", sa.Integer(), primary_key=True, autoincrement=False, index=True),
    *times(),
    **OPTIONS,
)
