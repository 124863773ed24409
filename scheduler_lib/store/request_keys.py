"""Answers that were given, by request key."""

from __future__ import annotations

import sqlalchemy as sa

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.answer import RecordedAnswer
from scheduler_lib.model.clock import Clock, Deadline
from scheduler_lib.model.naming import checked_name
from scheduler_lib.store.database import Database
from scheduler_lib.store.errors import RequestKeyTaken
from scheduler_lib.store.names import insert_new
from scheduler_lib.store.prepared import Statement
from scheduler_lib.store.schema import REQUEST_KEYS
from scheduler_lib.store.session import Session

_WRITTEN = sa.table(
    REQUEST_KEYS.name,
    *(sa.column(name, REQUEST_KEYS.c[name].type) for name in
      ("request_key", "fingerprint", "answer", "created_at")),
)  # fmt: skip
_INSERT = insert_new(_WRITTEN)
_FIND = Statement(
    sa.select(REQUEST_KEYS.c.fingerprint, REQUEST_KEYS.c.answer).where(
        REQUEST_KEYS.c.request_key == sa.bindparam("request_key")
    )
)
_PRUNE = Statement(sa.delete(REQUEST_KEYS).where(REQUEST_KEYS.c.created_at < sa.bindparam("limit")))


class RequestKeys:
    """Reads recorded answers; they are written with the claims they belong to.

    :param retention_s: how long answers are kept, in seconds.
    """

    def __init__(self, database: Database, retention_s: float, clock: Clock) -> None:
        self._database = database
        self._retention_s = retention_s
        self._clock = clock
        self._next = clock.monotonic() + self._pause_s

    @property
    def _pause_s(self) -> float:
        return min(self._retention_s / 4, 600.0)

    def find(self, request_key: str, deadline: Deadline) -> RecordedAnswer | None:
        """Return the answer that was recorded under a key, if one was."""
        deadline.check("reading a recorded answer")
        with self._database.reading() as session:
            for fingerprint, answer in session.rows(_FIND, {"request_key": request_key}):
                return RecordedAnswer(request_key, str(fingerprint), str(answer))
        return None

    def record(self, session: Session, answer: RecordedAnswer) -> None:
        """Write an answer in the transaction of its claims.

        :raises InvalidRequest: when the key cannot be stored.
        :raises RequestKeyTaken: when the key has an answer by now.
        """
        checked_name(answer.request_key, "request_key", InvalidRequest)
        self._prune(session)
        row = {
            "request_key": answer.request_key,
            "fingerprint": answer.fingerprint,
            "answer": answer.answer,
            "created_at": session.now,
        }
        if session.run(_INSERT[session.dialect_name], row).rowcount != 1:
            raise RequestKeyTaken(
                f"Request key {answer.request_key!r} has been answered meanwhile.",
                request_key=answer.request_key,
            )

    def _prune(self, session: Session) -> None:
        moment = self._clock.monotonic()
        if moment >= self._next:
            self._next = moment + self._pause_s
            session.run(_PRUNE, {"limit": session.now - self._retention_s})
