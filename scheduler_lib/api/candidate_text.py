"""Candidates as JSON text.

An answer may have thousands of candidates that differ by uuids alone, so the text of a pattern is
made once, with gaps that uuids fill: tree by tree where few trees are alike, otherwise gap by gap
for all of them. Names of classes, suffixes and uuids have no character that JSON escapes, and none
that stands for a gap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import orjson

from scheduler_lib.fleet.arrays import Rows32, Texts
from scheduler_lib.placement.batches import Batch
from scheduler_lib.placement.pattern import Pattern

_DICTS_SINCE = 12
_MAPPINGS_SINCE = 34
_PLACE = re.compile(rb"<(\d+)>")
_UUID_BYTES = 36
# From so many trees on it is quicker to fill a gap in all of them at once.
_MANY = 12


class _Form(NamedTuple):
    """A text with gaps.

    :ivar text: with ``%b`` for each gap.
    :ivar places: the places in a tree whose uuids fill the gaps.
    """

    text: bytes
    places: tuple[int, ...]


class CandidateText:
    """Writes candidates, each with a comma behind it.

    :param minor: the microversion's minor number.
    :param uuids: uuids of providers by row.
    """

    def __init__(self, minor: int, uuids: Texts) -> None:
        self._minor = minor
        self._uuids = uuids
        self._forms: dict[Pattern, _Form] = {}

    def of_turn(self, batches: Iterable[Batch]) -> list[bytes | memoryview]:
        """Return the candidates of one turn, in their order, in parts."""
        written = [(batch.places, self._of(batch)) for batch in batches]
        if len(written) == 1:
            block = written[0][1]
            return [*block] if isinstance(block, list) else [block.view(np.uint8).data]
        parts = [part for _, block in written for part in _split(block)]
        places = np.concatenate([places for places, _ in written])
        order = np.argsort(places, kind="stable").tolist()
        return [parts[place] for place in order]

    def _of(self, batch: Batch) -> Texts | list[bytes]:
        """Return one text for each tree."""
        forms = [self._form(pattern) for pattern in batch.patterns]
        form = forms[0]
        if len(forms) > 1:
            text = b"".join([form.text for form in forms])
            form = _Form(text, tuple([place for form in forms for place in form.places]))
        few = len(batch.rows) < _MANY
        return self._one_by_one(form, batch.rows) if few else self._at_once(form, batch.rows)

    def _one_by_one(self, form: _Form, rows: Rows32) -> list[bytes]:
        uuids = self._uuids[rows].tolist()
        return [form.text % tuple([line[place] for place in form.places]) for line in uuids]

    def _at_once(self, form: _Form, rows: Rows32) -> Texts:
        text, places = form
        blank = text % ((b"-" * _UUID_BYTES,) * len(places))
        size = len(blank)
        found: Texts = np.full(len(rows), blank, dtype=f"S{size}")
        columns = {place: self._uuids[rows[:, place]] for place in set(places)}
        parts = text.split(b"%b")
        start = 0
        for part, place in zip(parts, places, strict=False):
            start += len(part)
            gap: Texts = np.ndarray(
                len(rows), f"S{_UUID_BYTES}", found.data, offset=start, strides=(size,)
            )
            gap[:] = columns[place]
            start += _UUID_BYTES
        return found

    def _form(self, pattern: Pattern) -> _Form:
        known = self._forms.get(pattern)
        if known is None:
            text = orjson.dumps(self._data(pattern)) + b","
            places = tuple(map(int, _PLACE.findall(text)))
            known = self._forms[pattern] = _Form(_PLACE.sub(b"%b", text), places)
        return known

    def _data(self, pattern: Pattern) -> Mapping[str, object]:
        shares: dict[str, dict[str, int]] = {}
        for place, name, units in pattern.amounts:
            shares.setdefault(f"<{place}>", {})[name] = units
        if self._minor < _DICTS_SINCE:
            listed = [
                {"resource_provider": {"uuid": who}, "resources": amounts}
                for who, amounts in shares.items()
            ]
            return {"allocations": listed}
        data: dict[str, object] = {
            "allocations": {who: {"resources": amounts} for who, amounts in shares.items()}
        }
        if self._minor >= _MAPPINGS_SINCE:
            data["mappings"] = {
                suffix: [f"<{place}>" for place in places]
                for suffix, places in pattern.mappings.items()
            }
        return data


def _split(block: Texts | list[bytes]) -> list[bytes]:
    return block if isinstance(block, list) else block.tolist()
