"""The usual demand for devices of one class, as arrays: how much of a fleet it could use."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from scheduler_lib.scheduling.demand import Conditions, DeviceNeed, Shape, Usual
from scheduler_lib.scheduling.devices import Devices, Units
from scheduler_lib.scheduling.shortlist import BoolArray, FloatArray, IntArray
from scheduler_lib.scheduling.treememo import Columns, TreeMemo

# Shapes whose numbers are remembered; each costs some bytes a device.
_MEMOS = 512


class Mix:
    """The shapes that ask for devices of one class, and how often each comes.

    :param usual: all shapes with their shares.
    :param resource_class: the devices' class.
    """

    def __init__(self, usual: Usual, resource_class: str) -> None:
        lines = [
            (shape, need, share)
            for shape, share in usual
            for need in shape.devices
            if need.resource_class == resource_class
        ]
        self._resource_class = resource_class
        self._memos: dict[Shape, TreeMemo] = {}
        # A view may explain a request while its fleet decides the next one.
        self._lock = threading.Lock()
        self._kinds = sorted({_kind(need) for _, need, _ in lines}, key=repr)
        place = {kind: number for number, kind in enumerate(self._kinds)}
        self._kind = np.array([place[_kind(need)] for _, need, _ in lines], dtype=np.int64)
        self._count = np.array([need.quantity for _, need, _ in lines], dtype=np.int32)
        self._share = np.array([share for _, _, share in lines], dtype=np.float32)
        self._amounts = np.array([amount for amount, _ in self._kinds], dtype=np.int32)
        self._conditions = tuple(conditions for _, conditions in self._kinds)
        self._conditional = any(self._conditions)
        self._own = _own_amounts([shape for shape, _, _ in lines])

    @property
    def own_classes(self) -> tuple[str, ...]:
        """The classes that the shapes ask of the host itself."""
        return tuple(self._own)

    def lost(
        self, shape: Shape, devices: Devices, free: Units, own: Mapping[str, IntArray]
    ) -> FloatArray:
        """Return what the average request could use less of, were the shape placed, by tree.

        :param free: what each device has left, shape (devices of a tree, trees).
        :param own: what each tree has left beside its devices, by class.
        """
        met = devices.meeting_each(self._conditions) if self._conditional else None
        takings = [
            Taking(need, devices.meeting_each((need.conditions,))[0])
            for need in shape.devices
            if need.resource_class == self._resource_class
        ]
        amounts = dict(shape.own)

        def work_out(columns: Columns) -> FloatArray:
            some = free[:, columns]
            left = some
            for taking in takings:
                left = taking.left(left, columns)
            have = {name: units[columns] for name, units in own.items()}
            keep = {name: units - amounts.get(name, 0) for name, units in have.items()}
            able = None if met is None else met[:, :, columns]
            return self._usable(some, have, able) - self._usable(left, keep, able)

        with self._lock:
            memo = self._memos.setdefault(shape, TreeMemo())
            if len(self._memos) > _MEMOS:
                del self._memos[next(iter(self._memos))]
            return memo.numbers([free, *own.values()], work_out).copy()

    def _usable(
        self, free: Units, own: Mapping[str, IntArray], met: BoolArray | None
    ) -> FloatArray:
        able = free >= self._amounts[:, None, None]
        if met is not None:
            able &= met
        count = np.add.reduce(able, axis=1, dtype=np.int8 if len(free) < 128 else np.int32)
        units = np.multiply(able, free.astype(np.float32)).sum(axis=1)
        fits: BoolArray = count[self._kind] >= self._count[:, None]
        for name, amounts in self._own.items():
            fits &= own[name] >= amounts[:, None]
        units = units[self._kind]
        units *= fits
        usable: FloatArray = (self._share @ units).astype(np.float64)
        return usable


class Taking(NamedTuple):
    """Devices taken as the search within a tree takes them: those with least free first.

    :ivar need: what is taken.
    :ivar meeting: which devices meet its conditions, shape (devices of a tree, trees).
    """

    need: DeviceNeed
    meeting: BoolArray

    def left(self, free: Units, columns: Columns) -> Units:
        """Return what is left of these trees' devices afterwards."""
        amount, most = self.need.amount, np.iinfo(np.int32).max
        able = (free >= amount) & self.meeting[:, columns]
        left = free.copy()
        tight = np.where(able, free, most)
        trees = np.arange(free.shape[1])
        for _ in range(min(self.need.quantity, len(free))):
            device = tight.argmin(axis=0)
            left[device, trees] -= np.where(able[device, trees], amount, 0).astype(np.int32)
            tight[device, trees] = most
            able[device, trees] = False
        return left


def _kind(need: DeviceNeed) -> tuple[int, Conditions]:
    return need.amount, need.conditions


def _own_amounts(shapes: list[Shape]) -> dict[str, IntArray]:
    asked = [dict(shape.own) for shape in shapes]
    names = sorted({name for amounts in asked for name in amounts})
    return {name: np.array([amounts.get(name, 0) for amounts in asked]) for name in names}
