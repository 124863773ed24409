"""Operations of allocation candidates."""

from __future__ import annotations

from scheduler_lib.api.handlers import allocation_candidates
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas import allocation_candidates as schemas
from scheduler_lib.api.schemas import answers

OPERATIONS = (
    Operation(
        "GET", "/allocation_candidates", allocation_candidates.find,
        "Find out who can give what is asked for.",
        rule="placement:allocation_candidates:list",
        since=10,
        query=schemas.LIST,
        answers={200: "Candidates, and what there is to know of their providers."},
        gives=answers.CANDIDATES,
    ),
)  # fmt: skip
