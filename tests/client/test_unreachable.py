"""A database that does not answer: who asked is told, and what is safe to try again is tried."""

import socket

import pytest

from scheduler_lib.exceptions import BackendUnavailable
from scheduler_lib.testing import ManualClock, a_request

pytest.importorskip("psycopg", reason="needs psycopg, to ask a server that is not there")


@pytest.fixture
def unreachable():
    """Give the URL of a port that nobody listens at; it is held, so that nobody will."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"postgresql+psycopg://nobody:secret@127.0.0.1:{held.getsockname()[1]}/books"


def test_select_that_never_reached_the_books_is_tried_again(make_client, unreachable):
    """Nothing can have been claimed, so trying again is safe without a request key."""
    clock = ManualClock()
    client = make_client(unreachable, clock=clock, retry_attempts=3)
    with pytest.raises(BackendUnavailable) as caught:
        client.select(None, a_request(VCPU=1).build())
    assert caught.value.fields["sent"] is False
    assert "secret" not in str(caught.value)
    assert client.statistics.of("select").retries == 2
    assert len(clock.slept) == 2


def test_one_try_is_one_try(make_client, unreachable):
    clock = ManualClock()
    client = make_client(unreachable, clock=clock, retry_attempts=1)
    with pytest.raises(BackendUnavailable):
        client.select(None, a_request(VCPU=1).build())
    assert client.statistics.of("select").retries == 0
    assert clock.slept == []
