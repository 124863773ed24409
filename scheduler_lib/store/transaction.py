"""Write transactions on a server: run whole, and run whole again when others were in the way."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol, TypeVar

from sqlalchemy.engine import Engine

from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.store.errors import DATABASE_ERRORS, is_disconnect, is_transient, translated
from scheduler_lib.store.session import Session, Texts

T = TypeVar("T")
Work = Callable[[Session], T]

FIRST_PAUSE_S = 0.002
LONGEST_PAUSE_S = 0.5


class Overtaken(Exception):
    """Raised by work that saw two moments: somebody committed between two of its statements.

    Its cause is what it would have said; run again, it sees everything as it is now.
    """


class Transactions(Protocol):
    """Runs work as one transaction."""

    def run(self, work: Work[T], deadline: Deadline, step: str) -> T:
        """Run work; what it wrote is there when this returns, and nothing of it if it raises.

        Work may be run several times, so it must change nothing but the database.

        :param step: what is being done, for messages.
        :raises DeadlineExceeded: before it was begun again.
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
    """Transactions on PostgreSQL and MariaDB, each on a connection of its own.

    :param attempts: how often one is run at most.
    """

    def __init__(
        self,
        engine: Engine,
        texts: Texts,
        backend: str,
        clock: Clock,
        random: Random,
        attempts: int,
    ) -> None:
        self._engine = engine
        self._texts = texts
        self._backend = backend
        self._clock = clock
        self._random = random
        self._attempts = max(attempts, 1)

    def run(self, work: Work[T], deadline: Deadline, step: str) -> T:
        """Run work as one transaction; see :class:`Transactions`."""
        attempt = 0
        while True:
            deadline.check(step)
            try:
                return self._once(work)
            except Overtaken as overtaken:
                attempt += 1
                if attempt >= self._attempts:
                    raise overtaken.__cause__ or overtaken from None
            except DATABASE_ERRORS as error:
                attempt += 1
                if attempt >= self._attempts or not is_transient(error):
                    raise translated(error, self._backend) from error
            self._clock.sleep(min(pause_s(attempt, self._random), deadline.remaining_s()))

    def close(self) -> None:
        """Nothing is held between transactions."""

    def _once(self, work: Work[T]) -> T:
        with self._engine.connect() as connection:
            transaction = connection.begin()
            try:
                session = Session(connection, self._texts, self._clock.now())
                result = work(session)
            except BaseException:
                transaction.rollback()
                raise
            try:
                transaction.commit()
            except DATABASE_ERRORS as error:
                # Whether the server still has it open is not known: it must not be used again.
                connection.invalidate()
                if is_disconnect(error):
                    # Nobody knows whether it was written: to run it again could write it twice.
                    raise translated(error, self._backend) from error
                raise
        for tell in session.after_commit:
            tell()
        return result
