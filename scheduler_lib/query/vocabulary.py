"""Names of traits and resource classes that a request may use."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.request import Request

CUSTOM = "CUSTOM_"


class Vocabulary:
    """Standard names, custom ones, and those that some provider has."""

    def __init__(self) -> None:
        self._classes: frozenset[str] = frozenset()
        self._traits: frozenset[str] = frozenset()

    def check(
        self,
        request: Request,
        knows_class: Callable[[str], bool],
        knows_trait: Callable[[str], bool],
    ) -> None:
        """Go on only when every name of the request exists.

        :param knows_class: whether some provider has, or had, a class.
        :param knows_trait: whether some provider has, or had, a trait.
        :raises InvalidRequest: naming the name, and the nearest one that exists.
        """
        if not self._classes:
            self._load()
        for group in request.groups.values():
            _check(group.resources, self._classes, knows_class, "resource class")
            _check(group.required, self._traits, knows_trait, "trait")
            _check(group.forbidden, self._traits, knows_trait, "trait")
            for choice in group.any_of:
                _check(choice, self._traits, knows_trait, "trait")
        _check(request.root_required, self._traits, knows_trait, "trait")
        _check(request.root_forbidden, self._traits, knows_trait, "trait")

    def _load(self) -> None:
        import os_resource_classes  # both take 20 ms, so not before a request comes
        import os_traits

        self._traits = frozenset(os_traits.get_traits())
        self._classes = frozenset(os_resource_classes.STANDARDS)


def _check(
    names: Iterable[str], standard: frozenset[str], knows: Callable[[str], bool], kind: str
) -> None:
    for name in names:
        if name not in standard and not name.startswith(CUSTOM) and not knows(name):
            raise _unknown(name, standard, kind)


def _unknown(name: str, standard: frozenset[str], kind: str) -> InvalidRequest:
    near = difflib.get_close_matches(name, sorted(standard), n=1, cutoff=0.5)
    meant = f" Did you mean {near[0]}?" if near else ""
    return InvalidRequest(
        f"{name} is no {kind} that anybody knows.{meant}",
        hint=f"A {kind} of your own begins with {CUSTOM}.",
        field="resources" if kind == "resource class" else "traits",
        value=name,
        nearest=near[0] if near else None,
    )
