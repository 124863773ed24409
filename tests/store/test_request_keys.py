"""Answers recorded under request keys, in the transaction of their claims."""

from __future__ import annotations

from uuid import uuid4

import pytest

from scheduler_lib.exceptions import ClaimConflict, Conflict, InvalidRequest
from scheduler_lib.model.allocation import Claim
from scheduler_lib.model.answer import RecordedAnswer
from scheduler_lib.store.errors import RequestKeyTaken
from tests.store.conftest import Desk, OpenDesk

ANSWER = RecordedAnswer("key", "print", '{"a": 1}')


def _write(desk: Desk, answer: RecordedAnswer, vcpus: int = 1) -> str:
    consumer = str(uuid4())
    claim = Claim(consumer, {desk.uuid("h1"): {"VCPU": vcpus}})
    desk.store.claims.write([claim], desk.deadline(), answer=answer)
    return consumer


def test_an_answer_is_found_under_its_key(desk: Desk) -> None:
    desk.report("h1", vcpus=1)
    assert desk.store.request_keys.find("key", desk.deadline()) is None
    _write(desk, ANSWER)
    assert desk.store.request_keys.find("key", desk.deadline()) == ANSWER
    assert desk.store.request_keys.find("KEY", desk.deadline()) is None


def test_a_key_is_answered_once(desk: Desk) -> None:
    desk.report("h1", vcpus=1)
    _write(desk, ANSWER)
    with pytest.raises(RequestKeyTaken) as caught:
        _write(desk, RecordedAnswer("key", "other", "{}"))
    assert isinstance(caught.value, Conflict)
    assert caught.value.fields == {"request_key": "key"}
    assert desk.used("h1") == {"VCPU": 1}
    assert desk.store.request_keys.find("key", desk.deadline()) == ANSWER


def test_a_refused_claim_records_no_answer(desk: Desk) -> None:
    desk.report("h1", vcpus=1)
    with pytest.raises(ClaimConflict):
        _write(desk, ANSWER, vcpus=100)
    assert desk.store.request_keys.find("key", desk.deadline()) is None
    _write(desk, ANSWER)


def test_an_answer_outlives_the_claim(desk: Desk) -> None:
    desk.report("h1", vcpus=1)
    desk.release(_write(desk, ANSWER))
    assert desk.store.request_keys.find("key", desk.deadline()) == ANSWER


def test_long_answers_come_back(desk: Desk) -> None:
    desk.report("h1", vcpus=1)
    answer = RecordedAnswer("k" * 255, "f" * 64, '"' + "é" * 500_000 + '"')
    _write(desk, answer)
    assert desk.store.request_keys.find(answer.request_key, desk.deadline()) == answer


@pytest.mark.parametrize("key", ["", "k" * 256, "a\0b"])
def test_a_key_that_cannot_be_stored_is_refused(desk: Desk, key: str) -> None:
    desk.report("h1", vcpus=1)
    with pytest.raises(InvalidRequest):
        _write(desk, RecordedAnswer(key, "print", "{}"))
    assert desk.used("h1") == {}


def test_old_answers_go(database_url: str, open_desk: OpenDesk) -> None:
    desk = open_desk(database_url, request_key_retention_s=100.0)
    desk.report("h1", vcpus=8)
    _write(desk, ANSWER)
    desk.clock.advance(101)
    _write(desk, RecordedAnswer("other", "print", "{}"))
    assert desk.store.request_keys.find("key", desk.deadline()) is None
    assert desk.store.request_keys.find("other", desk.deadline()) is not None
