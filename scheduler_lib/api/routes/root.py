"""Operations of the root."""

from __future__ import annotations

from scheduler_lib.api.handlers import root
from scheduler_lib.api.operations import Operation

OPERATIONS = (
    Operation("GET", "/", root.show, "Which microversions there are.", gives_json=False),
)  # fmt: skip
