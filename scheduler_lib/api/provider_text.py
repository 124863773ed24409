"""Providers as JSON text: a list may have thousands of them, which differ by few words each."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from scheduler_lib.api import links
from scheduler_lib.api.call import Call
from scheduler_lib.model.record import ProviderRecord

_TREES_SINCE = 14
# Stands for a uuid in links; no uuid has such a character.
_GAP = "<uuid>"
_FORM = b'{"uuid":"%b","name":%b,"generation":%d,"links":%b%b}'


def one(call: Call, record: ProviderRecord) -> bytes:
    """Return a provider as it is shown at the call's microversion."""
    return _texts(call, [record])[0]


def listed(call: Call, records: Sequence[ProviderRecord]) -> bytes:
    """Return a list of providers as it is shown at the call's microversion."""
    return b'{"resource_providers":[%b]}' % b",".join(_texts(call, records))


def _texts(call: Call, records: Sequence[ProviderRecord]) -> list[bytes]:
    related = orjson.dumps(links.of_provider(call, _GAP, links.relations(call)))
    parts, nested = related.split(_GAP.encode()), call.since(_TREES_SINCE)
    texts = []
    for uuid, name, generation, root, parent, _ in records:
        key = uuid.encode()
        place = _place(root, parent) if nested else b""
        texts.append(_FORM % (key, orjson.dumps(name), generation, key.join(parts), place))
    return texts


def _place(root: str, parent: str | None) -> bytes:
    above = "null" if parent is None else f'"{parent}"'
    return f',"parent_provider_uuid":{above},"root_provider_uuid":"{root}"'.encode()
