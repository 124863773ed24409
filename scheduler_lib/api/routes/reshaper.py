"""Operations of the reshaper."""

from __future__ import annotations

from scheduler_lib.api.handlers import reshaper
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.schemas import reshaper as schemas

OPERATIONS = (
    Operation(
        "POST", "/reshaper", reshaper.reshape,
        "Replace inventories and move what is held of them, all or nothing.",
        rule="placement:reshaper:reshape",
        since=30,
        body=schemas.RESHAPE,
        answers={204: "Done."},
        gives_json=False,
    ),
)  # fmt: skip
