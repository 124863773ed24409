"""Errors: every one of ours has an answer that Placement's clients know."""

from __future__ import annotations

import pytest

from scheduler_lib import exceptions
from scheduler_lib.api import errors, translation
from scheduler_lib.exceptions import SchedulerLibError
from tests.api.conftest import Api

# What a caller cannot have caused is the service's own defect.
OURS = {
    exceptions.SchemaMismatch, exceptions.UnsupportedOperation, exceptions.BackendFailure,
    exceptions.ClientClosed, exceptions.NoValidHost,
}  # fmt: skip
ABSTRACT = {SchedulerLibError}


def kinds(kind: type[SchedulerLibError] = SchedulerLibError) -> list[type[SchedulerLibError]]:
    return [kind, *(sub for child in kind.__subclasses__() for sub in kinds(child))]


@pytest.mark.parametrize("kind", [k for k in kinds() if k not in OURS | ABSTRACT])
def test_what_a_caller_can_cause_has_a_status_below_500_or_says_try_again(
    kind: type[SchedulerLibError],
) -> None:
    status = translation.as_api_error(kind("What is wrong.")).status
    family = {400: exceptions.InvalidInput, 404: exceptions.NotFound, 409: exceptions.Conflict}
    assert issubclass(kind, family.get(status, exceptions.Unavailable))
    assert status in (400, 404, 409, 503)


@pytest.mark.parametrize("kind", sorted(OURS, key=lambda kind: kind.__name__))
def test_what_no_caller_can_cause_stays_an_error(kind: type[SchedulerLibError]) -> None:
    with pytest.raises(kind):
        translation.as_api_error(kind("What is wrong."))


def test_facts_are_told_as_they_are() -> None:
    odd = "{uuid} %s"
    error = exceptions.ProviderNotFound("x", provider=odd)
    assert translation.told(error) == f"No resource provider with uuid {odd} found"
    several = exceptions.TraitNotFound("x", traits=("B", "A"))
    assert translation.told(several) == "No such trait(s): A, B."


def test_classes_are_named_in_the_order_that_clients_know() -> None:
    names = ("CUSTOM_A", "DISK_GB", "VCPU")
    error = exceptions.InventoryInUse("x", provider="p", resource_classes=names)
    assert "'VCPU, DISK_GB, CUSTOM_A'" in translation.told(error)


def test_the_narrowest_code_is_told() -> None:
    for kind, code in (
        (exceptions.ProviderInUse, errors.PROVIDER_IN_USE),
        (exceptions.ProviderHasChildren, errors.PROVIDER_IS_PARENT),
        (exceptions.InventoryInUse, errors.INVENTORY_IN_USE),
        (exceptions.DuplicateProvider, errors.DUPLICATE_NAME),
        (exceptions.GenerationConflict, errors.CONCURRENT_UPDATE),
        (exceptions.ConcurrentUpdate, errors.CONCURRENT_UPDATE),
        (exceptions.InventoryExists, errors.UNDEFINED),
    ):
        assert translation.as_api_error(kind("x")).code == code


def test_an_error_names_its_status_and_its_request(api: Api) -> None:
    answer = api.get("/resource_providers/nobody")
    (error,) = answer.json["errors"]
    assert (error["status"], error["title"]) == (404, "Not Found")
    assert error["request_id"] == answer.headers["x-openstack-request-id"]
    assert error["code"] == "placement.undefined_code"
    assert "No resource provider with uuid nobody found" in error["detail"]


def test_what_was_sent_is_told_without_markup(api: Api) -> None:
    answer = api.get("/resource_providers/<b>nobody")
    assert "uuid nobody found" in answer.detail
