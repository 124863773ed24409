"""``scheduler-lib db``: the schema of the configured database."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from scheduler_lib.cmd.base import ShowOne
from scheduler_lib.cmd.books import store_of


class DbUpgrade(ShowOne):
    """Bring the database to the newest schema; safe to run again."""

    def take_action(
        self, parsed_args: argparse.Namespace
    ) -> tuple[Sequence[str], Sequence[object]]:
        """Return the revision it was at, and the one it is at now."""
        store = store_of(self.configuration())
        try:
            before = store.current()
            return ("before", "revision"), (before, store.upgrade())
        finally:
            store.close()


class DbCurrent(ShowOne):
    """Show the database's schema revision."""

    def take_action(
        self, parsed_args: argparse.Namespace
    ) -> tuple[Sequence[str], Sequence[object]]:
        """Return the revision; None for a database without a schema."""
        store = store_of(self.configuration())
        try:
            return ("revision",), (store.current(),)
        finally:
            store.close()
