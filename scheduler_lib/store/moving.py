"""Moves of providers in their trees: a provider goes with all that is under it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Final

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.store import compute_nodes, provider_rows
from scheduler_lib.store.provider_rows import Head, not_found
from scheduler_lib.store.session import Session
from scheduler_lib.store.transaction import Overtaken

_FIELD = "parent_provider_uuid"


class Keep(Enum):
    """The one value that stands for the parent a provider has already."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP


def move(
    session: Session, uuid: str, parent_uuid: str | None, *, reparent: bool
) -> tuple[str, ...]:
    """Hang a provider under another one, or under none.

    :param reparent: whether one that has a parent already may be moved.
    :returns: the uuids of all that moved; empty when it hangs there already.
    :raises ProviderNotFound: when the provider, or the parent, is not there.
    :raises InvalidRequest: when it may not be moved, or would hang under itself; `reason` is
        ``moved`` or ``freed`` (of its parent), or ``loop``.
    """
    head, parent = _ends(session, uuid, parent_uuid)
    if head.parent_id == (parent.id if parent else None):
        return ()
    if head.parent_id is not None and not reparent:
        raise InvalidRequest(
            f"Provider {uuid} has a parent, and is not moved.",
            field=_FIELD,
            reason="freed" if parent is None else "moved",
        )
    moved = _locked(session, head, parent)
    if parent is not None:
        if parent.id in moved:
            raise InvalidRequest(
                f"Provider {uuid} cannot hang under itself.", field=_FIELD, reason="loop"
            )
        _check_no_host(session, uuid)
    provider_rows.hang(session, head, parent, list(moved))
    return tuple(moved.values())


def _ends(session: Session, uuid: str, parent_uuid: str | None) -> tuple[Head, Head | None]:
    found = provider_rows.find(session, [uuid] if parent_uuid is None else [uuid, parent_uuid])
    if uuid not in found:
        raise not_found(uuid)
    if parent_uuid is None:
        return found[uuid], None
    if parent_uuid not in found:
        raise not_found(parent_uuid, field=_FIELD)
    return found[uuid], found[parent_uuid]


def _locked(session: Session, head: Head, parent: Head | None) -> dict[int, str]:
    """Lock a provider's tree and the new parent; return id and uuid of all that moves.

    Everybody who hangs something anywhere locks what it hangs on; so once all are locked and are
    still where they were seen, nobody can make a loop of it.
    """
    ends = [head] if parent is None else [head, parent]
    tree = provider_rows.tree(session, head.root_id)
    if session.dialect_name != "sqlite":
        locked = {*tree, *(end.id for end in ends)}
        provider_rows.lock_ids(session, locked)
        now = provider_rows.find(session, [end.uuid for end in ends])
        if [_place(now.get(end.uuid)) for end in ends] != [_place(end) for end in ends]:
            raise Overtaken
        # What was read before the locks may have been moved since, even within the tree.
        tree = provider_rows.tree(session, head.root_id)
        if not tree.keys() <= locked:
            raise Overtaken
    return _below(head, tree.values())


def _place(head: Head | None) -> tuple[int, int, int | None] | None:
    return None if head is None else (head.id, head.root_id, head.parent_id)


def _below(head: Head, tree: Iterable[Head]) -> dict[int, str]:
    """Return id and uuid of a provider and of all under it."""
    children: dict[int | None, list[Head]] = defaultdict(list)
    for member in tree:
        children[member.parent_id].append(member)
    found: dict[int, str] = {}
    waiting = [head]
    while waiting:
        member = waiting.pop()
        found[member.id] = member.uuid
        waiting.extend(child for child in children[member.id] if child.id not in found)
    return found


def _check_no_host(session: Session, uuid: str) -> None:
    """Go on only with a provider that is no compute node: reports find these among the roots."""
    for host, node in compute_nodes.names_by_uuid(session, [uuid]).values():
        raise InvalidRequest(
            f"Provider {uuid} is the compute node {host}/{node}, which is always a root.",
            field=_FIELD,
        )
