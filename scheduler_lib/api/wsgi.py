"""The application for WSGI servers: ``gunicorn scheduler_lib.api.wsgi:application``.

Options are read from the files that oslo.config finds for this library, or from those that
``SCHEDULER_LIB_CONFIG_FILES`` names, separated by the system's path separator. The application is
made when a server first asks for it, in the process that serves.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from scheduler_lib import conf as options
from scheduler_lib.api.app import PlacementApp, create_app

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from oslo_config.cfg import ConfigOpts

FILES = "SCHEDULER_LIB_CONFIG_FILES"


class LazyApplication:
    """Makes the application at the first request, in each process of its own.

    A server that loads it and forks would otherwise share one connection between its workers.

    :param environment: where the configuration files are named.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._lock = threading.Lock()
        self._made: tuple[int, PlacementApp] | None = None

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        return self._application()(environ, start_response)

    def _application(self) -> PlacementApp:
        with self._lock:
            if self._made is None or self._made[0] != os.getpid():
                self._made = (os.getpid(), create_app(self._conf()))
            return self._made[1]

    def _conf(self) -> ConfigOpts:
        named = self._environment.get(FILES)
        files = named.split(os.pathsep) if named else options.loading.default_config_files()
        return options.load(config_files=files, environment=self._environment)


application = LazyApplication(os.environ)
