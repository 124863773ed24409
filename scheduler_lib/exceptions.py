"""Every error a caller can meet, in one tree.

::

    SchedulerLibError
    ├── InvalidInput                what was given is wrong; nothing was changed
    │   ├── InvalidRequest          a request for destinations
    │   ├── InvalidStats            a host's report
    │   ├── InvalidConfiguration    an option, or a set of options
    │   └── InvalidFile             a row of a file that was read
    ├── NotFound                    what was named is not there
    │   ├── HostNotFound
    │   ├── ProviderNotFound
    │   ├── InventoryNotFound       the provider has none of that class
    │   ├── ResourceClassNotFound
    │   ├── TraitNotFound
    │   ├── ConsumerNotFound
    │   └── PluginNotFound          no such backend, filter or weigher
    ├── Conflict                    right in itself, but not with what is stored
    │   ├── DuplicateHost           same name, another uuid
    │   ├── HostInUse               it still holds allocations
    │   ├── DuplicateProvider       the name or the uuid is taken
    │   ├── ProviderInUse           it still has allocations
    │   ├── ProviderHasChildren     other providers hang under it
    │   ├── InventoryExists
    │   ├── InventoryInUse          allocations stand against it
    │   ├── ResourceClassExists
    │   ├── ResourceClassInUse      some provider has an inventory of it
    │   ├── TraitInUse              some provider has it
    │   ├── ClaimConflict           the capacity is not there (any more)
    │   ├── GenerationConflict      somebody else wrote first
    │   ├── ConcurrentUpdate        others kept writing in between
    │   └── RequestKeyMismatch      the key was used for another request
    ├── NoValidHost                 no host can take the request; carries the decision
    ├── Unavailable                 the call may work later
    │   ├── BackendUnavailable      the database or the transport did not answer
    │   ├── StorageFull             the disk or the quota is full
    │   └── DeadlineExceeded        the time given to the call has run out
    ├── SchemaMismatch              the database belongs to another version
    ├── UnsupportedOperation        this backend does not offer that
    ├── BackendFailure              a backend raised something that is not in this tree
    └── ClientClosed                the client, or its backend, was closed before the call

Each class has a stable ``code``: it is never changed and never reused, so programs may compare it.
Each error has ``fields`` (the facts, by name) and a ``hint`` (what to do about it).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from scheduler_lib.model.decision import Decision

__all__ = [
    "BackendFailure",
    "BackendUnavailable",
    "ClaimConflict",
    "ClientClosed",
    "ConcurrentUpdate",
    "Conflict",
    "ConsumerNotFound",
    "DeadlineExceeded",
    "DuplicateHost",
    "DuplicateProvider",
    "GenerationConflict",
    "HostInUse",
    "HostNotFound",
    "InvalidConfiguration",
    "InvalidFile",
    "InvalidInput",
    "InvalidRequest",
    "InvalidStats",
    "InventoryExists",
    "InventoryInUse",
    "InventoryNotFound",
    "NoValidHost",
    "NotFound",
    "PluginNotFound",
    "ProviderHasChildren",
    "ProviderInUse",
    "ProviderNotFound",
    "RequestKeyMismatch",
    "ResourceClassExists",
    "ResourceClassInUse",
    "ResourceClassNotFound",
    "SchedulerLibError",
    "SchemaMismatch",
    "StorageFull",
    "TraitInUse",
    "TraitNotFound",
    "Unavailable",
    "UnsupportedOperation",
]


class SchedulerLibError(Exception):
    """The root of the tree: catch this to catch everything the library raises on purpose.

    :param message: one sentence that names what is wrong.
    :param hint: what the reader can do about it; the class has a default.
    :param fields: the facts behind the sentence, by name.
    """

    code: ClassVar[str] = "scheduler_lib.error"
    default_hint: ClassVar[str] = ""

    def __init__(self, message: str, *, hint: str | None = None, **fields: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint
        self.fields: Mapping[str, object] = dict(fields)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.hint, dict(self.fields)))

    def as_dict(self) -> dict[str, object]:
        """Return code, message, hint and fields, for logs and wires."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "fields": dict(self.fields),
        }


def _rebuild(
    kind: type[SchedulerLibError], message: str, hint: str, fields: dict[str, object]
) -> SchedulerLibError:
    return kind(message, hint=hint, **fields)


class InvalidInput(SchedulerLibError):
    """What the caller gave is wrong; nothing was changed. Fields: ``field``."""

    code = "scheduler_lib.invalid_input"
    default_hint = "Correct the named field and call again."


class InvalidRequest(InvalidInput):
    """A request for destinations that cannot mean anything."""

    code = "scheduler_lib.invalid_request"


class InvalidStats(InvalidInput):
    """A host's report that cannot be stored."""

    code = "scheduler_lib.invalid_stats"


class InvalidConfiguration(InvalidInput):
    """An option, or a set of options, that cannot work."""

    code = "scheduler_lib.invalid_configuration"


class InvalidFile(InvalidInput):
    """A file with a row that cannot be read. Fields: ``path``, ``line``."""

    code = "scheduler_lib.invalid_file"


class NotFound(SchedulerLibError):
    """What was named is not there."""

    code = "scheduler_lib.not_found"


class HostNotFound(NotFound):
    """No host of that name has reported. Fields: ``host``, ``node``."""

    code = "scheduler_lib.host_not_found"
    default_hint = "`scheduler-lib host list` shows the names that are known."


class ProviderNotFound(NotFound):
    """No resource provider of that uuid or name. Fields: ``provider``."""

    code = "scheduler_lib.provider_not_found"


class InventoryNotFound(NotFound):
    """A provider without an inventory of that class. Fields: ``provider``, ``resource_class``."""

    code = "scheduler_lib.inventory_not_found"


class ResourceClassNotFound(NotFound):
    """No resource class of that name. Fields: ``resource_class``."""

    code = "scheduler_lib.resource_class_not_found"
    default_hint = "Create it first; names of your own begin with CUSTOM_."


class TraitNotFound(NotFound):
    """No trait of that name. Fields: ``traits``, the names that do not exist."""

    code = "scheduler_lib.trait_not_found"
    default_hint = "Create it first; names of your own begin with CUSTOM_."


class ConsumerNotFound(NotFound):
    """A consumer that holds nothing. Fields: ``consumer``."""

    code = "scheduler_lib.consumer_not_found"


class PluginNotFound(NotFound):
    """No backend, filter or weigher of that name. Fields: ``namespace``, ``name``, ``nearest``."""

    code = "scheduler_lib.plugin_not_found"
    default_hint = "Install the package that provides it, or correct the option that names it."


class Conflict(SchedulerLibError):
    """Right in itself, but not with what is stored."""

    code = "scheduler_lib.conflict"


class DuplicateHost(Conflict):
    """A name that another uuid has. Fields: ``host``, ``node``, ``stored``, ``reported``."""

    code = "scheduler_lib.duplicate_host"
    default_hint = "Delete the old host first, or report with the uuid that is stored."


class HostInUse(Conflict):
    """A host that still holds allocations. Fields: ``host``, ``node``, ``consumers``."""

    code = "scheduler_lib.host_in_use"
    default_hint = "Move or release its consumers first."


class DuplicateProvider(Conflict):
    """A provider's name or uuid that another one has. Fields: ``field``, ``value``."""

    code = "scheduler_lib.duplicate_provider"


class ProviderInUse(Conflict):
    """A provider that still has allocations. Fields: ``provider``."""

    code = "scheduler_lib.provider_in_use"
    default_hint = "Move or release its consumers first."


class ProviderHasChildren(Conflict):
    """A provider that others hang under. Fields: ``provider``."""

    code = "scheduler_lib.provider_has_children"
    default_hint = "Delete from the leaves up."


class InventoryExists(Conflict):
    """A provider has inventory of that class already. Fields: ``provider``, ``resource_class``."""

    code = "scheduler_lib.inventory_exists"
    default_hint = "Update it instead."


class InventoryInUse(Conflict):
    """Inventories with allocations. Fields: ``provider``, ``resource_classes``."""

    code = "scheduler_lib.inventory_in_use"
    default_hint = "Move or release its consumers first."


class ResourceClassExists(Conflict):
    """A resource class that is there already. Fields: ``resource_class``."""

    code = "scheduler_lib.resource_class_exists"


class ResourceClassInUse(Conflict):
    """A resource class of which some provider has an inventory. Fields: ``resource_class``."""

    code = "scheduler_lib.resource_class_in_use"
    default_hint = "Remove the inventories first."


class TraitInUse(Conflict):
    """A trait that some provider has. Fields: ``trait``."""

    code = "scheduler_lib.trait_in_use"
    default_hint = "Take it off the providers first."


class ClaimConflict(Conflict):
    """A claim that does not fit what is left.

    Fields: ``provider``, ``resource_class``, ``asked``, ``used``, ``capacity``, and ``why``:
    ``inventory`` (there is none), ``capacity`` (it is too full) or ``units`` (min_unit, max_unit or
    step_size forbid the amount).
    """

    code = "scheduler_lib.claim_conflict"
    default_hint = "Choose again: somebody else took the capacity, or it was never there."


class GenerationConflict(Conflict):
    """Somebody else wrote first. Fields: ``kind``, ``uuid``, ``expected``, ``found``."""

    code = "scheduler_lib.generation_conflict"
    default_hint = "Read again, and repeat the change on what you read."


class ConcurrentUpdate(Conflict):
    """Others kept writing what this write touches; nothing was changed.

    Fields: ``step``, what was being done, and ``attempts``, how often it was tried.
    """

    code = "scheduler_lib.concurrent_update"
    default_hint = "Call again: nothing is wrong with the call, only others were faster each time."


class RequestKeyMismatch(Conflict):
    """A request key that was used for another request. Fields: ``request_key``."""

    code = "scheduler_lib.request_key_mismatch"
    default_hint = "Use a new key for each new request; repeat a key only with the same request."


class NoValidHost(SchedulerLibError):
    """No host can take the request. Fields: ``reason``, ``counts``, ``placed``, ``asked``.

    :ivar decision: what was tried: counts per check, and reasons per host on demand; None when
        the error came over a wire that does not carry it.
    """

    code = "scheduler_lib.no_valid_host"
    default_hint = "`scheduler-lib explain` shows every host with every check that failed."

    decision: Decision | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return (*super().__reduce__(), {"decision": self.decision})


class Unavailable(SchedulerLibError):
    """The call may work later."""

    code = "scheduler_lib.unavailable"


class BackendUnavailable(Unavailable):
    """The database or the transport did not answer.

    Fields: ``backend``, or ``error`` where a plug-in raised an ``OSError``; ``sent`` is False when
    nothing was asked of anybody yet, so that the call may be repeated.
    """

    code = "scheduler_lib.backend_unavailable"
    default_hint = "Check that the server answers, then call again."


class StorageFull(Unavailable):
    """The disk or the quota behind the database is full. Fields: ``backend``."""

    code = "scheduler_lib.storage_full"
    default_hint = "Free space, then call again; nothing of this call was written."


class DeadlineExceeded(Unavailable):
    """The time given to the call has run out. Fields: ``deadline_s``, ``step``."""

    code = "scheduler_lib.deadline_exceeded"
    default_hint = "Raise [scheduler] call_timeout_s, or find out what was slow at the named step."


class SchemaMismatch(SchedulerLibError):
    """The database belongs to another version. Fields: ``found``, ``expected``."""

    code = "scheduler_lib.schema_mismatch"
    default_hint = "Upgrade the library, or run `scheduler-lib db upgrade`."


class UnsupportedOperation(SchedulerLibError):
    """This backend does not offer that. Fields: ``backend``, ``capability``."""

    code = "scheduler_lib.unsupported_operation"
    default_hint = "Choose a backend that declares the capability."


class BackendFailure(SchedulerLibError):
    """A backend raised something that is not in this tree. Fields: ``error``, its class."""

    code = "scheduler_lib.backend_failure"
    default_hint = "This is a defect of the backend; its own error is the cause of this one."


class ClientClosed(SchedulerLibError):
    """The client, or its backend, was closed before the call."""

    code = "scheduler_lib.client_closed"
    default_hint = "Make a new client; a closed one is not opened again."
