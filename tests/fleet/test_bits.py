"""Named bits: room is made for all, whoever asks at the same time."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from scheduler_lib.fleet import bits
from scheduler_lib.fleet.bits import NamedBits


def test_who_makes_less_room_at_the_same_time_takes_none_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    named, grown = NamedBits(), bits.grown
    named.put(0, ["T1"])
    other = threading.Thread(target=named.cover, args=(1000,))

    def slowly(*args: Any) -> Any:
        made = grown(*args)
        if threading.current_thread() is not other:
            other.start()
            other.join(0.2)
        return made

    monkeypatch.setattr(bits, "grown", slowly)
    named.cover(100)
    other.join()
    assert named.has("T1", np.arange(1000, dtype=np.int32)).tolist() == [True] + [False] * 999


def test_room_is_what_the_words_have_however_often_it_is_made() -> None:
    named = NamedBits()
    named.put(0, ["T1"])
    threads = [threading.Thread(target=named.cover, args=(100,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    named.put(128, ["T1"])
    assert named.names(128) == {"T1"}
