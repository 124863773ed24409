"""What the benchmarks share: fleets and databases, made once a session, and the peer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.peer import NovaPeer, PeerMissing, interpreter

SIZES = (1_000, 10_000, 100_000)


@pytest.fixture(scope="session")
def deciders() -> Callable[[int], object]:
    """Give the scheduler over a fleet of that many hosts."""
    from benchmarks.deciding import Decider

    made: dict[int, Decider] = {}

    def give(hosts: int) -> Decider:
        if hosts not in made:
            made[hosts] = Decider(hosts)
        return made[hosts]

    return give


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> object:
    """Give SQLite files with hosts in them."""
    from benchmarks.populating import Databases

    return Databases(Path(tmp_path_factory.mktemp("databases")))


@pytest.fixture(scope="session")
def nova() -> NovaPeer:
    """Give nova 34.0.0 in its own environment."""
    try:
        return NovaPeer(interpreter())
    except PeerMissing as missing:
        pytest.skip(str(missing))
