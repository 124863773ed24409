"""The facts of compute nodes: numbers as columns, texts kept once each."""

from __future__ import annotations

import bisect
from collections.abc import Mapping

import numpy as np

from scheduler_lib.fleet.arrays import FIRST_SIZE, Bools, Floats, Rows32, grown
from scheduler_lib.fleet.codes import CodeColumn
from scheduler_lib.fleet.journal import Journal
from scheduler_lib.fleet.versions import ENABLED, HOSTS, ZONES
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.model.provider import HostFacts

_NAN = float("nan")


class NumberColumn:
    """One numeric fact by slot; NaN where it was never reported."""

    __slots__ = ("journal", "values")

    def __init__(self) -> None:
        self.values: Floats = np.full(FIRST_SIZE, _NAN, dtype=np.float64)
        self.journal = Journal()

    def put(self, slot: int, value: float | None, *, fresh: bool) -> None:
        """Write one number; None for none."""
        if slot >= len(self.values):
            self.values = grown(self.values, slot + 1, _NAN)
        if fresh:
            self.values[slot] = _NAN if value is None else value
            return
        old = self.values[slot]
        if value is None:
            if old != old:
                return
            self.values[slot] = _NAN
        elif old == value:
            return
        else:
            self.values[slot] = value
        self.journal.add(slot)

    def read(self, slots: Rows32) -> Floats:
        """Return the numbers of these slots."""
        if len(slots) and int(slots.max()) >= len(self.values):
            self.values = grown(self.values, int(slots.max()) + 1, _NAN)
        return self.values[slots]

    def cell(self, slot: int) -> float:
        """Return one number."""
        return float(self.values[slot]) if slot < len(self.values) else _NAN

    def copy(self) -> NumberColumn:
        """Return a column of its own with the same values."""
        clone = NumberColumn()
        clone.values = self.values.copy()
        clone.journal = self.journal.fork()
        return clone


class HostColumns:
    """A slot for each root provider that is a compute node."""

    def __init__(self) -> None:
        self.size = 0
        self.count = 0
        self.heartbeats = 0
        self.rows: Rows32 = np.full(FIRST_SIZE, -1, dtype=np.int32)
        self.disabled: Bools = np.zeros(FIRST_SIZE, dtype=np.bool_)
        self.forced_down: Bools = np.zeros(FIRST_SIZE, dtype=np.bool_)
        self.names: list[ResourceName | None] = []
        self.zones: CodeColumn[str] = CodeColumn()
        self.default_zoned: Bools = np.zeros(FIRST_SIZE, dtype=np.bool_)
        self.switched_off: Bools = np.zeros(FIRST_SIZE, dtype=np.bool_)
        self.reasons: CodeColumn[str] = CodeColumn()
        self.numbers: dict[str, NumberColumn] = {}
        self.last_seen_up = NumberColumn()
        self._texts: dict[str, CodeColumn[str]] = {}
        self._slot_of: Rows32 = np.full(FIRST_SIZE, -1, dtype=np.int32)
        self._holes: list[int] = []
        self._order: Rows32 | None = None
        self._touched: set[int] = set()

    def slot(self, row: int) -> int:
        """Return a host's slot; -1 when the row is none."""
        return int(self._slot_of[row]) if row < len(self._slot_of) else -1

    def slots(self, rows: Rows32) -> Rows32:
        """Return the slots of these rows; -1 where a row is no host."""
        if len(rows) and int(rows.max()) >= len(self._slot_of):
            self._slot_of = grown(self._slot_of, int(rows.max()) + 1, -1)
        return self._slot_of[rows]

    def name(self, slot: int) -> ResourceName:
        """Return a host's name."""
        name = self.names[slot]
        assert name is not None  # noqa: S101 - a slot that is in use has a name
        return name

    def order(self) -> Rows32:
        """Return the slots in use, by host and node, code point by code point."""
        if self._order is None or len(self._touched) > max(64, self.count // 16):
            used = [slot for slot, name in enumerate(self.names) if name is not None]
            used.sort(key=self.name)
            self._order = np.array(used, dtype=np.int32)
        elif self._touched:
            self._order = self._merged(self._order)
        self._touched.clear()
        return self._order

    def put(self, row: int, facts: HostFacts, zone: str, *, off: bool) -> set[str]:
        """Write a host's facts; return the aspects that changed.

        :param zone: the zone it is in, the default one resolved.
        :param off: its service is disabled, by its facts or by trait.
        """
        slot, aspects = self.slot(row), set()
        fresh = slot < 0
        if fresh:
            slot = self._take(row)
        if fresh or self.names[slot] != (facts.host, facts.node):
            self.names[slot] = _shared_name(facts.host, facts.node)
            self._touched.add(slot)
            aspects.add(HOSTS)
        if self.zones.put(slot, zone):
            aspects.add(ZONES)
        self.default_zoned[slot] = facts.availability_zone is None
        if self.disabled[slot] != off or self.forced_down[slot] != facts.forced_down:
            self.disabled[slot], self.forced_down[slot] = off, facts.forced_down
            aspects.add(ENABLED)
        if not fresh or facts.disabled or facts.disabled_reason is not None:
            self.switched_off[slot] = facts.disabled
            self.reasons.put(slot, facts.disabled_reason)
        self._beat(slot, facts.last_seen_up, fresh=fresh)
        self._put_numbers(slot, facts.numbers, fresh=fresh)
        self._put_texts(slot, facts.texts, fresh=fresh)
        return aspects

    def drop(self, row: int) -> set[str]:
        """Forget a host; return the aspects that changed."""
        slot = self.slot(row)
        if slot < 0:
            return set()
        self._slot_of[row] = self.rows[slot] = -1
        self.names[slot] = None
        self._touched.add(slot)
        self.zones.put(slot, None)
        self.reasons.put(slot, None)
        self.disabled[slot] = self.forced_down[slot] = self.switched_off[slot] = False
        self._beat(slot, None, fresh=False)
        self._put_numbers(slot, {}, fresh=False)
        self._put_texts(slot, {}, fresh=False)
        self._holes.append(slot)
        self.count -= 1
        return {HOSTS}

    def facts(self, slot: int) -> HostFacts:
        """Return a host's facts as they were given."""
        name = self.name(slot)
        numbers = {key: column.cell(slot) for key, column in self.numbers.items()}
        texts = {key: column.get(slot) for key, column in self._texts.items()}
        beat = self.last_seen_up.cell(slot)
        return HostFacts(
            host=name.host,
            node=name.node,
            numbers={key: value for key, value in numbers.items() if value == value},
            texts={key: value for key, value in texts.items() if value is not None},
            availability_zone=None if self.default_zoned[slot] else self.zones.get(slot),
            disabled=bool(self.switched_off[slot]),
            disabled_reason=self.reasons.get(slot),
            forced_down=bool(self.forced_down[slot]),
            last_seen_up=beat if beat == beat else None,
        )

    def copy(self) -> HostColumns:
        """Return columns of its own with the same values."""
        clone = HostColumns.__new__(HostColumns)
        for name, value in vars(self).items():
            setattr(clone, name, value.copy() if hasattr(value, "copy") else value)
        clone.numbers = {key: column.copy() for key, column in self.numbers.items()}
        clone._texts = {key: column.copy() for key, column in self._texts.items()}
        return clone

    def _beat(self, slot: int, value: float | None, *, fresh: bool) -> None:
        if fresh and value is None:
            return
        before = self.last_seen_up.cell(slot)
        self.heartbeats += (value is not None) - (before == before)
        self.last_seen_up.put(slot, value, fresh=fresh)

    def _put_numbers(self, slot: int, numbers: Mapping[str, float], *, fresh: bool) -> None:
        columns = self.numbers
        for name, value in numbers.items():
            column = columns.get(name)
            if column is None:
                column = columns[name] = NumberColumn()
            column.put(slot, value, fresh=fresh)
        if not fresh and len(numbers) < len(columns):
            for name in columns.keys() - numbers.keys():
                columns[name].put(slot, None, fresh=False)

    def _put_texts(self, slot: int, texts: Mapping[str, str], *, fresh: bool) -> None:
        columns = self._texts
        for name, value in texts.items():
            column = columns.get(name)
            if column is None:
                column = columns[name] = CodeColumn()
            column.put(slot, value)
        if not fresh and len(texts) < len(columns):
            for name in columns.keys() - texts.keys():
                columns[name].put(slot, None)

    def _merged(self, order: Rows32) -> Rows32:
        touched = np.zeros(self.size, dtype=np.bool_)
        touched[list(self._touched)] = True
        kept = order[~touched[order]]
        added = [slot for slot in self._touched if self.names[slot] is not None]
        added.sort(key=self.name)
        places = [bisect.bisect_left(kept, self.name(slot), key=self.name) for slot in added]
        return np.insert(kept, places, added)

    def _take(self, row: int) -> int:
        if self._holes:
            slot = self._holes.pop()
        else:
            slot = self.size
            self.size += 1
            self.names.append(None)
            if slot >= len(self.rows):
                self._grow(slot + 1)
        if row >= len(self._slot_of):
            self._slot_of = grown(self._slot_of, row + 1, -1)
        self._slot_of[row] = slot
        self.rows[slot] = row
        self.count += 1
        return slot

    def _grow(self, size: int) -> None:
        self.rows = grown(self.rows, size, -1)
        self.disabled = grown(self.disabled, size, False)
        self.forced_down = grown(self.forced_down, size, False)
        self.default_zoned = grown(self.default_zoned, size, False)
        self.switched_off = grown(self.switched_off, size, False)


def _shared_name(host: str, node: str) -> ResourceName:
    return ResourceName(host, host if host == node else node)
