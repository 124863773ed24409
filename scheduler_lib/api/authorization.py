"""Who may do what: oslo.policy with Placement's rules."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from oslo_context.context import RequestContext
from oslo_policy import policy

from scheduler_lib.api import policies
from scheduler_lib.api.errors import ApiError

if TYPE_CHECKING:
    from oslo_config.cfg import ConfigOpts

LOG = logging.getLogger(__name__)


class Authorizer:
    """Asks the rules; files that change them are read again when they change.

    :param conf: the options, with the group ``[oslo_policy]``.
    :param overrides: check strings that replace the rules' own, by rule.
    """

    def __init__(self, conf: ConfigOpts, overrides: Mapping[str, str] | None = None) -> None:
        # The defaults changed long ago, and every rule would say so at each start.
        self._enforcer = policy.Enforcer(
            conf, policy_file=conf.oslo_policy.policy_file, use_conf=True
        )
        self._enforcer.suppress_default_change_warnings = True
        self._enforcer.suppress_deprecation_warnings = True
        self._enforcer.register_defaults(policies.rules(overrides or {}))

    def load(self) -> None:
        """Read the policy files, so that a broken one is told at the start."""
        self._enforcer.load_rules()

    def check(self, environ: dict[str, object], rule: str, target: Mapping[str, str]) -> None:
        """Go on only if the rule allows the caller the target.

        :param target: what the rule's check string may refer to, for example ``project_id``.
        :raises ApiError: 403.
        """
        context = RequestContext.from_environ(environ)
        asked: dict[str, object] = dict(target)
        if not asked:
            asked = {"project_id": context.project_id, "user_id": context.user_id}
        try:
            allowed = self._enforcer.authorize(rule, asked, context)
        except policy.InvalidScope:
            allowed = False
        if not allowed:
            LOG.debug("%s is not allowed to %s", context.user_id, rule)
            raise ApiError(403, f"Policy does not allow {rule} to be performed.")
