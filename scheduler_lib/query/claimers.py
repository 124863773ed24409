"""How a choice becomes a claim: in the books, or only in memory."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scheduler_lib.exceptions import ClaimConflict, ProviderNotFound, ResourceClassNotFound
from scheduler_lib.model.answer import RecordedAnswer
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.model.decision import Decision, Selection
from scheduler_lib.model.primitive import decision_to_primitive
from scheduler_lib.model.request import Request
from scheduler_lib.query.mirror import Mirror
from scheduler_lib.scheduling.claiming import claim_of

if TYPE_CHECKING:
    from scheduler_lib.store.store import Store

# A claim is refused when somebody was faster. Refused this often in one call, wait a little, so
# that a fleet which many want the last of is not asked for it in a tight circle.
PATIENCE = 8
LONGEST_WAIT_S = 0.05


@dataclass(slots=True)
class StoreClaimer:
    """Claims in the store, which arbitrates between all processes.

    :ivar answer: whose answer to record with the claims; None for nobody's.
    """

    store: Store
    mirror: Mirror
    request: Request
    answer: RecordedAnswer | None
    deadline: Deadline
    clock: Clock
    random: random.Random
    refused: int = 0

    def claim(self, selections: Sequence[Selection]) -> None:
        """Write the claims, and the answer with them; all or nothing.

        :raises ClaimConflict: when they do not fit any more; the fleet is up to date then.
        """
        claims = [claim_of(selection, self.request) for selection in selections]
        answer = recorded(self.answer, selections, claimed=True)
        try:
            receipt = self.store.claims.write(claims, self.deadline, answer=answer)
        except (ClaimConflict, ProviderNotFound, ResourceClassNotFound) as error:
            self._catch_up(error)
            raise _conflict(error) from error
        self.mirror.booked(receipt)

    def _catch_up(self, error: ClaimConflict | ProviderNotFound | ResourceClassNotFound) -> None:
        self.refused += 1
        if self.refused > PATIENCE:
            wait = min(0.001 * 2 ** (self.refused - PATIENCE), LONGEST_WAIT_S)
            wait *= self.random.random()
            self.clock.sleep(min(wait, self.deadline.remaining_s()))
        self.mirror.refreshed(self.mirror.ticket(), self.deadline)
        provider = error.fields.get("provider")
        if isinstance(provider, str):
            self.mirror.reread(provider, self.deadline)


@dataclass(slots=True)
class ConsumingClaimer:
    """Consumes in the fleet, until the host's next report; for accounting by reports.

    The caller holds the fleet's lock from before the choice until after this.
    """

    store: Store
    mirror: Mirror
    answer: RecordedAnswer | None
    deadline: Deadline

    def claim(self, selections: Sequence[Selection]) -> None:
        """Add to what is used."""
        answer = recorded(self.answer, selections, claimed=False)
        if answer is not None:
            self.store.claims.write((), self.deadline, answer=answer)
        self.mirror.consumed(
            (provider, resource_class, amount)
            for selection in selections
            for provider, amounts in selection.destination.allocations.items()
            for resource_class, amount in amounts.items()
        )


def recorded(
    answer: RecordedAnswer | None, selections: Sequence[Selection], *, claimed: bool
) -> RecordedAnswer | None:
    """Return the answer with the selections as its text."""
    if answer is None:
        return None
    decision = Decision(
        tuple(
            replace(item, destination=replace(item.destination, claimed=claimed))
            for item in selections
        )
    )
    text = json.dumps(decision_to_primitive(decision), separators=(",", ":"))
    return replace(answer, answer=text)


def _conflict(error: ClaimConflict | ProviderNotFound | ResourceClassNotFound) -> ClaimConflict:
    if isinstance(error, ClaimConflict):
        return error
    return ClaimConflict(error.message, hint=None, **error.fields)
