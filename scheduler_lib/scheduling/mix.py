"""The usual demand for devices of one class, as arrays: how much of a fleet it could use."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scheduler_lib.scheduling.demand import Conditions, DeviceNeed, Shape, Usual
from scheduler_lib.scheduling.devices import Devices, Units
from scheduler_lib.scheduling.shortlist import BoolArray, FloatArray, IntArray


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
        # The mix is found by the identity of what it was made of, which must live as long.
        self._usual = usual
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

    def usable(self, devices: Devices, free: Units, own: Mapping[str, IntArray]) -> FloatArray:
        """Return the units of devices that the average request could use, by tree.

        :param free: what each device has left, shape (devices of a tree, trees).
        :param own: what each tree has left beside its devices, by class.
        """
        able = free >= self._amounts[:, None, None]
        if self._conditional:
            able &= devices.meeting_each(self._conditions)
        count = np.add.reduce(able, axis=1, dtype=np.int8 if len(free) < 128 else np.int32)
        units = np.multiply(able, free.astype(np.float32)).sum(axis=1)
        fits: BoolArray = count[self._kind] >= self._count[:, None]
        for name, amounts in self._own.items():
            fits &= own[name] >= amounts[:, None]
        units = units[self._kind]
        units *= fits
        usable: FloatArray = (self._share @ units).astype(np.float64)
        return usable


def _kind(need: DeviceNeed) -> tuple[int, Conditions]:
    return need.amount, need.conditions


def _own_amounts(shapes: list[Shape]) -> dict[str, IntArray]:
    asked = [dict(shape.own) for shape in shapes]
    names = sorted({name for amounts in asked for name in amounts})
    return {name: np.array([amounts.get(name, 0) for amounts in asked]) for name in names}
