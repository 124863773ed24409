"""Several checks by name at once: each looks at what the one before has left."""

import pytest

from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.model.request import UNSUFFIXED, Request, ResourceGroup
from tests.scheduling.fleets import ask, consumers, fleet_of, host, names, scheduler, soon, uuid_of


def four_hosts():
    return fleet_of(*(host(f"h{number}", {"VCPU": 8}) for number in range(4)))


def in_tree_of(name, **rest):
    group = ResourceGroup({"VCPU": 1}, in_tree=uuid_of(name))
    return Request(groups={UNSUFFIXED: group}, consumers=tuple(consumers(1)), **rest)


def chosen(request):
    return names(scheduler().select(request, four_hosts(), None, soon()))


def test_a_forced_host_that_is_ignored_too_is_not_chosen() -> None:
    with pytest.raises(NoValidHost) as caught:
        chosen(ask({"VCPU": 1}, force_hosts=("h0",), ignore_hosts=("H0",)))
    checks = [(count.check, count.after) for count in caught.value.decision.counts]
    assert checks[-3:] == [("forced", 1), ("ignored", 0), ("VCPU", 0)]


def test_of_several_forced_hosts_the_one_that_is_not_ignored_is_chosen() -> None:
    forced = ("h1", "h3")
    assert chosen(ask({"VCPU": 1}, force_hosts=forced, ignore_hosts=("h1",))) == ["h3"]


def test_a_forced_node_that_is_unknown_and_an_ignored_host_are_no_error() -> None:
    with pytest.raises(NoValidHost):
        chosen(ask({"VCPU": 1}, force_nodes=("elsewhere",), ignore_hosts=("h1",)))


def test_the_tree_that_is_asked_for_is_found_behind_an_ignored_host() -> None:
    assert chosen(in_tree_of("h1", ignore_hosts=("h0",))) == ["h1"]


def test_the_tree_that_is_asked_for_must_be_among_the_forced_hosts() -> None:
    assert chosen(in_tree_of("h2", force_hosts=("h1", "h2"), ignore_hosts=("h1",))) == ["h2"]
    with pytest.raises(NoValidHost):
        chosen(in_tree_of("h3", force_hosts=("h1", "h2")))
