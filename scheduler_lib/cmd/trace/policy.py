"""Policies by name: which weighers order the hosts, and which way."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from scheduler_lib.cmd.trace.mapping import GPU_CLASS


class Policy(enum.Enum):
    """How a replay chooses among the hosts that fit."""

    PACK = "pack"
    """The fullest host first."""
    SPREAD = "spread"
    """The emptiest host first."""
    RANDOM = "random"
    """Any host that fits."""
    FRAGMENTATION = "fragmentation"
    """The host whose leftovers stay useful to the tasks seen so far."""


SETTINGS: Mapping[Policy, Mapping[str, object]] = {
    Policy.PACK: {
        "enabled_weighers": ["packing"],
        "packing_weight_multiplier": 1.0,
        # The devices are what a GPU cluster runs out of.
        "packing_resource_weights": {GPU_CLASS: 10.0},
    },
    Policy.SPREAD: {"enabled_weighers": ["packing"], "packing_weight_multiplier": -1.0},
    Policy.RANDOM: {"enabled_weighers": [], "shuffle_best_same_weighed_hosts": True},
    Policy.FRAGMENTATION: {
        "enabled_weighers": ["fragmentation"],
        "fragmentation_weight_multiplier": 1.0,
    },
}
"""Options of ``[filter_scheduler]`` by policy."""
