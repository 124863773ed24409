"""What alembic runs: the revisions, on the connection that it was given."""

from __future__ import annotations

from alembic import context

from scheduler_lib.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    # SQLite cannot alter most of a table; alembic then copies it.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
