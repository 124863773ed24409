"""Generations that are only known when a request is sent: placeholders in its body."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

from tests.twin.exchange import Request


@dataclass(frozen=True)
class ProviderGeneration:
    """The generation of a provider, or one beside it."""

    uuid: str
    off: int = 0


@dataclass(frozen=True)
class ConsumerGeneration:
    """The generation of a consumer (None while it has nothing), or one beside it."""

    uuid: str
    off: int = 0


class Generations(Protocol):
    """Knows what the generations are now."""

    def provider_generation(self, uuid: str) -> int | None:
        """Return a provider's; None when there is no such provider."""

    def consumer_generation(self, uuid: str) -> int | None:
        """Return a consumer's; None when there is no such consumer."""


def resolved(request: Request, now: Generations) -> Request:
    """Return the request with what its placeholders stand for now."""
    if request.body is None or isinstance(request.body, bytes):
        return request
    return replace(request, body=_filled(request.body, now))


def _filled(value: Any, now: Generations) -> Any:
    if isinstance(value, dict):
        return {key: _filled(item, now) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(item, now) for item in value]
    if isinstance(value, ProviderGeneration):
        return (now.provider_generation(value.uuid) or 0) + value.off
    if isinstance(value, ConsumerGeneration):
        held = now.consumer_generation(value.uuid)
        if value.off and held is not None:
            return held + value.off
        return 0 if value.off else held
    return value
