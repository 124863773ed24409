"""Statements, written once with SQLAlchemy Core and turned into each database's own text once.

Building and compiling a statement costs more than running it on SQLite does; so each is built when
its module is imported, compiled when a database first needs it, and run as text from then on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect

Row = tuple[Any, ...]
Parameters = tuple[object, ...] | Mapping[str, object]

_KEY = "key_0"
_NAMED_KEY = re.compile(r"%\(key_0\)s(::[A-Z]+)?")
_POSITION = re.compile(r"\?|%s")
# Lists of keys are padded to one of these lengths, so that a database sees few different texts.
SIZES = (1, 4, 16, 64, 128, 256, 1000)
_KEYS = tuple(f"key_{index}" for index in range(SIZES[-1]))


class Statement:
    """One statement with named parameters.

    :param core: the statement in SQLAlchemy's terms.
    """

    __slots__ = ("core",)

    def __init__(self, core: sa.ClauseElement) -> None:
        self.core = core


class KeyedStatement(Statement):
    """One statement for a list of keys, of whatever length.

    :param build: makes the statement out of the parameter for one key, for an ``IN``.
    """

    __slots__ = ()

    def __init__(self, build: Callable[[list[sa.BindParameter[Any]]], sa.ClauseElement]) -> None:
        super().__init__(build([sa.bindparam(_KEY)]))


def chunks(keys: Sequence[object]) -> list[dict[str, object]]:
    """Split keys into parameters for :class:`KeyedStatement`, the last key repeated to fill up."""
    if len(keys) == 1:
        return [{"key_0": keys[0]}]
    parts = []
    for start in range(0, len(keys), SIZES[-1]):
        part = list(keys[start : start + SIZES[-1]])
        size = next(size for size in SIZES if size >= len(part))
        part.extend(part[-1:] * (size - len(part)))
        parts.append(dict(zip(_KEYS, part, strict=False)))
    return parts


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement's text on one database.

    :ivar sql: the text.
    :ivar names: the parameters in order, for a driver that takes them by position; else None.
    :ivar constants: values that stand in the statement itself, by the names they were given.
    :ivar converters: how values of some parameters are handed to the driver. Moments are not among
        them: rows carry one that has been converted for all (:attr:`.session.Session.moment`).
    :ivar writes: whether it changes rows.
    """

    sql: str
    names: tuple[str, ...] | None
    constants: Mapping[str, object]
    converters: Mapping[str, Callable[[object], object]]
    writes: bool = False
    _pick: Callable[[Mapping[str, object]], tuple[object, ...]] | None = field(init=False)

    def __post_init__(self) -> None:
        names, pick = self.names or (), None
        # For one name only, an itemgetter would give the bare value.
        if len(names) > 1 and not self.converters:
            pick = itemgetter(*names)
        object.__setattr__(self, "_pick", pick)

    @classmethod
    def compile(cls, statement: Statement, dialect: Dialect) -> Prepared:
        """Turn a statement into the database's text."""
        compiled = statement.core.compile(dialect=dialect)
        binds = compiled.binds  # type: ignore[attr-defined]
        converters = {
            name: convert
            for name, bind in binds.items()
            if not isinstance(bind.type, sa.DateTime)
            and (convert := bind.type.dialect_impl(dialect).bind_processor(dialect)) is not None
        }
        positions = compiled.positiontup  # type: ignore[attr-defined]
        names = None if positions is None else tuple(positions)
        given = compiled.params.items()
        constants = {name: value for name, value in given if value is not None}
        return cls(str(compiled), names, constants, converters, statement.core.is_dml)

    def parameters(self, given: Mapping[str, object]) -> Parameters:
        """Return the parameters as the driver takes them."""
        if self.constants:
            given = {**self.constants, **given}
        if self._pick is not None:
            return self._pick(given)
        if self.names is None:
            if self.converters:
                return {**given, **{key: fix(given[key]) for key, fix in self.converters.items()}}
            return given
        if self.converters:
            fixed = self.converters
            return tuple(
                [fixed[name](given[name]) if name in fixed else given[name] for name in self.names]
            )
        return tuple([given[name] for name in self.names])

    def many(self, rows: Sequence[Mapping[str, object]]) -> list[Parameters]:
        """Return the parameters of many rows."""
        if self._pick is not None and not self.constants:
            return list(map(self._pick, rows))
        return [self.parameters(row) for row in rows]

    def widened(self, size: int) -> Prepared:
        """Return the text for that many keys, out of the text for one.

        Compiling the long statement would give the same, a hundred times slower.
        """
        if size == 1:
            return self
        keys = _KEYS[:size]
        if self.names is None:
            one = _NAMED_KEY.search(self.sql)
            if one is None:
                raise AssertionError(self.sql)
            many = ", ".join(one[0].replace(_KEY, key) for key in keys)
            sql = self.sql.replace(one[0], many)
            return Prepared(sql, None, self.constants, self.converters, self.writes)
        parts = _POSITION.split(self.sql)
        at = self.names.index(_KEY)
        # Each placeholder of the text stands between two parts of it.
        marks = _POSITION.findall(self.sql)
        marks[at] = ", ".join([marks[at]] * size)
        sql = parts[0] + "".join(mark + part for mark, part in zip(marks, parts[1:], strict=True))
        names = (*self.names[:at], *keys, *self.names[at + 1 :])
        return Prepared(sql, names, self.constants, self.converters, self.writes)
