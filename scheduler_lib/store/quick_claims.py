"""Claims of new consumers in one round trip to a server.

What the long way does in a dozen statements, one text does here, under the same locks on
providers, taken in the same order. It writes all of it, or nothing: where anything does not fit it
says so, and the long way finds out what it is, and whether it still is.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import gcd

from scheduler_lib.model.allocation import Claim, Receipt, Usage
from scheduler_lib.store import consumers, drafts
from scheduler_lib.store.allocations import Amount
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import Row
from scheduler_lib.store.quick_texts import MARIADB, POSTGRESQL
from scheduler_lib.store.session import Session
from scheduler_lib.store.transaction import FLUSH

Columns = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class QuickClaims:
    """Claims that may be written in one round trip.

    :ivar claims: by consumer, as :func:`.drafts.checked` gives them.
    """

    names: Names
    claims: Mapping[str, Claim]

    @classmethod
    def of(cls, names: Names, claims: Mapping[str, Claim]) -> QuickClaims | None:
        """Return them, if all consumers are new, and each asks for something."""
        for claim in claims.values():
            if claim.consumer_generation is not None or not any(claim.allocations.values()):
                return None
        return cls(names, claims) if claims else None

    def __call__(self, session: Session) -> Receipt | None:
        """Write all claims and return what that did; or write nothing and return None."""
        book = _BOOK.get(session.server)
        if book is None:
            return None
        claims = self.claims.values()
        wanted = drafts.known_amounts(session, self.names, claims)
        booked = consumers.known_bookings(session, self.names, claims)
        if wanted is None or booked is None:
            return None
        found = book(session, sorted(wanted, key=lambda a: a[1:3]), booked)
        if found is None:
            return None
        classes = self.names.resource_classes.names(session, (row[1] for row in found[0]))
        usages = tuple(Usage(uuid, classes[class_id], used) for uuid, class_id, used in found[0])
        return Receipt(usages, tuple(sorted(found[1])))


Booked = tuple[Sequence[Row], Collection[int]]


def _on_postgresql(session: Session, wanted: Sequence[Amount], booked: Columns) -> Booked | None:
    places = _places(wanted)
    uuids = sorted(booked)
    given = {
        "amounts": len(wanted),
        "places": len(places),
        "uuids": sorted({place[0] for place in places}),
        "moment": session.moment,
        "now": session.now,
        "consumers": uuids,
    }
    for name in ("project_id", "user_id", "consumer_type_id"):
        given[name] = [booked[uuid][name] for uuid in uuids]
    for name, column in zip(_PLACE, zip(*places, strict=True), strict=True):
        given[name] = list(column)
    for name, column in zip(_AMOUNT, zip(*wanted, strict=True), strict=True):
        given[name] = list(column)
    (rows,) = session.script(POSTGRESQL, given)
    if not rows:
        return None
    session.script(FLUSH, {})
    return [row[:3] for row in rows if row[3] is None], [row[3] for row in rows if row[3]]


def _on_mariadb(session: Session, wanted: Sequence[Amount], booked: Columns) -> Booked | None:
    places = _places(wanted)
    providers = sorted({place[0] for place in places})
    results = session.script(
        MARIADB,
        {
            "consumers": json.dumps([[u, *booked[u].values()] for u in sorted(booked)]),
            "amounts": json.dumps(wanted),
            "places": json.dumps(places),
            "providers": json.dumps(providers),
            "met": len(places) + len(providers),
            "moment": session.moment,
            "now": session.now,
        },
    )
    if not results:
        return None
    ids, usages = results
    return usages, [row[0] for row in ids]


_AMOUNT = ("a_consumer", "a_provider", "a_class", "a_used")
_PLACE = ("p_provider", "p_class", "p_delta", "p_least", "p_most", "p_divisor")
_BOOK = {"postgresql": _on_postgresql, "mariadb": _on_mariadb}


def _places(wanted: Iterable[Amount]) -> list[tuple[str, int, int, int, int, int]]:
    """Return what each inventory is asked for: all in all, the least, the most, and the divisor.

    All amounts are multiples of a step exactly if their greatest common divisor is one.
    """
    places = []
    for (provider, class_id), amounts in groupby(wanted, key=lambda amount: amount[1:3]):
        used = [amount.used for amount in amounts]
        places.append((provider, class_id, sum(used), min(used), max(used), gcd(*used)))
    return places
