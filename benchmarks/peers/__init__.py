"""Scripts that measure other schedulers, each run by an interpreter that has that scheduler."""
