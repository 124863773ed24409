"""Saying no: the sentence, the counts, and the reasons for every host."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.model.decision import Decision, Reason, StageCount
from scheduler_lib.model.request import Request


def refusal(
    request: Request,
    counts: Sequence[StageCount],
    host_count: int,
    *,
    placed: int,
    refused_claims: int,
    reasons: Callable[[], tuple[Reason, ...]],
) -> NoValidHost:
    """Return the error for a request that cannot be met.

    :param counts: how many hosts each check left.
    :param host_count: how many hosts are known.
    :param placed: how many of the instances would have fitted.
    :param refused_claims: claims that were lost to somebody else on the way.
    :param reasons: works out the reasons for every host.
    """
    reason = sentence(request, counts, host_count, placed)
    error = NoValidHost(
        f"No valid host was found. {reason}",
        reason=reason,
        counts=[(item.check, item.before, item.after) for item in counts],
        placed=placed,
        asked=len(request.consumers),
    )
    error.decision = Decision(
        counts=tuple(counts), refused_claims=refused_claims, reason=reason, _reasons=reasons
    )
    return error


def sentence(request: Request, counts: Sequence[StageCount], host_count: int, placed: int) -> str:
    """Return what an operator needs to know, in one sentence with the numbers."""
    if host_count == 0:
        return "No hosts are known: none has reported yet."
    asked = _amounts(request)
    lost = [
        f"{item.check} {item.before - item.after}{asked.get(item.check, '')}"
        for item in counts
        if item.after < item.before
    ]
    why = f"None of {host_count} hosts can take it; refused by first failing check: " + (
        ", ".join(lost) if lost else "no combination of providers serves it"
    )
    if len(request.consumers) > 1:
        why = f"{placed} of {len(request.consumers)} instances could be placed; then: {why}"
    return f"{why}."


def _amounts(request: Request) -> dict[str, str]:
    amounts: dict[str, str] = {}
    for group in request.groups.values():
        for resource_class, amount in group.resources.items():
            amounts.setdefault(resource_class, f" (asked {amount})")
    return amounts
