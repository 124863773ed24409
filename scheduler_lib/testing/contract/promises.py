"""What both suites say of a capability: declared and there, or neither."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import TypeVar

from scheduler_lib.exceptions import UnsupportedOperation
from scheduler_lib.model.capability import Capability

Backend = TypeVar("Backend")


def check_promise(
    capability: Capability,
    declared: Set[Capability],
    observe: Callable[[Backend], bool],
    backend: Backend,
) -> None:
    """Go on only when a capability is there exactly if it is declared.

    :param declared: what the backend declares.
    :param observe: tries it; a refusal as unsupported counts as not there.
    :raises AssertionError: naming the capability.
    """
    try:
        observed = bool(observe(backend))
    except UnsupportedOperation:
        observed = False
    kept = f"{capability} is declared, but not there"
    undeclared = f"{capability} is there, but not declared"
    promised = capability in declared
    assert observed == promised, kept if promised else undeclared
