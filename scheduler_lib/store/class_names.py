"""Whether resource classes exist: asked only where something has failed already."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from scheduler_lib.exceptions import ResourceClassNotFound
from scheduler_lib.store.names import Names, standard_classes
from scheduler_lib.store.session import Session


def check_all(session: Session, names: Names, classes: Collection[str]) -> None:
    """Go on only with classes that exist now; standard ones always do.

    :raises ResourceClassNotFound: for the first that does not, in the order of names.
    """
    if missing := names.resource_classes.missing(session, classes):
        raise not_found(min(missing))


def not_found(name: str) -> ResourceClassNotFound:
    """Return the error for a class that does not exist, with the standard name nearest to it."""
    near = difflib.get_close_matches(name, standard_classes(), n=1, cutoff=0.6)
    meant = f" Did you mean {near[0]}?" if near else ""
    return ResourceClassNotFound(
        f"There is no resource class {name}.{meant}",
        resource_class=name,
        nearest=near[0] if near else None,
    )
