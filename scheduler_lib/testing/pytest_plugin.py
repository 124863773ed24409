"""The pytest plug-in: clients as fixtures, and options that choose their backends.

It is imported in every pytest run, so it imports nothing of the library before a fixture is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from falcon.testing import TestClient

    from scheduler_lib.client import SchedulerClient


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that choose the backends of ``scheduler_client``."""
    group = parser.getgroup("scheduler_lib")
    for kind, default in (("query", "local"), ("report", "db")):
        group.addoption(
            f"--scheduler-{kind}-backend",
            default=default,
            metavar="NAME",
            help=f"{kind} backend of the fixture scheduler_client (default: {default})",
        )


@pytest.fixture
def scheduler_client(request: pytest.FixtureRequest) -> Iterator[SchedulerClient]:
    """Give a client on a temporary SQLite database, or on the backends that the options name."""
    from scheduler_lib.testing.fixture import SchedulerClientFixture

    query = request.config.getoption("--scheduler-query-backend")
    report = request.config.getoption("--scheduler-report-backend")
    with SchedulerClientFixture(query=query, report=report) as fixture:
        yield fixture.client


@pytest.fixture
def fake_scheduler_client() -> Iterator[SchedulerClient]:
    """Give a client on the fake backends; nothing is stored anywhere."""
    from scheduler_lib.testing.fixture import SchedulerClientFixture

    with SchedulerClientFixture(query="fake", report="fake") as fixture:
        yield fixture.client


@pytest.fixture
def placement_api() -> Iterator[TestClient]:
    """Give falcon's test client on a Placement API in memory, as the user ``admin``."""
    from scheduler_lib.testing.fixture import PlacementApiFixture

    with PlacementApiFixture() as fixture:
        yield fixture.client
