"""Ask a search, and name providers instead of rows."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_lib.fleet import Fleet
from scheduler_lib.model.request import ResourceGroup
from scheduler_lib.placement import Candidate, Search


def group(**rest: object) -> ResourceGroup:
    """Capital names are resource classes; the others are fields of the group."""
    resources = {key: value for key, value in rest.items() if key.isupper()}
    fields = {key: value for key, value in rest.items() if not key.isupper()}
    return ResourceGroup(resources, **fields)  # type: ignore[arg-type]


def named(fleet: Fleet, candidates: Iterable[Candidate]) -> list[str]:
    """Return each candidate as text, sorted: who gives what."""
    return sorted(
        ", ".join(sorted(f"{fleet.name(row)}:{name}={n}" for row, name, n in item.amounts))
        for item in candidates
    )


def ask(fleet: Fleet, *groups: ResourceGroup, **rest: object) -> list[Candidate]:
    """Ask for groups: the first is the unsuffixed one, the others are _1, _2, ..."""
    suffixed = {f"_{n}" if n else "": one for n, one in enumerate(groups)}
    return list(Search(fleet, suffixed, **rest).candidates())  # type: ignore[arg-type]
