"""An answer that was given, so that the same request can be given it again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """What was answered under a request key.

    :ivar request_key: the caller's key, at most 255 characters.
    :ivar fingerprint: of the request, so that another request under the same key is noticed.
    :ivar answer: the answer, as JSON text.
    """

    request_key: str
    fingerprint: str
    answer: str
