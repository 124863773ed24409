"""Statements, written once with SQLAlchemy Core and turned into each database's own text once.

Building and compiling a statement costs more than running it on SQLite does; so each is built when
its module is imported, compiled when a database first needs it, and run as text from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect

Row = tuple[Any, ...]
Parameters = tuple[object, ...] | Mapping[str, object]

# Lists of keys are padded to one of these lengths, so that a database sees few different texts.
SIZES = (1, 4, 16, 64, 256, 1000)


class Statement:
    """One statement with named parameters.

    :param core: the statement in SQLAlchemy's terms.
    """

    __slots__ = ("core",)

    def __init__(self, core: sa.ClauseElement) -> None:
        self.core = core


class KeyedStatement:
    """One statement for a list of keys, of whatever length.

    :param build: makes the statement out of the key parameters, for an ``IN``.
    """

    __slots__ = ("_sized", "build")

    def __init__(self, build: Callable[[list[sa.BindParameter[object]]], sa.ClauseElement]) -> None:
        self.build = build
        self._sized: dict[int, Statement] = {}

    def sized(self, size: int) -> Statement:
        """Return the statement for that many keys, named ``key_0``, ``key_1``, ..."""
        statement = self._sized.get(size)
        if statement is None:
            keys: list[sa.BindParameter[object]] = [
                sa.bindparam(f"key_{index}") for index in range(size)
            ]
            statement = self._sized[size] = Statement(self.build(keys))
        return statement


def chunks(keys: Sequence[object]) -> list[dict[str, object]]:
    """Split keys into parameters for :class:`KeyedStatement`, the last key repeated to fill up."""
    parts = []
    for start in range(0, len(keys), SIZES[-1]):
        part = list(keys[start : start + SIZES[-1]])
        size = next(size for size in SIZES if size >= len(part))
        part.extend(part[-1:] * (size - len(part)))
        parts.append({f"key_{index}": key for index, key in enumerate(part)})
    return parts


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement's text on one database.

    :ivar sql: the text.
    :ivar names: the parameters in order, for a driver that takes them by position; else None.
    :ivar constants: values that stand in the statement itself, by the names they were given.
    :ivar converters: how values of some parameters are handed to the driver.
    """

    sql: str
    names: tuple[str, ...] | None
    constants: Mapping[str, object]
    converters: Mapping[str, Callable[[object], object]]

    @classmethod
    def compile(cls, statement: Statement, dialect: Dialect) -> Prepared:
        """Turn a statement into the database's text."""
        compiled = statement.core.compile(dialect=dialect)
        binds = compiled.binds  # type: ignore[attr-defined]
        converters = {
            name: convert
            for name, bind in binds.items()
            if (convert := bind.type.dialect_impl(dialect).bind_processor(dialect)) is not None
        }
        positions = compiled.positiontup  # type: ignore[attr-defined]
        names = None if positions is None else tuple(positions)
        given = compiled.params.items()  # type: ignore[attr-defined]
        constants = {name: value for name, value in given if value is not None}
        return cls(str(compiled), names, constants, converters)

    def parameters(self, given: Mapping[str, object]) -> Parameters:
        """Return the parameters as the driver takes them."""
        if self.constants:
            given = {**self.constants, **given}
        if self.converters:
            given = {**given, **{key: fix(given[key]) for key, fix in self.converters.items()}}
        if self.names is None:
            return given
        return tuple([given[name] for name in self.names])
