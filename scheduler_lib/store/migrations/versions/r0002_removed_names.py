"""Traits and resource classes can be removed, and keep their ids."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the moment a name was removed at."""
    for table in ("resource_classes", "traits"):
        op.add_column(table, sa.Column("removed_at", sa.DateTime()))
