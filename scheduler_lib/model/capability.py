"""What a backend promises; each declares its set, and the contract suite holds it to that."""

from __future__ import annotations

import enum


class Capability(enum.Enum):
    """One promise."""

    CLAIMS = "claims"
    """A selection holds its resources until they are released."""
    RELEASES = "releases"
    """Resources held by a consumer can be given back."""
    EXPLAINS = "explains"
    """Every host's failed checks can be asked for."""
    DRY_RUN = "dry_run"
    """A selection can be made without claiming anything."""
    EXACTLY_ONCE = "exactly_once"
    """A repeated request key gives the recorded answer and claims nothing twice."""
    ALL_OR_NOTHING = "all_or_nothing"
    """Several instances are placed together or not at all."""
    DURABLE = "durable"
    """What was accepted is still there after the process has ended."""
    READS_BACK = "reads_back"
    """Reports can be read and listed."""
    SHARED = "shared"
    """Other processes see what this one wrote."""
    NESTED = "nested"
    """Reports may carry nested providers, traits and aggregates."""
