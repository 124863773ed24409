"""openstack-placement itself as a WSGI app on a database in memory; several in one process.

It holds its database and its policy in globals: each app puts its own there before it answers, so
no two of them may be called at the same time.
"""

from __future__ import annotations

import copy
import functools
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

from oslo_config import cfg
from oslo_db.sqlalchemy import engines
from oslo_policy import opts as policy_opts
from oslo_policy import policy as oslo_policy
from placement import conf as placement_conf
from placement import db_api, deploy, policies, policy
from placement.db.sqlalchemy import migration

ALLOWED_ORIGIN = "http://valid.example.com"

StartResponse = Callable[..., Any]


class ReferenceApp:
    """One fresh openstack-placement."""

    def __init__(self, profile: str) -> None:
        self._conf = _configuration(profile)
        self._engine = engines.create_engine("sqlite://")
        self._enforcer = _enforcer(self._conf, profile)
        self.reset()
        self._app = deploy.deploy(self._conf)

    def reset(self) -> None:
        """Empty the database, all but the standard traits and classes."""
        with self._engine.connect() as connection:
            _template().backup(connection.connection.driver_connection)

    def forget_empty_consumers(self) -> None:
        """Delete the consumers that have no allocations; only a fault leaves such."""
        holders = "SELECT consumer_id FROM allocations"
        with self._engine.begin() as connection:
            connection.exec_driver_sql(f"DELETE FROM consumers WHERE uuid NOT IN ({holders})")

    def provider_generation(self, uuid: str) -> int | None:
        """Return a provider's generation; None when there is no such provider."""
        return self._generation("resource_providers", uuid)

    def consumer_generation(self, uuid: str) -> int | None:
        """Return a consumer's generation; None when there is no such consumer."""
        return self._generation("consumers", uuid)

    def _generation(self, table: str, uuid: str) -> int | None:
        asked = f"SELECT generation FROM {table} WHERE uuid = '{uuid}'"
        with self._engine.connect() as connection:
            found: int | None = connection.exec_driver_sql(asked).scalar_one_or_none()
        return found

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request from the own database, by the own policy."""
        restore = db_api.placement_context_manager.patch_engine(self._engine)
        policy._ENFORCER = self._enforcer
        try:
            answer = self._app(environ, start_response)
            return list(answer)
        finally:
            policy._ENFORCER = None
            restore()

    def close(self) -> None:
        """Drop the database."""
        self._engine.dispose()


def make_app(profile: str = "default") -> ReferenceApp:
    """Return a fresh openstack-placement.

    :param profile: one of the profiles of ``tests.conformance``.
    """
    return ReferenceApp(profile)


def _configuration(profile: str) -> cfg.ConfigOpts:
    conf = cfg.ConfigOpts()
    placement_conf.register_opts(conf)
    policy_opts.set_defaults(conf)
    conf.set_override("connection", "sqlite://", group="placement_database")
    conf.set_override("auth_strategy", "noauth2", group="api")
    secure = profile == "secure-rbac"
    conf.set_override("enforce_new_defaults", secure, group="oslo_policy")
    conf.set_override("policy_file", "/nowhere/policy.yaml", group="oslo_policy")
    if profile == "cors":
        conf.set_override("allowed_origin", [ALLOWED_ORIGIN], group="cors")
        conf.set_override("allow_headers", ["openstack-api-version"], group="cors")
    conf([], default_config_files=[], default_config_dirs=[])
    return conf


def _enforcer(conf: cfg.ConfigOpts, profile: str) -> oslo_policy.Enforcer:
    enforcer = oslo_policy.Enforcer(conf)
    enforcer.suppress_default_change_warnings = True
    enforcer.suppress_deprecation_warnings = True
    # The enforcer writes into the rules it is given.
    enforcer.register_defaults(copy.deepcopy(policies.list_rules()))
    enforcer.load_rules()
    if profile == "open-policy":
        names = {rule.name for rule in policies.list_rules()} - {"admin_api"}
        enforcer.set_rules(oslo_policy.Rules.from_dict(dict.fromkeys(names, "@")))
    return enforcer


@functools.cache
def _template() -> sqlite3.Connection:
    """Return a database with the schema and the standard names in it, made once a process."""
    conf = _configuration("default")
    db_api.configure(conf)
    engine = engines.create_engine("sqlite://")
    restore = db_api.placement_context_manager.patch_engine(engine)
    try:
        migration.create_schema(engine)
        deploy.update_database(conf)
    finally:
        restore()
    kept = sqlite3.connect(":memory:", check_same_thread=False)
    with engine.connect() as connection:
        connection.connection.driver_connection.backup(kept)
    engine.dispose()
    return kept
