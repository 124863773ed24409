"""Errors of drivers, SQLAlchemy and oslo.db, told in the words of our tree."""

from __future__ import annotations

import sqlite3

import sqlalchemy.exc
from oslo_db import exception as oslo_errors

from scheduler_lib.exceptions import (
    BackendUnavailable,
    Conflict,
    SchedulerLibError,
    SchemaMismatch,
    StorageFull,
)

DATABASE_ERRORS = (sqlite3.Error, sqlalchemy.exc.SQLAlchemyError, oslo_errors.DBError)

# SQLSTATE of PostgreSQL: serialization failure, deadlock, lock not available, duplicate key; disk
# full.
_POSTGRESQL_TRANSIENT = frozenset({"40001", "40P01", "55P03", "23505"})
_POSTGRESQL_FULL = frozenset({"53100"})
# Numbers of MariaDB: lock wait timeout, deadlock, record changed, duplicate key; disk full, table
# full.
_MARIADB_TRANSIENT = frozenset({1205, 1213, 1020, 1062})
_MARIADB_FULL = frozenset({1021, 1114, 3})

_SQLITE_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_SQLITE_FOREIGN = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT})

_FOREIGN_TABLES = ("no such table", "no such column", "table ")
_SQLITE_ACCESS = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM})


class RequestKeyTaken(Conflict):
    """Somebody else has answered under the same request key meanwhile. Fields: ``request_key``."""

    code = "scheduler_lib.request_key_taken"
    default_hint = "Read the recorded answer."


def is_locked(error: BaseException) -> bool:
    """Tell whether SQLite refused because another writer holds the file."""
    return _sqlite_code(error) in _SQLITE_LOCKED


def is_transient(error: BaseException) -> bool:
    """Tell whether running the whole transaction again may help.

    A duplicate key is one of these: somebody wrote the row between our read and our write, and the
    next read will find it.
    """
    if isinstance(error, oslo_errors.DBDeadlock | oslo_errors.DBDuplicateEntry):
        return True
    if is_disconnect(error) or is_locked(error):
        return True
    state = _postgresql_state(error)
    return state in _POSTGRESQL_TRANSIENT or _mariadb_number(error) in _MARIADB_TRANSIENT


def is_disconnect(error: BaseException) -> bool:
    """Tell whether the connection was lost."""
    return isinstance(error, oslo_errors.DBConnectionError) or bool(
        getattr(error, "connection_invalidated", False)
    )


def translated(error: BaseException, backend: str) -> SchedulerLibError:
    """Return the error of our tree that says the same.

    :param error: one of ``DATABASE_ERRORS``, or an OSError.
    :param backend: the database, as it may be shown (no password).
    """
    told = _first_line(error)
    if _is_full(error):
        return StorageFull(f"The disk behind {backend} is full: {told}", backend=backend)
    if is_locked(error):
        return BackendUnavailable(
            f"{backend} is locked by another writer: {told}",
            hint="Find the program that keeps a write transaction open, then call again.",
            backend=backend,
        )
    if _sqlite_code(error) in _SQLITE_FOREIGN:
        return SchemaMismatch(
            f"{backend} is no database of ours: {told}",
            hint="Point [database] connection at another file, or restore this one.",
            found=None,
            expected="SQLite",
        )
    if _sqlite_code(error) in _SQLITE_ACCESS:
        return BackendUnavailable(
            f"{backend} cannot be used: {told}",
            hint="The file must be there, and it and its directory must be writable for us.",
            backend=backend,
        )
    if _sqlite_code(error) == sqlite3.SQLITE_ERROR and told.startswith(_FOREIGN_TABLES):
        return SchemaMismatch(
            f"{backend} has other tables than ours: {told}",
            hint="Point [database] connection at a database of this library alone.",
            found=None,
            expected="the tables of this library",
        )
    return BackendUnavailable(f"{backend} did not do it: {told}", backend=backend)


def _is_full(error: BaseException) -> bool:
    return (
        _sqlite_code(error) == sqlite3.SQLITE_FULL
        or _postgresql_state(error) in _POSTGRESQL_FULL
        or _mariadb_number(error) in _MARIADB_FULL
    )


def _origin(error: BaseException) -> BaseException:
    # oslo.db wraps SQLAlchemy's errors, and these wrap the driver's.
    while True:
        inner = getattr(error, "inner_exception", None) or getattr(error, "orig", None)
        if not isinstance(inner, BaseException):
            return error
        error = inner


def _sqlite_code(error: BaseException) -> int | None:
    origin = _origin(error)
    if not isinstance(origin, sqlite3.Error):
        return None
    code = getattr(origin, "sqlite_errorcode", None)
    # The low byte is the error, the rest its flavour.
    return None if code is None else int(code) & 0xFF


def _postgresql_state(error: BaseException) -> str | None:
    return getattr(_origin(error), "sqlstate", None)


def _mariadb_number(error: BaseException) -> int | None:
    arguments = _origin(error).args
    if arguments and isinstance(arguments[0], int):
        return arguments[0]
    return None


def _first_line(error: BaseException) -> str:
    lines = str(_origin(error)).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
