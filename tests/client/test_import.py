"""Importing the library is light; what is heavy comes with the first call."""

import json
import subprocess
import sys

import pytest

HEAVY = ("numpy", "oslo_config", "oslo_db", "oslo_messaging", "sqlalchemy", "alembic", "stevedore",
         "tenacity", "os_traits", "fixtures")  # fmt: skip

PROGRAM = """
import json, sys, time
before = set(sys.modules)
started = time.perf_counter()
{statement}
seconds = time.perf_counter() - started
print(json.dumps([sorted(set(sys.modules) - before), seconds]))
"""


def imported(statement):
    program = PROGRAM.format(statement=statement)
    # -I: no site of the user, no environment; coverage and other hooks stay out too.
    command = [sys.executable, "-I", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules, seconds = json.loads(done.stdout)
    return {name.partition(".")[0] for name in modules}, modules, seconds


LIGHT = [
    "import scheduler_lib",
    "from scheduler_lib import SchedulerClient",
    "from scheduler_lib import SchedulerClient; SchedulerClient()",
    "import scheduler_lib.exceptions, scheduler_lib.testing",
    "from scheduler_lib.testing import FakeQuery, FakeReport, a_host, a_request",
]


@pytest.mark.parametrize("statement", LIGHT)
def test_import_loads_nothing_heavy(statement):
    roots, _, _ = imported(statement)
    assert roots.isdisjoint(HEAVY)


def test_client_on_fakes_loads_nothing_heavy():
    statement = (
        "from scheduler_lib import SchedulerClient;"
        "from scheduler_lib.testing import FakeQuery, FakeReport, a_request;"
        "client = SchedulerClient(query=FakeQuery(), report=FakeReport());"
        "client.select(None, a_request(VCPU=1).build()); client.close()"
    )
    roots, _, _ = imported(statement)
    assert roots.isdisjoint(HEAVY)


def test_import_of_the_package_is_a_few_modules():
    _, modules, _ = imported("import scheduler_lib")
    assert len(modules) < 10


def test_import_of_the_client_is_a_bounded_number_of_modules():
    _, modules, _ = imported("from scheduler_lib import SchedulerClient")
    assert len(modules) < 120


def test_import_takes_a_moment():
    """The promise is 50 ms; machines under load get the best of five."""
    assert min(imported("import scheduler_lib")[2] for _ in range(5)) < 0.05


def test_pytest_plugin_loads_nothing_of_the_library_but_itself():
    _, modules, _ = imported("import pytest, scheduler_lib.testing.pytest_plugin")
    ours = [name for name in modules if name.startswith("scheduler_lib")]
    assert ours == ["scheduler_lib", "scheduler_lib.testing", "scheduler_lib.testing.pytest_plugin"]
