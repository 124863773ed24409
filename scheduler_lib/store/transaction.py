"""Write transactions on a server: run whole, and run whole again when others were in the way.

On PostgreSQL, what a transaction has locked is free as soon as the commit is in the log, not only
when the log is on the disk: waiting for the disk in line, one after the other, is what makes a busy
row slow. The caller still hears of the commit when it is on the disk: a second, empty commit waits
for that, and many of these wait together. MariaDB does the same by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol, TypeVar

from scheduler_lib.exceptions import ConcurrentUpdate, Conflict
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.store.errors import DATABASE_ERRORS, is_disconnect, is_transient, translated
from scheduler_lib.store.readers import Readers
from scheduler_lib.store.session import Session

T = TypeVar("T")
R_co = TypeVar("R_co", covariant=True)
Work = Callable[[Session], T]

# Waits until the log is on the disk up to here, as far as the server is set up to wait at all.
FLUSH = "SELECT pg_logical_emit_message(true, 'scheduler_lib', '')"
_COMMIT = {
    "postgresql": ("SET LOCAL synchronous_commit = off; COMMIT", FLUSH),
    "mysql": ("COMMIT",),
    "mariadb": ("COMMIT",),
}

FIRST_PAUSE_S = 0.002
LONGEST_PAUSE_S = 0.5


class Overtaken(Exception):
    """Raised by work that saw two moments: somebody committed between two of its statements.

    Its cause is what it would have said, if it could say anything; run again, it sees everything as
    it is now. It never leaves this room.
    """


def _lost(step: str, attempts: int) -> ConcurrentUpdate:
    return ConcurrentUpdate(
        f"Others kept writing in between, {attempts} times: {step}.", step=step, attempts=attempts
    )


class Quick(Protocol[R_co]):
    """A write that may be done in one round trip, outside of a transaction of ours."""

    def __call__(self, session: Session) -> R_co | None:
        """Do all of it, or nothing and return None; then the work is run in its place."""
        ...


class Transactions(Protocol):
    """Runs work as one transaction."""

    def run(self, work: Work[T], deadline: Deadline, step: str, quick: Quick[T] | None = None) -> T:
        """Run work; what it wrote is there when this returns, and nothing of it if it raises.

        Work may be run several times, so it must change nothing but the database.

        :param step: what is being done, for messages.
        :param quick: what to try first where a round trip to the database costs something.
        :raises DeadlineExceeded: before it was begun again.
        :raises ConcurrentUpdate: when others kept writing between its statements.
        :raises Unavailable: when the database does not take it.
        """
        ...

    def close(self) -> None:
        """Give back what is held."""
        ...


def pause_s(attempt: int, random: Random) -> float:
    """Return how long to wait before a repeated attempt: longer each time, never the same."""
    longest = min(FIRST_PAUSE_S * 2**attempt, LONGEST_PAUSE_S)
    return random.uniform(longest / 4, longest)


class ServerTransactions:
    """Transactions on PostgreSQL and MariaDB.

    :param readers: lends the connections.
    :param attempts: how often one is run at most.
    """

    def __init__(
        self, readers: Readers, backend: str, clock: Clock, random: Random, attempts: int
    ) -> None:
        self._readers = readers
        self._backend = backend
        self._clock = clock
        self._random = random
        self._attempts = max(attempts, 1)

    def run(self, work: Work[T], deadline: Deadline, step: str, quick: Quick[T] | None = None) -> T:
        """Run work as one transaction; see :class:`Transactions`."""
        if quick is not None:
            deadline.check(step)
            try:
                done = self._quickly(quick)
            except DATABASE_ERRORS as error:
                if not is_transient(error):
                    raise translated(error, self._backend) from error
                if is_disconnect(error):
                    return self._after_loss(work, deadline, step, error)
            else:
                if done is not None:
                    return done
        return self._repeatedly(work, deadline, step)

    def close(self) -> None:
        """Nothing is held between transactions."""

    def _quickly(self, quick: Quick[T]) -> T | None:
        with self._readers.lent() as session:
            session.start(self._clock.now())
            return quick(session)

    def _after_loss(self, work: Work[T], deadline: Deadline, step: str, lost: BaseException) -> T:
        """Run work where nobody knows whether it has been done."""
        try:
            return self._repeatedly(work, deadline, step)
        except Conflict:
            # It may be its own first run that it meets.
            raise translated(lost, self._backend) from lost

    def _repeatedly(self, work: Work[T], deadline: Deadline, step: str) -> T:
        attempt = 0
        while True:
            deadline.check(step)
            try:
                return self._once(work)
            except Overtaken as overtaken:
                attempt += 1
                if attempt >= self._attempts:
                    if overtaken.__cause__ is not None:
                        raise overtaken.__cause__ from None
                    raise _lost(step, attempt) from overtaken
            except DATABASE_ERRORS as error:
                attempt += 1
                if attempt >= self._attempts or not is_transient(error):
                    raise translated(error, self._backend) from error
            self._clock.sleep(min(pause_s(attempt, self._random), deadline.remaining_s()))

    def _once(self, work: Work[T]) -> T:
        with self._readers.lent() as session:
            session.start(self._clock.now())
            session.command("BEGIN")
            try:
                result = work(session)
            except BaseException as error:
                if isinstance(error, DATABASE_ERRORS) and is_disconnect(error):
                    raise
                session.command("ROLLBACK")
                session.after_commit.clear()
                failed: BaseException = error
            else:
                self._commit(session)
                return result
        raise failed

    def _commit(self, session: Session) -> None:
        try:
            for command in _COMMIT[session.dialect_name] if session.wrote else ("COMMIT",):
                session.command(command)
        except DATABASE_ERRORS as error:
            if is_disconnect(error):
                # Nobody knows whether it was written: to run it again could write it twice.
                raise translated(error, self._backend) from error
            raise
