"""What happens around every call: its deadline, its retries, its errors, its numbers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from scheduler_lib.client.statistics import Statistics
from scheduler_lib.exceptions import (
    BackendFailure,
    BackendUnavailable,
    InvalidInput,
    SchedulerLibError,
)
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.model.naming import shortened
from scheduler_lib.model.settings import CallSettings

LOG = logging.getLogger("scheduler_lib.client")

# Waits between tries: random up to this, doubled each time, never beyond the deadline.
FIRST_WAIT_S = 0.05
LONGEST_WAIT_S = 2.0

# A year: what waits on a lock or a socket cannot be told to wait for ever longer.
LONGEST_DEADLINE_S = 31_536_000

T = TypeVar("T")


class Calls:
    """Runs a client's calls.

    :param settings: the time a call may take, and how often it is tried.
    :param clock: what the time is read on, and waited on.
    :param statistics: where calls are counted.
    """

    def __init__(self, settings: CallSettings, clock: Clock, statistics: Statistics) -> None:
        self.settings = settings
        self.clock = clock
        self.statistics = statistics

    def run(
        self,
        operation: str,
        context: object,
        act: Callable[[Deadline], T],
        *,
        deadline_s: float | None = None,
        repeatable: bool = False,
    ) -> T:
        """Return what the call gives.

        :param operation: its name, for logs and counts.
        :param context: the caller's context; its request id is logged.
        :param act: what to do, given the deadline.
        :param deadline_s: the time the whole call may take, in seconds; None as configured.
        :param repeatable: doing it twice does what doing it once does.
        :raises SchedulerLibError: whatever the call ends with, in our tree.
        """
        started = self.clock.monotonic()
        code: str | None = None
        try:
            deadline = self._deadline(deadline_s)
            return self._tried(operation, context, act, deadline, repeatable)
        except SchedulerLibError as error:
            code = error.code
            LOG.debug("%s%s: %s (%s)", request_id(context), operation, error, code)
            raise
        finally:
            self.statistics.called(operation, self.clock.monotonic() - started, code)

    def _deadline(self, deadline_s: float | None) -> Deadline:
        if deadline_s is None:
            return Deadline.after(self.settings.call_timeout_s, self.clock)
        number = isinstance(deadline_s, int | float) and not isinstance(deadline_s, bool)
        if not number or not 0 < deadline_s <= LONGEST_DEADLINE_S:
            raise InvalidInput(
                f"deadline_s must be a number of seconds above 0, and at most "
                f"{LONGEST_DEADLINE_S}, not {shortened(deadline_s)}.",
                field="deadline_s",
            )
        return Deadline.after(deadline_s, self.clock)

    def _tried(
        self,
        operation: str,
        context: object,
        act: Callable[[Deadline], T],
        deadline: Deadline,
        repeatable: bool,
    ) -> T:
        try:
            return _translated(act, deadline)
        except BackendUnavailable as error:
            if self.settings.retry_attempts < 2 or not _may_repeat(error, repeatable):
                raise
            LOG.warning("%s%s is tried again: %s", request_id(context), operation, error)
            failed = error
        return self._again(operation, act, deadline, repeatable, failed)

    def _again(
        self,
        operation: str,
        act: Callable[[Deadline], T],
        deadline: Deadline,
        repeatable: bool,
        failed: BackendUnavailable,
    ) -> T:
        import tenacity  # needed only when something has failed; takes 20 ms

        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(self.settings.retry_attempts),
            wait=tenacity.wait_random_exponential(multiplier=FIRST_WAIT_S, max=LONGEST_WAIT_S),
            sleep=lambda seconds: self.clock.sleep(min(seconds, deadline.remaining_s())),
            retry=tenacity.retry_if_exception(lambda error: _may_repeat(error, repeatable)),
            reraise=True,
        )
        made = [failed]

        def once() -> T:
            if made:
                raise made.pop()  # the first try, which has been made
            deadline.check(f"{operation} is tried again")
            self.statistics.retried(operation)
            return _translated(act, deadline)

        return retrying(once)


def _may_repeat(error: BaseException, repeatable: bool) -> bool:
    if not isinstance(error, BackendUnavailable):
        return False
    return repeatable or error.fields.get("sent") is False


def _translated(act: Callable[[Deadline], T], deadline: Deadline) -> T:
    try:
        return act(deadline)
    except SchedulerLibError:
        raise
    except OSError as error:
        raise BackendUnavailable(
            f"The backend did not answer: {_said(error)}", error=type(error).__name__
        ) from error
    except Exception as error:
        raise BackendFailure(
            f"The backend failed: {_said(error)}", error=type(error).__name__
        ) from error


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {shortened(str(error))}"


def request_id(context: object) -> str:
    """Return the context's request id and a space, to begin a log line with; or nothing.

    :param context: an object with ``request_id``, a mapping with that key, or anything else.
    """
    known = context.get("request_id") if isinstance(context, dict) else None
    known = known or getattr(context, "request_id", None)
    return f"{known} " if isinstance(known, str) else ""
