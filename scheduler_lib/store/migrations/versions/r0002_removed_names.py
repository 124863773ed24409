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
    inspector = sa.inspect(op.get_bind())
    for table in ("resource_classes", "traits"):
        # MariaDB keeps each change at once: what an upgrade that was killed had done is there.
        if all(column["name"] != "removed_at" for column in inspector.get_columns(table)):
            op.add_column(table, sa.Column("removed_at", sa.DateTime()))
