"""What every query backend owes the facade."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from scheduler_lib.model.capability import Capability
from scheduler_lib.model.clock import Deadline
from scheduler_lib.model.decision import Decision, Explanation
from scheduler_lib.model.request import Request

QUERY_CAPABILITIES = frozenset(
    {
        Capability.CLAIMS,
        Capability.RELEASES,
        Capability.EXPLAINS,
        Capability.DRY_RUN,
        Capability.EXACTLY_ONCE,
        Capability.ALL_OR_NOTHING,
    }
)


@runtime_checkable
class QueryBackend(Protocol):
    """Chooses destinations.

    A backend is built as ``Backend(conf, connections, clock)``; its constructor only assigns, the
    first call connects. Eight threads may call at once. The facade has checked what it passes on,
    keeps the time, and retries; a backend raises errors of our tree, with ``sent=False`` among the
    fields of a ``BackendUnavailable`` when nothing was asked of anybody yet.

    :ivar capabilities: what it promises; everything else is not there.
    """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this backend promises."""
        ...

    def select(
        self,
        context: object,
        request: Request,
        *,
        request_key: str | None,
        dry_run: bool,
        deadline: Deadline,
    ) -> Decision:
        """Choose one destination for each consumer, and claim it where the backend claims.

        :param context: the caller's request context, passed on as it is.
        :param request_key: repeat the recorded answer if this key was answered before.
        :param dry_run: choose, but hold nothing.
        :raises NoValidHost: when not every consumer has a destination; nothing is held then.
        :raises RequestKeyMismatch: when the key was used for another request.
        :raises UnsupportedOperation: for a key or a dry run that the backend does not offer.
        """
        ...

    def explain(self, context: object, request: Request, *, deadline: Deadline) -> Explanation:
        """Return what every host says to the request.

        :raises UnsupportedOperation: when the backend does not explain.
        """
        ...

    def release(
        self, context: object, consumer_uuids: Sequence[str], *, deadline: Deadline
    ) -> tuple[str, ...]:
        """Give back what the consumers hold; those that hold nothing are passed over.

        :returns: the consumers that held something.
        :raises UnsupportedOperation: when the backend holds nothing that could be released.
        """
        ...

    def close(self) -> None:
        """Let go of what the backend holds open; a second time does nothing."""
        ...
