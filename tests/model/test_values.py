"""Names, clocks, decisions, errors: small values with rules of their own."""

import copy
import pickle

import pytest

import scheduler_lib.exceptions
from scheduler_lib.exceptions import (
    ClaimConflict,
    DeadlineExceeded,
    InvalidRequest,
    InvalidStats,
    NoValidHost,
    SchedulerLibError,
)
from scheduler_lib.model.capability import Capability
from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.decision import Decision, Destination, Reason, ReasonKind
from scheduler_lib.model.naming import ResourceName, checked_uuid
from scheduler_lib.testing import ManualClock

ERRORS = [getattr(scheduler_lib.exceptions, name) for name in scheduler_lib.exceptions.__all__]


def test_name_is_a_text_or_a_pair():
    assert ResourceName.parse("h1") == ("h1", "h1")
    assert ResourceName.parse(["h1", "n1"]) == ("h1", "n1")
    assert str(ResourceName("h1", "h1")) == "h1"
    assert str(ResourceName("h1", "n1")) == "h1/n1"


def test_names_are_compared_code_point_by_code_point():
    assert ResourceName.parse("H1") != ResourceName.parse("h1")
    assert ResourceName.parse("e\u0301") != ResourceName.parse("\u00e9")


@pytest.mark.parametrize("name", ["", " ", "a\x00b", "a\nb", "x" * 256, ("h",), ("h", None), {}])
def test_wrong_name_is_refused_as_the_asker_wants(name):
    with pytest.raises(InvalidStats) as caught:
        ResourceName.parse(name, InvalidStats)
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("value", ["", "x", 7, None, "1" * 31, "{" * 1_000_000])
def test_wrong_uuid_is_refused(value):
    with pytest.raises(InvalidRequest, match="field"):
        checked_uuid(value, "field", InvalidRequest)


def test_deadline_is_checked_step_by_step():
    clock = ManualClock()
    deadline = Deadline.after(5, clock)
    clock.advance(4)
    assert deadline.remaining_s() == 1
    deadline.check("a step")
    clock.advance(2)
    assert deadline.remaining_s() == 0
    with pytest.raises(DeadlineExceeded, match=r"5 s .* the last step") as caught:
        deadline.check("the last step")
    assert caught.value.fields == {"deadline_s": 5, "step": "the last step"}


def test_machine_clock_goes_on():
    clock = SystemClock()
    before = clock.monotonic()
    clock.sleep(0.001)
    assert clock.monotonic() > before
    assert clock.now() > 1_700_000_000


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_has_a_code_of_its_own_and_survives_pickling(kind):
    assert [other for other in ERRORS if other.code == kind.code] == [kind]
    error = kind("what", hint="do this", field="f", value=3)
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is kind
    assert back.as_dict() == error.as_dict()
    assert str(back) == "what"


def test_every_error_is_in_the_tree_that_is_drawn():
    drawn = scheduler_lib.exceptions.__doc__
    for kind in ERRORS:
        assert f" {kind.__name__} " in f"{drawn} ".replace("\n", " "), kind
        assert issubclass(kind, SchedulerLibError)


def test_hint_of_the_class_stands_in_for_none_given():
    assert ClaimConflict("full").hint == ClaimConflict.default_hint
    assert ClaimConflict("full", hint="").hint == ""


def test_error_without_a_decision_says_so():
    assert NoValidHost("full").decision is None


def test_reasons_are_worked_out_when_they_are_first_asked_for_and_pickled():
    asked = []

    def work_out():
        asked.append(True)
        return (Reason("h", "n", "VCPU", ReasonKind.NOT_NOW, "full"),)

    decision = Decision(reason="full", _reasons=work_out)
    assert asked == []
    back = pickle.loads(pickle.dumps(decision))
    assert back == decision
    assert back.reasons() == decision.reasons()
    assert copy.copy(decision) == decision
    assert Decision().reasons() == ()


def test_destination_has_the_form_that_first_callers_know():
    place = Destination("h", "n", "u", {}, limits={"vcpu": 4})
    assert place.as_dict() == {"host": "h", "nodename": "n", "limits": {"vcpu": 4}}
    assert place.nodename == "n"


def test_every_capability_has_its_own_word():
    assert len({item.value for item in Capability}) == len(Capability)
