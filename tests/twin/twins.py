"""The reference and the app under test, side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from tests.twin import names
from tests.twin.comparing import candidate_differences, differences
from tests.twin.deviations import deviation
from tests.twin.exchange import Request, Response, send
from tests.twin.generations import Generations, resolved

LIMIT = re.compile(r"(^|&)limit=(\d+)")
HISTORY_SHOWN = 60


class Parted(Exception):
    """What the two hold differs now, as it is listed."""


class Reference(Generations, Protocol):
    """What is asked of the reference beside answers."""

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        """Answer."""

    def reset(self) -> None:
        """Forget everything."""

    def forget_empty_consumers(self) -> None:
        """Forget the consumers that have nothing."""


class Twins:
    """Sends each request to both, and compares what they say.

    :param make: makes a fresh app under test.
    :ivar app: the app under test.
    """

    def __init__(self, reference: Reference, make: Callable[[], Any]) -> None:
        self._reference = reference
        self._make = make
        self.app: Any = None
        self.history: list[str] = []

    def start(self) -> None:
        """Empty both."""
        self.close()
        self._reference.reset()
        self.app = self._make()
        self.history = []

    def close(self) -> None:
        """Close the app under test."""
        if self.app is not None and hasattr(self.app, "close"):
            self.app.close()
        self.app = None

    def check(self, asked: Request) -> Response:
        """Send a request to both; return the reference's answer.

        :raises AssertionError: with all that was sent before, when they differ.
        :raises Parted: when they differ in a way that is listed, and hold different things now.
        """
        request = resolved(asked, self._reference)
        expected, found = self.both(request)
        self.history.append(f"{request} -> {expected.status}")
        told = self._compared(request, expected, found)
        if told:
            listed = deviation(request, expected, found, told)
            if listed is None:
                self.differ(request, told)
            elif listed.parts:
                raise Parted(listed.name)
        return expected

    def both(self, request: Request) -> tuple[Response, Response]:
        """Send a request to both; return the reference's answer, and the other."""
        answers = send(self._reference, request), send(self.app, request)
        self._mend(request)
        return answers

    def differ(self, request: Request, told: Sequence[str]) -> None:
        """Say that the two differ, and in what.

        :raises AssertionError: always.
        """
        raise AssertionError(self._report(told))

    def run(self, requests: Sequence[Request]) -> None:
        """Check each request, and in the end all that is left behind."""
        try:
            for request in requests:
                self.check(request)
            self.audit()
        except Parted:
            return

    def audit(self) -> None:
        """Compare everything that can be read."""
        self.check(Request("GET", "/resource_classes"))
        self.check(Request("GET", "/traits", "associated=true"))
        known = self.check(Request("GET", "/resource_providers")).json["resource_providers"]
        for uuid in sorted(item["uuid"] for item in known):
            for noun in ("inventories", "usages", "traits", "aggregates", "allocations"):
                self.check(Request("GET", f"/resource_providers/{uuid}/{noun}"))
        for uuid in names.CONSUMERS:
            self.check(Request("GET", f"/allocations/{uuid}"))
        for project in names.PROJECTS:
            self.check(Request("GET", "/usages", f"project_id={project}"))

    def _mend(self, request: Request) -> None:
        # A refused claim leaves the reference with a consumer that has nothing, and the next claim
        # that says "there is no such consumer" is refused (scenario L04, see deviations.py).
        if request.method in ("PUT", "POST"):
            for app in (self._reference, self.app):
                getattr(app, "forget_empty_consumers", _nothing)()

    def _compared(self, request: Request, expected: Response, found: Response) -> list[str]:
        limit = LIMIT.search(request.query)
        if request.path != "/allocation_candidates" or not limit or expected.status != 200:
            return differences(expected, found)
        if found.status != 200:
            return differences(expected, found)
        without = replace(request, query=LIMIT.sub("", request.query).lstrip("&"))
        everything = send(self._reference, without).json
        same = replace(found, body=expected.body, headers=_with_length(found, expected))
        return [
            *candidate_differences(expected.json, everything, found.json, int(limit[2])),
            *differences(expected, same),
        ]

    def _report(self, told: Sequence[str]) -> str:
        lines = self.history[-HISTORY_SHOWN:]
        return "\n".join(["the twins differ:", *told, "in:", lines[-1], "after:", *lines[:-1]])


def _nothing() -> None:
    """Mend nothing: only the reference breaks."""


def _with_length(found: Response, expected: Response) -> dict[str, str]:
    return {**found.headers, "content-length": str(len(expected.body))}
