"""The released Placement on a database of its own, answering requests line by line.

A process of its own: what it keeps for its whole process stays out of the tests.
"""

from __future__ import annotations

import json
import logging
import sys

from oslo_config import cfg
from placement import conf, db_api, deploy
from placement.db.sqlalchemy import migration
from webob import Request


def main(url: str) -> None:
    """Make the schema by Placement's own migrations, and answer until the input ends."""
    logging.disable(logging.CRITICAL)
    options = cfg.ConfigOpts()
    conf.register_opts(options)
    options.set_override("connection", url, "placement_database")
    options.set_override("auth_strategy", "noauth2", "api")
    options([], default_config_files=[], default_config_dirs=[])
    db_api.configure(options)
    migration.upgrade("head")
    app = deploy.loadapp(options)
    for line in sys.stdin:
        method, path, body, version = json.loads(line)
        request = Request.blank(path, method=method)
        request.headers["x-auth-token"] = "admin"
        request.headers["OpenStack-API-Version"] = f"placement {version}"
        if body is not None:
            request.headers["content-type"] = "application/json"
            request.body = json.dumps(body).encode()
        answer = request.get_response(app)
        sys.stdout.write(json.dumps([answer.status_int, answer.text]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
