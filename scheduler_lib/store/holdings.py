"""Who holds what, read: from the consumer's side and from the provider's, one statement each."""

from __future__ import annotations

from collections import defaultdict

import sqlalchemy as sa

from scheduler_lib.exceptions import ConsumerNotFound
from scheduler_lib.model.record import ConsumerRecord, HolderRecord, HoldersRecord, ShareRecord
from scheduler_lib.store import provider_rows
from scheduler_lib.store.moments import latest
from scheduler_lib.store.names import Names
from scheduler_lib.store.prepared import Statement
from scheduler_lib.store.schema import (
    ALLOCATIONS,
    CONSUMER_TYPES,
    CONSUMERS,
    PROJECTS,
    RESOURCE_PROVIDERS,
    USERS,
)
from scheduler_lib.store.session import Session

_AL, _RP = ALLOCATIONS.c, RESOURCE_PROVIDERS.c
_WRITTEN = sa.func.coalesce(_AL.updated_at, _AL.created_at)
_OF_CONSUMER = Statement(
    sa.select(
        PROJECTS.c.external_id, USERS.c.external_id, CONSUMER_TYPES.c.name, CONSUMERS.c.generation,
        _RP.uuid, _RP.generation, _AL.resource_class_id, _AL.used, _WRITTEN,
    )
    .select_from(CONSUMERS)
    .join(ALLOCATIONS, _AL.consumer_id == CONSUMERS.c.uuid)
    .join(RESOURCE_PROVIDERS, _RP.id == _AL.resource_provider_id)
    .join(PROJECTS, PROJECTS.c.id == CONSUMERS.c.project_id)
    .join(USERS, USERS.c.id == CONSUMERS.c.user_id)
    .outerjoin(CONSUMER_TYPES, CONSUMER_TYPES.c.id == CONSUMERS.c.consumer_type_id)
    .where(CONSUMERS.c.uuid == sa.bindparam("uuid"))
    .order_by(_AL.id)
)  # fmt: skip
_OF_PROVIDER = Statement(
    sa.select(
        _RP.generation, _AL.consumer_id, CONSUMERS.c.generation, _AL.resource_class_id, _AL.used,
        _WRITTEN,
    )
    .select_from(RESOURCE_PROVIDERS)
    .outerjoin(ALLOCATIONS, _AL.resource_provider_id == _RP.id)
    .outerjoin(CONSUMERS, CONSUMERS.c.uuid == _AL.consumer_id)
    .where(_RP.uuid == sa.bindparam("uuid"))
    .order_by(_AL.id)
)  # fmt: skip


def of_consumer(session: Session, names: Names, uuid: str) -> ConsumerRecord:
    """Return a consumer with everything it holds.

    :raises ConsumerNotFound: when it holds nothing.
    """
    rows = session.rows(_OF_CONSUMER, {"uuid": uuid})
    if not rows:
        raise ConsumerNotFound(f"Consumer {uuid} holds nothing.", consumer=uuid)
    classes = names.resource_classes.names(session, (row[6] for row in rows))
    resources: dict[str, dict[str, int]] = defaultdict(dict)
    generations: dict[str, int] = {}
    for row in rows:
        generations[row[4]] = row[5]
        resources[row[4]][classes[row[6]]] = row[7]
    project_id, user_id, consumer_type, generation = rows[0][:4]
    return ConsumerRecord(
        uuid=uuid,
        shares={key: ShareRecord(held, generations[key]) for key, held in resources.items()},
        project_id=project_id,
        user_id=user_id,
        consumer_type=consumer_type,
        generation=generation,
        modified_at=latest(row[8] for row in rows),
    )


def of_provider(session: Session, names: Names, uuid: str) -> HoldersRecord:
    """Return who holds what of a provider, in the order in which it was written.

    :raises ProviderNotFound: when there is no such provider.
    """
    rows = session.rows(_OF_PROVIDER, {"uuid": uuid})
    if not rows:
        raise provider_rows.not_found(uuid)
    held = [row for row in rows if row[1] is not None]
    classes = names.resource_classes.names(session, (row[3] for row in held))
    resources: dict[str, dict[str, int]] = defaultdict(dict)
    generations: dict[str, int] = {}
    for _, consumer, generation, class_id, used, _ in held:
        generations[consumer] = generation
        resources[consumer][classes[class_id]] = used
    return HoldersRecord(
        generation=rows[0][0],
        holders=tuple(HolderRecord(c, held, generations[c]) for c, held in resources.items()),
        modified_at=latest(row[5] for row in held),
    )
