"""A request while it is being read: groups that several sources add to."""

from __future__ import annotations

from dataclasses import dataclass, field

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.request import UNSUFFIXED, ResourceGroup


@dataclass(slots=True)
class GroupDraft:
    """One group so far; amounts of zero say that a class is not asked."""

    resources: dict[str, int] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    forbidden: set[str] = field(default_factory=set)
    member_of: list[frozenset[str]] = field(default_factory=list)
    forbidden_aggregates: set[str] = field(default_factory=set)
    in_tree: str | None = None


class GroupsDraft:
    """All groups so far, by suffix."""

    def __init__(self) -> None:
        self.policy: str | None = None
        self._groups: dict[str, GroupDraft] = {}

    def group(self, suffix: str = UNSUFFIXED) -> GroupDraft:
        """Return the group of that suffix, new or not."""
        return self._groups.setdefault(suffix, GroupDraft())

    def new_group(self, suffix: str | None, path: str) -> GroupDraft:
        """Return a group that nobody has added to; without a suffix it gets the next number.

        :raises InvalidRequest: when the suffix is taken.
        """
        if suffix is None:
            number = 1
            while str(number) in self._groups:
                number += 1
            suffix = str(number)
        elif suffix in self._groups:
            raise InvalidRequest(f"{path}: the suffix {suffix!r} is taken.", field=path)
        return self.group(suffix)

    def asks(self, resource_class: str) -> bool:
        """Tell whether any group says how much of a class it asks, be it nothing."""
        return any(resource_class in group.resources for group in self._groups.values())

    def built(self) -> dict[str, ResourceGroup]:
        """Return the groups that ask for anything.

        :raises InvalidRequest: naming what contradicts itself.
        """
        return {
            suffix: ResourceGroup(
                resources=draft.resources,
                required=frozenset(draft.required),
                forbidden=frozenset(draft.forbidden),
                member_of=tuple(draft.member_of),
                forbidden_aggregates=frozenset(draft.forbidden_aggregates),
                in_tree=draft.in_tree,
            )
            for suffix, draft in sorted(self._groups.items())
            if draft != GroupDraft()
        }
