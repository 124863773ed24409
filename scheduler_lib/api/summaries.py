"""Summaries of providers as JSON text, read from the fleet's columns.

Providers that have the same classes are written together, with one text that has gaps for what
differs. Where whole trees are shown, what was written of a tree is kept until the tree changes.
Names and uuids have no character that JSON escapes, and none that stands for a gap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_lib.api.kept_texts import KeptTexts
from scheduler_lib.fleet import Fleet, StockColumns
from scheduler_lib.fleet.arrays import Bools, Ints, Rows32
from scheduler_lib.fleet.revisions import revisions
from scheduler_lib.placement import forest

_TRAITS_SINCE = 17
_ALL_CLASSES_SINCE = 27
_TREES_SINCE = 29
# More would not go into the bits of a sign.
_MOST_BITS = 40
_MOST_KEPT_BYTES = 32 * 2**20

_Slots = NDArray[np.int32]
# What fills one gap, provider by provider.
_Column = Sequence[object]


class Summaries:
    """Writes summaries.

    :param fleet: where the providers are.
    :param minor: the microversion's minor number.
    :param asked: the resource classes that were asked for.
    """

    def __init__(self, fleet: Fleet, minor: int, asked: Collection[str]) -> None:
        self._fleet = fleet
        self._minor = minor
        self._asked = asked

    def shown(self, givers: Bools) -> list[bytes]:
        """Return the summaries: ``"uuid":{...},``, one or several of them in each text.

        All providers of a tree are shown as soon as one of them gives something, where clients know
        of trees.

        :param givers: tells for each row whether the provider gives something.
        """
        rows = np.flatnonzero(givers).astype(np.int32)
        if self._minor < _TREES_SINCE:
            return [f"{text},".encode("ascii") for text in self.texts(rows)]
        is_root = np.zeros(len(givers), dtype=np.bool_)
        is_root[self._fleet.state.rows.root[rows]] = True
        return self._of_trees(np.flatnonzero(is_root).astype(np.int32))

    def _of_trees(self, roots: Rows32) -> list[bytes]:
        numbers = revisions(self._fleet)[roots]
        kept = self._fleet.followed("summaries", _kept)
        texts, known = kept.of(roots, numbers)
        unknown = np.flatnonzero(~known)
        if len(unknown):
            texts[unknown] = self._written(roots[unknown])
            kept.keep(roots[unknown], numbers[unknown], texts[unknown])
        found: list[bytes] = texts.tolist()
        return found

    def _written(self, roots: Rows32) -> list[bytes]:
        """Return the summaries of each tree, written anew."""
        rows = forest.trees(self._fleet, roots)
        texts = self.texts(rows)
        ends = np.cumsum(forest.tree_sizes(self._fleet, roots)).tolist()
        starts = [0, *ends[:-1]]
        return [
            ",".join([*texts[start:end], ""]).encode("ascii")
            for start, end in zip(starts, ends, strict=True)
        ]

    def texts(self, rows: Rows32) -> list[str]:
        """Return the summary of each of these providers, written anew."""
        fleet = self._fleet
        stocks = self._stocks(rows)
        found = [""] * len(rows)
        for places in _alike([slots for _, _, slots in stocks], len(rows)):
            here = [
                (name, stock, slots[places])
                for name, stock, slots in stocks
                if slots[places[0]] >= 0
            ]
            uuids = list(map(fleet.state.rows.uuids.__getitem__, rows[places].tolist()))
            form, columns = self._form(here, rows[places])
            values = zip(uuids, *columns, strict=True)
            for place, given in zip(places.tolist(), values, strict=True):
                found[place] = form % given
        return found

    def _stocks(self, rows: Rows32) -> list[tuple[str, StockColumns, _Slots]]:
        """Return the classes that any of the providers has, with the slots of all of them."""
        stocks = self._fleet.state.stocks
        names = stocks if self._minor >= _ALL_CLASSES_SINCE else self._asked
        found = []
        for name in sorted(names):
            stock = stocks.get(name)
            if stock is not None:
                slots = stock.slots(rows)
                if len(slots) and slots.max() >= 0:
                    found.append((name, stock, slots))
        return found

    def _form(
        self, stocks: Sequence[tuple[str, StockColumns, _Slots]], rows: Rows32
    ) -> tuple[str, list[_Column]]:
        """Return the text of providers that have the same classes, and what fills its gaps."""
        columns: list[_Column] = []
        parts = []
        for name, stock, slots in stocks:
            capacity = _written(stock.capacity[slots], columns)
            used = _written(stock.used[slots], columns)
            parts.append(f'"{name}":{{"capacity":{capacity},"used":{used}}}')
        text = f'"%s":{{"resources":{{{",".join(parts)}}}'
        if self._minor >= _TRAITS_SINCE:
            text += ',"traits":[%s]'
            columns.append(self._traits(rows))
        if self._minor >= _TREES_SINCE:
            text += ',"parent_provider_uuid":%s,"root_provider_uuid":%s'
            columns += self._trees(rows)
        return text + "}", columns

    def _traits(self, rows: Rows32) -> list[str]:
        traits = self._fleet.state.traits
        known: dict[tuple[int, ...], str] = {}
        texts = []
        for row, key in zip(rows.tolist(), traits.keys(rows), strict=True):
            text = known.get(key)
            if text is None:
                names = [f'"{name}"' for name in sorted(traits.names(row), key=_order)]
                text = known[key] = ",".join(names)
            texts.append(text)
        return texts

    def _trees(self, rows: Rows32) -> tuple[list[str], list[str]]:
        """Return the uuids of parents and roots, in quotes."""
        state = self._fleet.state.rows
        uuids = state.uuids
        parents, roots = state.parent[rows].tolist(), state.root[rows].tolist()
        return (
            ["null" if row < 0 else f'"{uuids[row]}"' for row in parents],
            [f'"{uuids[row]}"' for row in roots],
        )


def _kept(before: KeptTexts | None) -> KeptTexts:
    return KeptTexts(_MOST_KEPT_BYTES) if before is None else before


def _order(trait: str) -> tuple[bool, str]:
    """Return what traits are sorted by: standard ones come first, as clients have seen them."""
    return trait.startswith("CUSTOM_"), trait


def _written(values: Ints, columns: list[_Column]) -> str:
    """Return the text of a number: itself where all are the same, else a gap that they fill."""
    first = values[0]
    if (values == first).all():
        return str(first)
    columns.append(values.tolist())
    return "%d"


def _alike(slots_of_classes: Sequence[_Slots], size: int) -> Iterator[NDArray[np.intp]]:
    """Give the places of those that have the same classes."""
    if not size:
        return
    signs = np.zeros(size, dtype=np.int64)
    bits = 0
    for slots in slots_of_classes:
        if bits == _MOST_BITS:
            # Numbers from 0 on, as many as there are different ones.
            signs = np.unique(signs, return_inverse=True)[1].astype(np.int64)
            bits = size.bit_length()
        signs = signs * 2 + (slots >= 0)
        bits += 1
    if (signs == signs[0]).all():
        yield np.arange(size)
        return
    order = np.argsort(signs, kind="stable")
    starts = np.flatnonzero(np.diff(signs[order])) + 1
    yield from np.split(order, starts)
