"""Plug-ins are found by entry point, and problems with them are told clearly."""

import importlib.metadata
import subprocess
import sys

import pytest

from scheduler_lib import plugins
from scheduler_lib.exceptions import InvalidConfiguration, PluginNotFound
from scheduler_lib.query.fake import FakeQuery


def test_name_gives_the_class():
    assert plugins.load("scheduler_lib.query", "fake") is FakeQuery


def test_names_are_those_that_are_installed():
    assert {"local", "fake"} <= set(plugins.names("scheduler_lib.query"))


def test_unknown_name_is_told_with_what_there_is_and_the_nearest():
    with pytest.raises(PluginNotFound, match=r"installed: .*local.*Did you mean 'local'") as caught:
        plugins.load("scheduler_lib.query", "lokal")
    assert caught.value.fields["nearest"] == "local"


def test_unknown_namespace_has_nothing_installed():
    with pytest.raises(PluginNotFound, match="installed: nothing"):
        plugins.load("scheduler_lib.nonsense", "x")


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install distributions that provide plug-ins, for one interpreter of its own."""

    def install(distribution, namespace, name, value):
        info = tmp_path / f"{distribution}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(f"[{namespace}]\n{name} = {value}\n")

    def run(expression):
        code = (
            "import sys; sys.path.insert(0, sys.argv[1]);"
            "from scheduler_lib import plugins\n"
            "try:\n"
            f"    print('gave', {expression})\n"
            "except Exception as error:\n"
            "    print(type(error).__name__, error, 'from', type(error.__cause__).__name__)\n"
        )
        environment = {"STEVEDORE_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path)}
        command = [sys.executable, "-W", "error", "-c", code, str(tmp_path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    return install, run


def test_two_distributions_with_one_name_are_refused(installed):
    install, run = installed
    install("first", "scheduler_lib.query", "double", "collections:OrderedDict")
    install("second", "scheduler_lib.query", "double", "collections:Counter")
    told = run("plugins.load('scheduler_lib.query', 'double')")
    assert told.startswith(InvalidConfiguration.__name__)
    assert "collections:Counter, collections:OrderedDict" in told


def test_plug_in_that_cannot_be_imported_is_told_with_its_cause(installed):
    install, run = installed
    install("broken", "scheduler_lib.query", "broken", "no_such_module:Backend")
    told = run("plugins.load('scheduler_lib.query', 'broken')")
    assert told.startswith(PluginNotFound.__name__)
    assert "no_such_module" in told
    assert "from ModuleNotFoundError" in told


def test_plug_in_that_is_no_class_is_refused(installed):
    install, run = installed
    install("thing", "scheduler_lib.query", "thing", "os:environ")
    assert "no class" in run("plugins.load('scheduler_lib.query', 'thing')")


def test_only_the_named_plug_in_is_imported(installed):
    install, run = installed
    install("other", "scheduler_lib.query", "other", "turtledemo:Backend")
    told = run(
        "(plugins.load('scheduler_lib.query', 'fake').__name__, 'turtledemo' in sys.modules)"
    )
    assert "gave ('FakeQuery', False)" in told


def test_every_entry_point_of_ours_is_a_class():
    """A name in the packaging that leads nowhere would only fail at some operator's."""
    entries = importlib.metadata.entry_points()
    for namespace in plugins.NAMESPACES:
        ours = [e for e in entries.select(group=namespace) if e.value.startswith("scheduler_lib.")]
        assert ours, namespace
        for entry in ours:
            assert isinstance(plugins.load(namespace, entry.name), type), entry
