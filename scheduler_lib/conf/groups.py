"""What an option group is here: options by the name of their group."""

from __future__ import annotations

from collections.abc import Mapping

from oslo_config import cfg

DEFAULT = "DEFAULT"

Options = Mapping[str, tuple[cfg.Opt, ...]]
