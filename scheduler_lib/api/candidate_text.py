"""Candidates as JSON text.

An answer may have thousands of candidates that differ by uuids alone, so the text of a pattern is
made once, with gaps that uuids fill. Names of classes, suffixes and uuids have no character that
JSON escapes, and none that stands for a gap.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import orjson

from scheduler_lib.placement.pattern import Pattern

_DICTS_SINCE = 12
_MAPPINGS_SINCE = 34
_PLACE = re.compile(r"<(\d+)>")

# A text with gaps, and the places in a tree whose uuids fill them.
_Form = tuple[str, tuple[int, ...]]


class CandidateText:
    """Writes candidates.

    :param minor: the microversion's minor number.
    :param uuids: uuids of providers by row.
    """

    def __init__(self, minor: int, uuids: Sequence[str]) -> None:
        self._minor = minor
        self._uuids = uuids
        self._forms: dict[Pattern, _Form] = {}

    def of_roots(self, pattern: Pattern, roots: Sequence[int]) -> list[str]:
        """Return a candidate for each root: it gives everything itself."""
        text, places = self._form(pattern)
        uuids, count = self._uuids, len(places)
        return [text % ((uuids[row],) * count) for row in roots]

    def of_tree(self, pattern: Pattern, rows: Sequence[int]) -> str:
        """Return one candidate.

        :param rows: what its tree has in reach.
        """
        text, places = self._form(pattern)
        uuids = self._uuids
        return text % tuple([uuids[rows[place]] for place in places])

    def _form(self, pattern: Pattern) -> _Form:
        known = self._forms.get(pattern)
        if known is None:
            text = orjson.dumps(self._data(pattern)).decode()
            places = tuple(map(int, _PLACE.findall(text)))
            known = self._forms[pattern] = _PLACE.sub("%s", text), places
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
