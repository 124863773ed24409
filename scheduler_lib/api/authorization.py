"""Who may do what: oslo.policy with Placement's rules."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from oslo_context.context import RequestContext
from oslo_policy import policy

from scheduler_lib.api import policies
from scheduler_lib.api.errors import ApiError
from scheduler_lib.exceptions import InvalidConfiguration
from scheduler_lib.model.clock import Clock

if TYPE_CHECKING:
    from oslo_config.cfg import ConfigOpts

LOG = logging.getLogger(__name__)

# How long a verdict holds: oslo.policy looks for changed files at each question, which takes ten
# times as long as all else that a request passes through.
FRESH_S = 1.0
_MOST_VERDICTS = 10_000

# Everything of a request that a rule can look at (oslo.context reads these headers).
_CREDENTIALS = tuple(
    f"HTTP_{name}"
    for name in (
        "X_USER_ID", "X_USER", "X_PROJECT_ID", "X_TENANT_ID", "X_TENANT", "X_ROLES", "X_ROLE",
        "X_DOMAIN_ID", "X_USER_DOMAIN_ID", "X_PROJECT_DOMAIN_ID", "OPENSTACK_SYSTEM_SCOPE",
        "X_IS_ADMIN_PROJECT", "X_SERVICE_USER_ID", "X_SERVICE_PROJECT_ID", "X_SERVICE_ROLES",
        "X_SERVICE_USER_DOMAIN_ID", "X_SERVICE_PROJECT_DOMAIN_ID",
    )
)  # fmt: skip

Question = tuple[object, ...]


class Authorizer:
    """Asks the rules; files that change them are read again within a second.

    :param conf: the options, with the group ``[oslo_policy]``.
    :param clock: how long ago a question was asked before.
    :param overrides: check strings that replace the rules' own, by rule.
    """

    def __init__(
        self, conf: ConfigOpts, clock: Clock, overrides: Mapping[str, str] | None = None
    ) -> None:
        self._enforcer = policy.Enforcer(conf)
        # The defaults changed long ago, and every rule would say so at each start.
        self._enforcer.suppress_default_change_warnings = True
        self._enforcer.suppress_deprecation_warnings = True
        self._enforcer.register_defaults(policies.rules(overrides or {}))
        self._clock = clock
        self._verdicts: dict[Question, bool] = {}
        self._fresh_until = 0.0

    def load(self) -> None:
        """Read the policy files, so that a broken one is told at the start.

        :raises InvalidConfiguration: for one that cannot be read.
        """
        try:
            self._enforcer.load_rules()
        except (ValueError, OSError) as error:
            told = " ".join(str(error).split())
            raise InvalidConfiguration(
                f"A policy file cannot be read: {told}.", field="oslo_policy.policy_file"
            ) from error

    def check(self, environ: dict[str, object], rule: str, target: Mapping[str, str]) -> None:
        """Go on only if the rule allows the caller the target.

        :param target: what the rule's check string may refer to, for example ``project_id``.
        :raises ApiError: 403.
        """
        now = self._clock.monotonic()
        if now >= self._fresh_until or len(self._verdicts) >= _MOST_VERDICTS:
            self._verdicts = {}
            self._fresh_until = now + FRESH_S
        verdicts = self._verdicts
        question = (rule, *target.items(), *[environ.get(name) for name in _CREDENTIALS])
        allowed = verdicts.get(question)
        if allowed is None:
            allowed = verdicts[question] = self._asked(environ, rule, target)
        if not allowed:
            LOG.debug("%s is refused by %s", environ.get("HTTP_X_USER_ID"), rule)
            raise ApiError(403, f"Policy does not allow {rule} to be performed.")

    def _asked(self, environ: dict[str, object], rule: str, target: Mapping[str, str]) -> bool:
        context = RequestContext.from_environ(environ)
        asked: dict[str, object] = dict(target)
        if not asked:
            asked = {"project_id": context.project_id, "user_id": context.user_id}
        try:
            return self._authorized(rule, asked, context)
        except policy.InvalidScope:
            return False

    def _authorized(self, rule: str, asked: dict[str, object], context: RequestContext) -> bool:
        try:
            return bool(self._enforcer.authorize(rule, asked, context))
        except (ValueError, OSError) as error:
            # A file was changed, and cannot be read now; oslo.policy says so once.
            told = " ".join(str(error).split())
            LOG.exception("A policy file cannot be read; the rules of before stay: %s", told)
            return bool(self._enforcer.authorize(rule, asked, context))
