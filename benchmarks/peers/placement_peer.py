"""openstack-placement 16.0.0 as a WSGI application in this process, as it is released.

Its database and its policy are globals of its modules: only one of its applications answers at a
time.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from oslo_config import cfg
from oslo_db.sqlalchemy import enginefacade
from oslo_policy import opts as policy_options
from placement import conf as placement_conf
from placement import db_api, deploy, policy
from placement.db.sqlalchemy import migration
from placement.objects import resource_class, trait

from benchmarks.placement.calls import Caller


class PlacementPeer:
    """openstack-placement, with tokens taken at their word and everything else by default."""

    name = "openstack-placement"
    clock_ns = staticmethod(time.process_time_ns)

    def create(self, url: str) -> None:
        """Make its tables in an empty database, with the standard names."""
        with _connected(_options(url)) as conf:
            migration.create_schema(db_api.get_placement_engine())
            deploy.update_database(conf)

    @contextmanager
    def serving(self, url: str) -> Iterator[Caller]:
        """Give its application over a database."""
        with _connected(_options(url)) as conf:
            # What it does not expect, such as a locked database, is counted by its status.
            logging.getLogger("placement.fault_wrap").setLevel(logging.CRITICAL)
            yield Caller(deploy.loadapp(conf))


def with_its_driver(url: str) -> str:
    """Give the URL with the driver that it can use; with psycopg 3 its claims fail."""
    return url.replace("postgresql+psycopg:", "postgresql+psycopg2:")


def _options(url: str) -> cfg.ConfigOpts:
    conf = cfg.ConfigOpts()
    placement_conf.register_opts(conf)
    policy_options.set_defaults(conf)
    conf.set_override("connection", with_its_driver(url), group="placement_database")
    conf.set_override("auth_strategy", "noauth2", group="api")
    conf([], default_config_files=[], default_config_dirs=[])
    return conf


@contextmanager
def _connected(conf: cfg.ConfigOpts) -> Iterator[cfg.ConfigOpts]:
    """Let its modules work on this database, and on none before or after."""
    manager = enginefacade.transaction_context()
    options = dict(conf.placement_database.items())
    del options["sync_on_startup"]
    manager.configure(**options)
    restore = db_api.placement_context_manager.patch_factory(manager)
    trait._TRAITS_SYNCED = resource_class._RESOURCE_CLASSES_SYNCED = False
    policy.reset()
    try:
        yield conf
    finally:
        manager.writer.get_engine().dispose()
        restore()
