"""Programs as callers write them, for mypy --strict to read; nothing here is run."""
