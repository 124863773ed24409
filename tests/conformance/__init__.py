"""openstack-placement's own gabbi files, run against any server that speaks its API.

Nothing is copied: the files are read out of the installed openstack-placement, and servers are
filled through their HTTP API alone.

    python -m tests.conformance --app scheduler_lib.testing.api:make_app
    python -m tests.conformance --serve 'scheduler-lib serve placement --port {port}'
    python -m tests.conformance --url http://127.0.0.1:8778 --wipe

Only "all pass" says something: of deliberate defects, "every 409 becomes 400" passes 96.8 % of the
tests, "isolate is treated as none" 99.2 %, "candidates are always empty" 90.1 %.
"""
