"""Serve openstack-placement over HTTP: ``python -m tests.twin.serve PORT``."""

from __future__ import annotations

import sys
import warnings

from waitress import serve

from tests.twin.reference import make_app

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    # One thread: all of them would share one database in memory.
    serve(make_app(), host="127.0.0.1", port=int(sys.argv[1]), threads=1)
