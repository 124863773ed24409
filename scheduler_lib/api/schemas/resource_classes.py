"""Resource classes."""

from __future__ import annotations

from typing import Final

from scheduler_lib.api.operations import Versioned
from scheduler_lib.api.schemas.parts import CUSTOM_NAME, closed
from scheduler_lib.api.validation import Schema

NAMED: Final = Schema(closed({"name": CUSTOM_NAME}, ("name",)))
CREATE: Final[Versioned] = {2: NAMED}
RENAME: Final[Versioned] = {2: NAMED}
