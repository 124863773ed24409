"""The texts of :mod:`.quick_claims`, in the words of each server."""

from __future__ import annotations

# Every part that writes waits for `fits`. What was locked is as it is now, even if the statement
# had to wait for it; a row that came meanwhile is not seen, and then the long way is taken.
POSTGRESQL = """
WITH place AS MATERIALIZED (
    SELECT * FROM unnest(
        %(p_provider)s::varchar[], %(p_class)s::integer[], %(p_delta)s::bigint[],
        %(p_least)s::bigint[], %(p_most)s::bigint[], %(p_divisor)s::bigint[]
    ) AS t (provider, class_id, delta, least, most, divisor)
), locked AS MATERIALIZED (
    SELECT id, uuid FROM resource_providers
    WHERE uuid = ANY (%(uuids)s::varchar[]) ORDER BY id FOR UPDATE
), room AS MATERIALIZED (
    SELECT i.id, p.delta
    FROM place p
    JOIN locked l ON l.uuid = p.provider
    JOIN inventories i ON i.resource_provider_id = l.id AND i.resource_class_id = p.class_id
    WHERE i.used + p.delta <= i.capacity
        AND i.min_unit <= p.least AND p.most <= i.max_unit AND p.divisor %% i.step_size = 0
    FOR UPDATE OF i
), fits AS MATERIALIZED (
    SELECT 1 WHERE (SELECT count(*) FROM room) = %(places)s
), taken AS (
    INSERT INTO consumers
        (uuid, project_id, user_id, consumer_type_id, generation, created_at)
    SELECT c.*, 1, %(moment)s::timestamp
    FROM fits, unnest(
        %(consumers)s::varchar[], %(project_id)s::integer[], %(user_id)s::integer[],
        %(consumer_type_id)s::integer[]
    ) AS c
), held AS (
    INSERT INTO allocations
        (resource_provider_id, consumer_id, resource_class_id, used, created_at)
    SELECT l.id, a.consumer, a.class_id, a.used, %(moment)s::timestamp
    FROM fits, locked l
    JOIN unnest(
        %(a_consumer)s::varchar[], %(a_provider)s::varchar[], %(a_class)s::integer[],
        %(a_used)s::integer[]
    ) AS a (consumer, provider, class_id, used) ON a.provider = l.uuid
), counted AS (
    UPDATE resource_providers p
    SET generation = p.generation + 1, updated_at = %(moment)s::timestamp
    FROM fits, locked l WHERE p.id = l.id
), booked AS (
    UPDATE inventories i SET used = i.used + r.delta
    FROM fits, room r WHERE i.id = r.id
    RETURNING i.resource_provider_id, i.resource_class_id, i.used
), told AS (
    INSERT INTO changes (provider_uuid, kind, created_at)
    SELECT l.uuid, 2, %(now)s FROM fits, locked l
    RETURNING id
)
SELECT l.uuid, b.resource_class_id, b.used, NULL::bigint
FROM booked b JOIN locked l ON l.id = b.resource_provider_id
UNION ALL
SELECT set_config('synchronous_commit', 'off', true), NULL, NULL, t.id FROM told t
"""


def _table(parameter: str, **columns: str) -> str:
    """Return a JSON array of arrays as a table."""
    kinds = {
        # Compared with columns of this collation, it must be of the same to find them by index.
        "uuid": "VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
        "int": "BIGINT",
    }
    listed = ", ".join(
        f"{name} {kinds[kind]} PATH '$[{at}]'" for at, (name, kind) in enumerate(columns.items())
    )
    return f"JSON_TABLE(%({parameter})s, '$[*]' COLUMNS ({listed}))"


_CONSUMERS = _table("consumers", uuid="uuid", project_id="int", user_id="int", type_id="int")
_AMOUNTS = _table("amounts", consumer="uuid", provider="uuid", class_id="int", used="int")
_PLACES = _table(
    "places", provider="uuid", class_id="int", delta="int", least="int", most="int", divisor="int"
)
_PROVIDERS = "JSON_TABLE(%(providers)s, '$[*]' COLUMNS (uuid VARCHAR(36) PATH '$'))"

# The provider's lock is taken last, by the UPDATE that needs it: in order of the uuids, and before
# those of its inventories, as the long way does. Left to itself the server would choose the order
# by the number of rows, and two claims would wait for each other in a circle.
MARIADB = f"""
BEGIN NOT ATOMIC
    DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    INSERT INTO consumers
        (uuid, project_id, user_id, consumer_type_id, generation, created_at)
    SELECT c.uuid, c.project_id, c.user_id, c.type_id, 1, %(moment)s FROM {_CONSUMERS} c;
    INSERT INTO allocations
        (resource_provider_id, consumer_id, resource_class_id, used, created_at)
    SELECT rp.id, a.consumer, a.class_id, a.used, %(moment)s
    FROM {_AMOUNTS} a JOIN resource_providers rp ON rp.uuid = a.provider;
    UPDATE {_PLACES} p
    STRAIGHT_JOIN resource_providers rp FORCE INDEX (uq_resource_providers_uuid)
        ON rp.uuid = p.provider
    STRAIGHT_JOIN inventories i
        FORCE INDEX (uq_inventories_resource_provider_id_resource_class_id)
        ON i.resource_provider_id = rp.id AND i.resource_class_id = p.class_id
    SET rp.generation = rp.generation + 1, rp.updated_at = %(moment)s, i.used = i.used + p.delta
    WHERE i.used + p.delta <= i.capacity
        AND i.min_unit <= p.least AND p.most <= i.max_unit AND p.divisor MOD i.step_size = 0;
    IF ROW_COUNT() <> %(met)s THEN
        ROLLBACK;
    ELSE
        INSERT INTO changes (provider_uuid, kind, created_at)
        SELECT u.uuid, 2, %(now)s FROM {_PROVIDERS} u RETURNING id;
        SELECT p.provider, p.class_id, i.used
        FROM {_PLACES} p
        JOIN resource_providers rp ON rp.uuid = p.provider
        JOIN inventories i ON i.resource_provider_id = rp.id AND i.resource_class_id = p.class_id;
        COMMIT;
    END IF;
END
"""  # noqa: S608 - put together of constants
