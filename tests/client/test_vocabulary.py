"""Names that a request may use: standard ones, one's own, and those that somebody has."""

import pytest

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.request import Request, ResourceGroup
from scheduler_lib.query.vocabulary import Vocabulary
from scheduler_lib.testing import a_request


def check(request, classes=(), traits=()):
    Vocabulary().check(request.build(), set(classes).__contains__, set(traits).__contains__)


@pytest.mark.parametrize(
    "request_",
    [
        a_request(VCPU=1).requires("HW_CPU_X86_AVX2").forbids("COMPUTE_STATUS_DISABLED"),
        a_request(CUSTOM_X=1).requires("CUSTOM_Y").field(root_required=["CUSTOM_Z"]),
    ],
)
def test_standard_names_and_ones_own_are_taken(request_):
    check(request_)


def test_name_that_some_provider_has_is_taken():
    """A newer version may have stored names that this one does not know."""
    request = a_request(FUTURE_UNITS=1).requires("HW_FUTURE")
    check(request, classes=["FUTURE_UNITS"], traits=["HW_FUTURE"])
    with pytest.raises(InvalidRequest, match="FUTURE_UNITS"):
        check(request, traits=["HW_FUTURE"])
    with pytest.raises(InvalidRequest, match="HW_FUTURE"):
        check(request, classes=["FUTURE_UNITS"])


@pytest.mark.parametrize(
    "request_",
    [
        a_request(VCPU=1).requires("HW_NONE"),
        a_request(VCPU=1).forbids("HW_NONE"),
        a_request(VCPU=1).field(root_required=["HW_NONE"]),
        a_request(VCPU=1).field(root_forbidden=["HW_NONE"]),
    ],
)
def test_unknown_trait_is_refused_wherever_it_stands(request_):
    with pytest.raises(InvalidRequest, match="HW_NONE") as caught:
        check(request_)
    assert caught.value.fields["field"] == "traits"


def test_unknown_trait_is_refused_among_several_that_would_do():
    choice = frozenset({"HW_NONE", "CUSTOM_A"})
    group = ResourceGroup({"VCPU": 1}, any_of=(choice,))
    request = Request({"": group}, a_request(VCPU=1).build().consumers)
    with pytest.raises(InvalidRequest, match="HW_NONE"):
        Vocabulary().check(request, lambda name: False, lambda name: False)
