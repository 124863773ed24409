"""A client on a SQLite file of its own, and a second look at what the books say."""

import pytest

from scheduler_lib.testing import ManualClock, SchedulerClientFixture


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def make_client():
    """Make clients with options, each on its own database unless told otherwise."""
    fixtures = []

    def make(connection=None, *, clock=None, **options):
        fixture = SchedulerClientFixture(
            connection, clock=clock, options={("scheduler", key): options[key] for key in options}
        )
        fixture.setUp()
        fixtures.append(fixture)
        return fixture.client

    yield make
    for fixture in reversed(fixtures):
        fixture.cleanUp()


@pytest.fixture
def client(make_client):
    return make_client()


@pytest.fixture
def used():
    """Tell what is used of a class on a host, as the store says."""

    def ask(client, name, resource_class="VCPU"):
        return client.get_resource_stats(None, name)["inventories"][resource_class]["used"]

    return ask
