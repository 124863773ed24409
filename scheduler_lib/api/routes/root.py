"""Operations of the root."""

from __future__ import annotations

from scheduler_lib.api.handlers import root
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas import answers

OPERATIONS = (
    Operation(
        "GET", "/", root.show, "Tell which microversions there are.",
        answers={200: "The oldest and the newest one."},
        gives=answers.VERSIONS,
        gives_json=False,
    ),
)  # fmt: skip
