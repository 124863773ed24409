"""Operations of usages."""

from __future__ import annotations

from scheduler_lib.api.handlers import usages
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas import answers
from scheduler_lib.api.schemas import usages as schemas

OPERATIONS = (
    Operation(
        "GET", "/resource_providers/{uuid}/usages", usages.of_provider,
        "Show what is used of a provider.",
        rule="placement:resource_providers:usages",
        answers={200: "What is used, by resource class."},
        gives=answers.USAGES_OF_PROVIDER,
    ),
    Operation(
        "GET", "/usages", usages.of_project, "Show what is used by a project.",
        rule="placement:usages",
        target=usages.project,
        since=9,
        query=schemas.SUM,
        answers={200: "What is used; since 1.38 by type of consumers."},
        gives=answers.USAGES_OF_PROJECT,
    ),
)  # fmt: skip
