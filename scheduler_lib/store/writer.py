"""SQLite's one writer: transactions that come at the same time are committed together.

SQLite has room for one writer, and a commit costs more than what is written. So callers queue their
work; the first of them leads: it runs everybody's work in one transaction, each behind a savepoint
of its own, commits once, and hands the lead to the next who waits. Work that fails is undone alone.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Generic

from sqlalchemy.engine import Engine

from scheduler_lib.exceptions import DeadlineExceeded
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.store.engine import WRITER_WAIT_MS
from scheduler_lib.store.errors import DATABASE_ERRORS, is_locked, translated
from scheduler_lib.store.readers import discard, hold
from scheduler_lib.store.session import Session, Texts
from scheduler_lib.store.transaction import Quick, T, Work, pause_s

# More in one commit gains nothing, and lets the first wait for the last.
LARGEST_GROUP = 200


class _Job(Generic[T]):
    """One caller's work, and what became of it."""

    __slots__ = ("deadline", "done", "error", "leads", "result", "step", "wake", "work")

    def __init__(self, work: Work[T], deadline: Deadline, step: str) -> None:
        self.work = work
        self.deadline = deadline
        self.step = step
        self.done = False
        self.leads = False
        self.result: T | None = None
        self.error: BaseException | None = None
        self.wake: threading.Event | None = None


class Writer:
    """Runs work as transactions on one connection to an SQLite file.

    :param busy_timeout_s: how long to wait for a writer in another process.
    """

    def __init__(
        self,
        engine: Engine,
        texts: Texts,
        backend: str,
        clock: Clock,
        random: Random,
        busy_timeout_s: float,
    ) -> None:
        self._engine = engine
        self._texts = texts
        self._backend = backend
        self._clock = clock
        self._random = random
        self._busy_timeout_s = busy_timeout_s
        self._start()

    def _start(self) -> None:
        self._queue: deque[_Job[object]] = deque()
        self._mutex = threading.Lock()
        self._leader: _Job[object] | None = None
        self._session: Session | None = None
        self._process = os.getpid()

    def run(self, work: Work[T], deadline: Deadline, step: str, quick: Quick[T] | None = None) -> T:
        """Run work as one transaction; see :class:`.transaction.Transactions`."""
        deadline.check(step)
        if self._process != os.getpid():
            # A child process must not touch its parent's connection, not even to close it.
            self._abandoned = self._session
            self._start()
        job: _Job[T] = _Job(work, deadline, step)
        try:
            if self._join(job):
                self._lead()
        except BaseException:
            # An interrupt: nobody may wait for a caller who has gone.
            self._leave(job)
            raise
        if job.error is not None:
            raise job.error
        return job.result  # type: ignore[return-value]

    def close(self) -> None:
        """Close the connection."""
        with self._mutex:
            session, self._session = self._session, None
        if session is not None and self._process == os.getpid():
            discard(session.connection)

    def _join(self, job: _Job[T]) -> bool:
        """Queue a job; return whether its caller leads, else wait until it is done."""
        with self._mutex:
            self._queue.append(job)  # type: ignore[arg-type]
            if self._leader is None:
                self._leader = job  # type: ignore[assignment]
                return True
            job.wake = threading.Event()
        if not job.wake.wait(job.deadline.remaining_s()):
            self._give_up(job)
            job.wake.wait()
        return job.leads

    def _give_up(self, job: _Job[T]) -> None:
        """Take a job whose time is over out of the queue, unless it is being run."""
        with self._mutex:
            if job in self._queue and not job.leads:
                self._queue.remove(job)  # type: ignore[arg-type]
                job.error = DeadlineExceeded(
                    f"The {job.deadline.timeout_s:g} s given to the call ran out while it "
                    f"waited for other writers: {job.step}.",
                    deadline_s=job.deadline.timeout_s,
                    step=job.step,
                )
                job.wake.set()  # type: ignore[union-attr]

    def _leave(self, job: _Job[T]) -> None:
        with self._mutex:
            if job in self._queue:
                self._queue.remove(job)  # type: ignore[arg-type]
            leads = self._leader is job
        if leads:
            self._hand_over([])

    def _lead(self) -> None:
        with self._mutex:
            count = min(len(self._queue), LARGEST_GROUP)
            group = [self._queue.popleft() for _ in range(count)]
        try:
            self._run_group(group)
        finally:
            self._hand_over(group)

    def _hand_over(self, group: list[_Job[object]]) -> None:
        with self._mutex:
            following = self._queue[0] if self._queue else None
            self._leader = following
            if following is not None:
                following.leads = True
        for job in group:
            if job.wake is not None and not job.leads:
                job.wake.set()
        if following is not None and following.wake is not None:
            following.wake.set()

    def _run_group(self, group: list[_Job[object]]) -> None:
        try:
            session = self._begin(group)
            told = self._run_jobs(session, [job for job in group if job.error is None])
            session.command("COMMIT")
        except BaseException as error:  # noqa: BLE001 - each caller raises it where it waits
            self._undo()
            self._fail(group, error)
            return
        for tell in told:
            tell()

    def _run_jobs(self, session: Session, jobs: list[_Job[object]]) -> list[Callable[[], None]]:
        told: list[Callable[[], None]] = []
        alone = len(jobs) == 1
        for job in jobs:
            session.after_commit = []
            if not alone:
                session.command("SAVEPOINT job")
            try:
                job.deadline.check(job.step)
                job.result = job.work(session)
            except Exception as error:
                if alone or not session.is_open():
                    # After some errors SQLite has rolled back everything: none survives.
                    raise
                session.command("ROLLBACK TO job")
                self._blame(job, error)
            else:
                told.extend(session.after_commit)
            if not alone:
                session.command("RELEASE job")
        return told

    def _fail(self, group: list[_Job[object]], error: BaseException) -> None:
        """Let every caller in the group know that nothing of it was written."""
        for job in group:
            if job.error is None:
                # An interrupt is the leader's own; to the others the write just did not happen.
                shared = job is not group[0] and not isinstance(error, DATABASE_ERRORS)
                self._blame(job, error, translate=shared)

    def _blame(self, job: _Job[object], error: BaseException, *, translate: bool = False) -> None:
        if translate or isinstance(error, DATABASE_ERRORS):
            job.error = translated(error, self._backend)
            job.error.__cause__ = error
        else:
            job.error = error

    def _undo(self) -> None:
        try:
            if self._session is not None:
                self._session.undo()
        except DATABASE_ERRORS:
            self.close()

    def _begin(self, group: list[_Job[object]]) -> Session:
        """Take SQLite's write lock, waiting for other processes as long as the calls allow."""
        if self._session is None:
            self._session = Session(hold(self._engine), self._texts)
            self._session.command(f"PRAGMA busy_timeout = {WRITER_WAIT_MS}")
        session = self._session
        session.start(self._clock.now())
        ends_at = self._clock.monotonic() + self._busy_timeout_s
        attempt = 0
        while True:
            try:
                # A read that turned into a write would fail at once when somebody wrote meanwhile.
                session.command("BEGIN IMMEDIATE")
            except DATABASE_ERRORS as error:
                if not is_locked(error) or self._clock.monotonic() >= ends_at:
                    raise
                _check_deadlines(group)
                attempt += 1
                self._clock.sleep(pause_s(min(attempt, 4), self._random))
            else:
                return session


def _check_deadlines(group: list[_Job[object]]) -> None:
    """Give up the jobs whose time is over; raise when none is left."""
    for job in group:
        if job.error is None:
            try:
                job.deadline.check(job.step)
            except DeadlineExceeded as error:
                job.error = error
    if all(job.error is not None for job in group):
        raise group[0].error or AssertionError
