"""The root: which versions there are."""

from __future__ import annotations

from scheduler_lib.api.call import Call, Reply
from scheduler_lib.api.versions import MAXIMUM_TEXT, MINIMUM_TEXT


def show(call: Call) -> Reply:
    """Return the versions document."""
    version = {
        "id": f"v{MINIMUM_TEXT}",
        "max_version": MAXIMUM_TEXT,
        "min_version": MINIMUM_TEXT,
        "status": "CURRENT",
        "links": [{"rel": "self", "href": ""}],
    }
    return Reply(body={"versions": [version]}, modified_at=call.moment())
