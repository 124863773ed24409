"""What operations answer with at the newest microversion, for the API's document.

``x-min-version`` says since when a field is there; what has none was there from the beginning of
its operation. Nobody checks an answer before it is sent: tests hold the handlers to these.
"""

from __future__ import annotations

from typing import Final

from scheduler_lib.api.schemas.parts import (
    CLASS_PATTERN,
    DASHED_UUID,
    MAX_INTEGER,
    Data,
    closed,
    since,
)

_UUID: Final[Data] = {**DASHED_UUID, "examples": ["4e8e5957-649f-477b-9e5b-f1f75b21c03c"]}
_UUID_KEY: Final = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
_COUNT: Final[Data] = {"type": "integer", "minimum": 0}
_GENERATION: Final[Data] = {**_COUNT, "description": "To be sent back with the next write."}
_SYMBOL: Final[Data] = {"type": "string", "pattern": CLASS_PATTERN, "maxLength": 255}
_PARENT: Final[Data] = {"anyOf": [_UUID, {"type": "null"}]}
_OF_PROVIDER: Final[Data] = {"resource_provider_generation": _GENERATION}


def _whole(properties: Data) -> Data:
    """Return the schema of an object that has all of these properties, always."""
    return closed(properties, tuple(properties))


def _listed(items: Data, **rest: object) -> Data:
    return {"type": "array", "items": items, **rest}


def _mapped(key: str, values: Data, **rest: object) -> Data:
    return {**closed({}), "patternProperties": {key: values}, **rest}


def _linked(*relations: str) -> Data:
    href: Data = {"type": "string", "description": "A path, from the root of the server."}
    return _listed(_whole({"rel": {"type": "string", "enum": list(relations)}, "href": href}))


_AMOUNTS: Final[Data] = _mapped(
    CLASS_PATTERN, _COUNT, description="Whole units by resource class.", examples=[{"VCPU": 2}]
)

VERSIONS: Final[Data] = _whole(
    {
        "versions": _listed(
            _whole(
                {
                    "id": {"type": "string", "const": "v1.0"},
                    "min_version": {"type": "string"},
                    "max_version": {"type": "string"},
                    "status": {"type": "string", "const": "CURRENT"},
                    "links": _linked("self"),
                }
            )
        )
    }
)

PROVIDER: Final[Data] = _whole(
    {
        "uuid": _UUID,
        "name": {"type": "string", "minLength": 1, "maxLength": 200},
        "generation": _GENERATION,
        "parent_provider_uuid": since(14, _PARENT),
        "root_provider_uuid": since(14, _UUID),
        "links": {
            **_linked("self", "inventories", "usages", "aggregates", "traits", "allocations"),
            "description": "To aggregates since 1.1, to traits since 1.6, to allocations since "
            "1.11.",
        },
    }
)
PROVIDERS: Final[Data] = _whole({"resource_providers": _listed(PROVIDER)})

_UNITS: Final[Data] = {"type": "integer", "minimum": 1, "maximum": MAX_INTEGER}
_INVENTORY: Final[Data] = {
    "total": _UNITS,
    "reserved": {**_UNITS, "minimum": 0},
    "min_unit": _UNITS,
    "max_unit": _UNITS,
    "step_size": _UNITS,
    "allocation_ratio": {"type": "number", "minimum": 0},
}
INVENTORY: Final[Data] = _whole({**_INVENTORY, **_OF_PROVIDER})
INVENTORIES: Final[Data] = _whole(
    {"inventories": _mapped(CLASS_PATTERN, _whole(_INVENTORY)), **_OF_PROVIDER}
)

AGGREGATES: Final[Data] = _whole(
    {
        "aggregates": _listed(_UUID, uniqueItems=True),
        "resource_provider_generation": since(19, _GENERATION),
    }
)

TRAITS: Final[Data] = _whole({"traits": _listed(_SYMBOL, uniqueItems=True)})
TRAITS_OF_PROVIDER: Final[Data] = _whole(
    {"traits": _listed(_SYMBOL, uniqueItems=True), **_OF_PROVIDER}
)

RESOURCE_CLASS: Final[Data] = _whole({"name": _SYMBOL, "links": _linked("self")})
RESOURCE_CLASSES: Final[Data] = _whole({"resource_classes": _listed(RESOURCE_CLASS)})

USAGES_OF_PROVIDER: Final[Data] = _whole({"usages": _AMOUNTS, **_OF_PROVIDER})
_OF_TYPE: Final[Data] = {
    **_AMOUNTS,
    "properties": {"consumer_count": _COUNT},
    "required": ["consumer_count"],
    "examples": [{"VCPU": 2, "consumer_count": 1}],
}
USAGES_OF_PROJECT: Final[Data] = _whole(
    {
        "usages": {
            "type": "object",
            "additionalProperties": _OF_TYPE,
            "description": "By type of consumers since 1.38, `unknown` for those without, `all` "
            "where that is asked for; before, whole units by resource class.",
        }
    }
)

_SHARE: Final[Data] = _whole({"resources": _AMOUNTS, "generation": _GENERATION})
ALLOCATIONS: Final[Data] = {
    **closed(
        {
            "allocations": _mapped(
                _UUID_KEY, _SHARE, description="By provider; empty for a consumer without any."
            ),
            "project_id": since(12, {"type": "string"}),
            "user_id": since(12, {"type": "string"}),
            "consumer_generation": since(28, _GENERATION),
            "consumer_type": since(
                38, {"type": "string", "description": "`unknown` for one that was written without."}
            ),
        },
        ("allocations",),
    ),
    "description": "A consumer without allocations has none of the other fields.",
}
HOLDERS: Final[Data] = _whole(
    {
        "allocations": _mapped(
            _UUID_KEY,
            _whole({"resources": _AMOUNTS, "consumer_generation": since(28, _GENERATION)}),
            description="By consumer.",
        ),
        **_OF_PROVIDER,
    }
)

_CANDIDATE: Final[Data] = _whole(
    {
        "allocations": _mapped(
            _UUID_KEY,
            _whole({"resources": _AMOUNTS}),
            description="By provider; a list before 1.12.",
        ),
        "mappings": since(
            34,
            _mapped(
                "^[a-zA-Z0-9_-]{0,64}$",
                _listed(_UUID, minItems=1),
                description="The providers of each group, by its suffix.",
            ),
        ),
    }
)
_STOCK: Final[Data] = _whole({"capacity": _COUNT, "used": _COUNT})
_SUMMARY: Final[Data] = _whole(
    {
        "resources": _mapped(
            CLASS_PATTERN, _STOCK, description="Before 1.27 only what was asked for."
        ),
        "traits": since(17, _listed(_SYMBOL, uniqueItems=True)),
        "parent_provider_uuid": since(29, _PARENT),
        "root_provider_uuid": since(29, _UUID),
    }
)
CANDIDATES: Final[Data] = _whole(
    {
        "allocation_requests": _listed(
            _CANDIDATE,
            description="Each can be claimed with PUT /allocations/{consumer_uuid}, once the "
            "consumer's project, user, generation and type are added.",
        ),
        "provider_summaries": _mapped(
            _UUID_KEY, _SUMMARY, description="Every provider of every tree that can give something."
        ),
    }
)
