"""A report is left out only when what is stored is known to say the same."""

import pytest

from scheduler_lib.client.reported import LastReports
from scheduler_lib.model.naming import ResourceName
from scheduler_lib.testing import ManualClock

H1 = ResourceName("h1", "h1")
H2 = ResourceName("h2", "h2")
REFRESH_S = 600.0


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def last(clock):
    return LastReports(clock)


def sent(last, digest, name=H1):
    """Send a report if it needs to be, and tell whether it was."""
    if not last.begin(name, digest, REFRESH_S):
        return False
    last.end(name, digest)
    return True


def test_what_was_accepted_is_not_sent_again(last):
    assert [sent(last, item) for item in (b"a", b"a", b"b", b"b", b"a")] == [
        True, False, True, False, True,
    ]  # fmt: skip
    assert sent(last, b"a", H2)


def test_what_failed_is_sent_again(last):
    assert last.begin(H1, b"a", REFRESH_S)
    last.end(H1, None)
    assert sent(last, b"a")


def test_failure_makes_the_report_before_it_unknown_too(last):
    sent(last, b"a")
    assert last.begin(H1, b"b", REFRESH_S)
    last.end(H1, None)
    assert sent(last, b"a")


def test_old_report_is_sent_again_from_the_very_moment_on(last, clock):
    sent(last, b"a")
    clock.advance(REFRESH_S - 1)
    assert not sent(last, b"a")
    clock.advance(1)
    assert sent(last, b"a")
    clock.advance(REFRESH_S - 1)
    assert not sent(last, b"a")


def test_of_two_on_the_way_at_once_neither_is_remembered_however_they_end(last):
    for first_to_end, last_to_end in ((b"a", b"b"), (b"b", b"a")):
        assert last.begin(H1, b"a", REFRESH_S)
        assert last.begin(H1, b"b", REFRESH_S)
        last.end(H1, first_to_end)
        last.end(H1, last_to_end)
        assert last.begin(H1, last_to_end, REFRESH_S)
        last.end(H1, last_to_end)
        assert not last.begin(H1, last_to_end, REFRESH_S)
        last.forget(H1)


def test_same_report_twice_at_once_is_sent_twice(last):
    assert last.begin(H1, b"a", REFRESH_S)
    assert last.begin(H1, b"a", REFRESH_S)
    last.end(H1, b"a")
    last.end(H1, b"a")


def test_forgotten_host_is_reported_in_any_case(last):
    sent(last, b"a")
    last.forget(H1)
    last.forget(H2)
    assert sent(last, b"a")


def test_host_that_is_forgotten_while_its_report_is_on_the_way_is_reported_again(last):
    assert last.begin(H1, b"a", REFRESH_S)
    last.forget(H1)
    last.end(H1, b"a")
    assert sent(last, b"a")
    assert not sent(last, b"a")
