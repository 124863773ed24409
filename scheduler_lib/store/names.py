"""Ids of names: resource classes, traits, aggregates, projects, users, types of consumers.

An id that was given to a name belongs to it for good, so what was read once is remembered (when the
transaction that made it is committed, not before) and is right in every process. Traits and
resource classes can be removed; their rows stay, and whether such a name exists just now is asked
of the database each time, never remembered.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache

import os_resource_classes
import os_traits
import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql, sqlite

from scheduler_lib.exceptions import InvalidInput
from scheduler_lib.store.prepared import KeyedStatement, Statement
from scheduler_lib.store.schema import (
    CONSUMER_TYPES,
    PLACEMENT_AGGREGATES,
    PROJECTS,
    RESOURCE_CLASSES,
    TRAITS,
    USERS,
)
from scheduler_lib.store.session import Session
from scheduler_lib.store.transaction import Overtaken

CUSTOM = "CUSTOM_"


@cache
def standard_traits() -> frozenset[str]:
    """Return the traits that os-traits names."""
    return frozenset(os_traits.get_traits())


@cache
def standard_classes() -> frozenset[str]:
    """Return the resource classes that os-resource-classes names."""
    return frozenset(os_resource_classes.STANDARDS)


def insert_new(table: sa.TableClause) -> Mapping[str, Statement]:
    """Return, by dialect, an INSERT that does nothing where the row is there already."""
    on_mysql = Statement(mysql.insert(table).prefix_with("IGNORE"))
    return {
        "sqlite": Statement(sqlite.insert(table).on_conflict_do_nothing()),
        "postgresql": Statement(postgresql.insert(table).on_conflict_do_nothing()),
        "mysql": on_mysql,
        "mariadb": on_mysql,
    }


class Ids:
    """Names to ids, both ways, of one table.

    :param standard: names that may be used without having been made; None when every name may.
    """

    def __init__(
        self, table: sa.Table, standard: Callable[[], frozenset[str]] | None = None
    ) -> None:
        self._column = next(c for c in table.c if c.name in ("name", "uuid", "external_id"))
        column = self._column
        self._select = KeyedStatement(
            lambda keys: sa.select(column, table.c.id).where(column.in_(keys))
        )
        self._select_ids = KeyedStatement(
            lambda keys: sa.select(column, table.c.id).where(table.c.id.in_(keys))
        )
        inserted = sa.table(
            table.name, sa.column(column.name, sa.String), sa.column("created_at", sa.DateTime)
        )
        self._insert = insert_new(inserted)
        self._standard = standard
        self._ids: dict[str, int] = {}
        self._names: dict[int, str] = {}

    def get(self, session: Session, names: Iterable[str]) -> Mapping[str, int]:
        """Return the ids of names; those that do not exist are left out."""
        wanted = set(names)
        found = {name: self._ids[name] for name in wanted if name in self._ids}
        if len(found) < len(wanted):
            missing = sorted(wanted - found.keys())
            rows: dict[str, int] = dict(session.rows_of(self._select, missing))
            found.update(rows)
            self._learn(session, rows)
        return found

    def make(self, session: Session, names: Iterable[str]) -> Mapping[str, int]:
        """Return the ids of names; those that do not exist are made, whoever else does so too."""
        wanted = set(names)
        found = dict(self.get(session, wanted))
        if len(found) < len(wanted):
            missing = sorted(wanted - found.keys())
            moment = session.moment
            rows = [{self._column.name: name, "created_at": moment} for name in missing]
            session.run_many(self._insert[session.dialect_name], rows)
            found.update(self.get(session, missing))
        return found

    def check(self, names: Iterable[str], field: str, error: type[InvalidInput]) -> None:
        """Go on only with names that are custom, or standard ones.

        :raises InvalidInput: (as the given class) naming the nearest standard name.
        """
        standard = self._standard() if self._standard is not None else frozenset()
        for name in names:
            if name not in self._ids and name not in standard and not name.startswith(CUSTOM):
                raise unknown_name(name, standard, field, error)

    def names(self, session: Session, ids: Iterable[int]) -> Mapping[int, str]:
        """Return the names of ids."""
        wanted = set(ids)
        found = {id_: self._names[id_] for id_ in wanted if id_ in self._names}
        if len(found) < len(wanted):
            missing = sorted(wanted - found.keys())
            rows: dict[str, int] = dict(session.rows_of(self._select_ids, missing))
            found.update({id_: name for name, id_ in rows.items()})
            self._learn(session, rows)
        return found

    def _learn(self, session: Session, rows: Mapping[str, int]) -> None:
        def learn() -> None:
            self._ids.update(rows)
            self._names.update({id_: name for name, id_ in rows.items()})

        session.after_commit.append(learn)


class RemovableIds(Ids):
    """Names to ids of a table whose names can be removed, and made again.

    Standard names exist without a row, and are never removed.
    """

    def __init__(self, table: sa.Table, standard: Callable[[], frozenset[str]]) -> None:
        super().__init__(table, standard)
        self.table = table
        self.standard = standard
        name, removed_at = table.c.name, table.c.removed_at

        def live(keys: Sequence[sa.BindParameter[str]]) -> sa.Select[tuple[str, int]]:
            query = sa.select(name, table.c.id).where(name.in_(keys), removed_at.is_(None))
            return query.order_by(table.c.id)

        self._live = KeyedStatement(live)
        self._hold = KeyedStatement(lambda keys: live(keys).with_for_update(read=True))
        self._revive = KeyedStatement(
            lambda keys: (
                sa.update(table)
                .where(name.in_(keys))
                .where(removed_at.is_not(None))
                .values(removed_at=sa.null(), updated_at=sa.null(), created_at=sa.bindparam("now"))
            )
        )

    def missing(self, session: Session, names: Iterable[str]) -> frozenset[str]:
        """Return those of the names that do not exist now."""
        asked = frozenset(names) - self.standard()
        if not asked:
            return asked
        return asked - {row[0] for row in session.rows_of(self._live, sorted(asked))}

    def hold(self, session: Session, names: Iterable[str]) -> Mapping[str, int]:
        """Return the ids of those names that exist; they do until the transaction ends.

        Standard names that have no row yet are given one.
        """
        wanted = set(names)
        standard = wanted & self.standard()
        found = dict(super().make(session, standard)) if standard else {}
        if len(found) < len(wanted):
            found.update(session.rows_of(self._hold, sorted(wanted - standard)))
        return found

    def make(self, session: Session, names: Iterable[str]) -> Mapping[str, int]:
        """Return the ids of names; those that do not exist, or were removed, are made.

        They stay until the transaction ends.
        """
        found = super().make(session, names)
        own = found.keys() - self.standard()
        if own:
            self._keep(session, own)
        return found

    def revive(self, session: Session, names: Sequence[str]) -> int:
        """Make names again that were removed; return how many were."""
        return session.run_for(self._revive, names, {"now": session.moment})

    def _keep(self, session: Session, names: Set[str]) -> None:
        gone = names - self.hold(session, names).keys()
        if gone and self.revive(session, sorted(gone)) != len(gone):
            # Somebody else made one again meanwhile: it is there, but not held by us.
            raise Overtaken


def unknown_name(
    name: str, standard: Iterable[str], field: str, error: type[InvalidInput]
) -> InvalidInput:
    """Return the error for a name that is neither custom nor standard, with the nearest one."""
    near = difflib.get_close_matches(name, standard, n=1, cutoff=0.6)
    meant = f" Did you mean {near[0]}?" if near else ""
    return error(
        f"{field}: {name} is no standard name; others start with {CUSTOM}.{meant}",
        field=field,
        value=name,
        nearest=near[0] if near else None,
    )


class Names:
    """The ids of all kinds of names in one database."""

    def __init__(self) -> None:
        self.resource_classes = RemovableIds(RESOURCE_CLASSES, standard_classes)
        self.traits = RemovableIds(TRAITS, standard_traits)
        self.aggregates = Ids(PLACEMENT_AGGREGATES)
        self.projects = Ids(PROJECTS)
        self.users = Ids(USERS)
        self.consumer_types = Ids(CONSUMER_TYPES)
