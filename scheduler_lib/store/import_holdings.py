"""Consumers of another database, with all they hold, written into ours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from scheduler_lib.exceptions import InvalidInput
from scheduler_lib.store import allocations, changes, consumers, ledger
from scheduler_lib.store.import_providers import Ids, uuid_of
from scheduler_lib.store.import_source import Source, SourceAllocation, SourceConsumer
from scheduler_lib.store.prepared import KeyedStatement, Statement
from scheduler_lib.store.schema import (
    ALLOCATIONS,
    CONSUMER_TYPES,
    CONSUMERS,
    INVENTORIES,
    PROJECTS,
    RESOURCE_CLASSES,
    RESOURCE_PROVIDERS,
    USERS,
)
from scheduler_lib.store.schema.changes import USAGE
from scheduler_lib.store.session import Session

Place = tuple[int, int]  # our ids of provider and class

_BOOKED = KeyedStatement(
    lambda keys: sa.select(
        CONSUMERS.c.uuid, CONSUMERS.c.project_id, CONSUMERS.c.user_id,
        CONSUMERS.c.consumer_type_id, CONSUMERS.c.generation,
    ).where(CONSUMERS.c.uuid.in_(keys))
)  # fmt: skip
_HELD = KeyedStatement(
    lambda keys: sa.select(
        ALLOCATIONS.c.consumer_id, ALLOCATIONS.c.resource_provider_id,
        ALLOCATIONS.c.resource_class_id, ALLOCATIONS.c.used,
    ).where(ALLOCATIONS.c.consumer_id.in_(keys))
)  # fmt: skip
# Whatever the source has sold is sold: there may be more of it than the capacity.
_ADD = Statement(
    sa.update(INVENTORIES)
    .where(INVENTORIES.c.resource_provider_id == sa.bindparam("provider_id"))
    .where(INVENTORIES.c.resource_class_id == sa.bindparam("class_id"))
    .values(used=INVENTORIES.c.used + sa.bindparam("delta", type_=sa.BigInteger()))
)


class HoldingBatch:
    """Some consumers, each with everything it holds in the source.

    :param ids: our ids by the source's, by the table's name.
    :param incomplete: our ids of the project and the user that stand for unknown ones.
    :param uuids: of our providers, by our ids.
    """

    def __init__(
        self,
        source: Source,
        rows: Sequence[SourceAllocation],
        ids: Ids,
        incomplete: tuple[int, int],
        uuids: Mapping[int, str],
    ) -> None:
        self._ids = ids
        self._incomplete = incomplete
        self._uuids = uuids
        self._wanted: dict[str, dict[Place, int]] = defaultdict(lambda: defaultdict(int))
        self._first: dict[str, SourceAllocation] = {}
        self._times: dict[tuple[str, Place], SourceAllocation] = {}
        providers, classes = ids[RESOURCE_PROVIDERS.name], ids[RESOURCE_CLASSES.name]
        for row in rows:
            uuid = uuid_of(row.consumer_uuid, "consumer")
            place = providers[row.provider_id], classes[row.class_id]
            # Nothing in the source forbids two rows of one inventory; here they are one.
            self._wanted[uuid][place] += row.used
            self._first.setdefault(uuid, row)
            self._times.setdefault((uuid, place), row)
        found = source.consumers([row.consumer_uuid for row in self._first.values()])
        self._booked = {
            uuid: self._columns(found.get(row.consumer_uuid), row)
            for uuid, row in self._first.items()
        }

    def write(self, session: Session) -> int:
        """Write consumers that are new or differ; return how many those were."""
        uuids = sorted(self._wanted)
        consumers.lock(session, uuids)
        booked = {row[0]: tuple(row[1:]) for row in session.rows_of(_BOOKED, uuids)}
        held: dict[str, dict[Place, int]] = defaultdict(dict)
        for consumer, provider_id, class_id, used in session.rows_of(_HELD, uuids):
            held[consumer][provider_id, class_id] = used
        changed = [
            uuid
            for uuid in uuids
            if held[uuid] != self._wanted[uuid] or booked.get(uuid) != self._identity(uuid)
        ]
        if changed:
            self._move(session, {uuid: held[uuid] for uuid in changed})
            self._replace(session, changed)
        return len(changed)

    def _move(self, session: Session, held: Mapping[str, Mapping[Place, int]]) -> None:
        """Change what is used of each inventory by what the consumers hold more or less."""
        deltas: dict[Place, int] = defaultdict(int)
        for uuid, before in held.items():
            for place, used in before.items():
                deltas[place] -= used
            for place, used in self._wanted[uuid].items():
                deltas[place] += used
        places = sorted(place for place, delta in deltas.items() if delta)
        told = sorted({self._uuids[provider_id] for provider_id, _ in places})
        ledger.lock(session, told)
        rows = [
            {
                "provider_id": provider_id,
                "class_id": class_id,
                "delta": deltas[provider_id, class_id],
            }
            for provider_id, class_id in places
        ]
        if session.run_many(_ADD, rows) != len(rows):
            raise InvalidInput("An inventory went away while it was copied.", field="source")
        changes.append(session, told, USAGE)

    def _replace(self, session: Session, uuids: Sequence[str]) -> None:
        allocations.delete(session, uuids)
        consumers.delete(session, uuids)
        session.core(sa.insert(CONSUMERS), [{**self._booked[uuid], "uuid": uuid} for uuid in uuids])
        session.core(
            sa.insert(ALLOCATIONS),
            [
                {
                    "consumer_id": uuid,
                    "resource_provider_id": place[0],
                    "resource_class_id": place[1],
                    "used": used,
                    "created_at": self._times[uuid, place].created_at,
                    "updated_at": self._times[uuid, place].updated_at,
                }
                for uuid in uuids
                for place, used in self._wanted[uuid].items()
            ],
        )

    def _columns(self, row: SourceConsumer | None, first: SourceAllocation) -> dict[str, Any]:
        """Return how a consumer is booked; one without a row, as Placement itself would."""
        project_id, user_id = self._incomplete
        if row is None:
            row = SourceConsumer("", 0, 0, None, 0, first.created_at, first.updated_at)
        types = self._ids[CONSUMER_TYPES.name]
        return {
            "project_id": self._ids[PROJECTS.name].get(row.project_id, project_id),
            "user_id": self._ids[USERS.name].get(row.user_id, user_id),
            "consumer_type_id": None if row.type_id is None else types[row.type_id],
            "generation": row.generation,
            "created_at": row.created_at,
            "updated_at": row.updated_at,
        }

    def _identity(self, uuid: str) -> tuple[object, ...]:
        names = ("project_id", "user_id", "consumer_type_id", "generation")
        return tuple(self._booked[uuid][name] for name in names)
