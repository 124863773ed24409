"""Tables of the reference agree with the code."""

from __future__ import annotations

import configparser
import importlib
import json
import re
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from oslo_config import cfg

from scheduler_lib import conf as options
from scheduler_lib import exceptions
from scheduler_lib.api import errors, openapi, policies, versions
from scheduler_lib.api.routes import OPERATIONS
from scheduler_lib.cmd.trace.placing import Amounts, Count
from scheduler_lib.cmd.trace.report import Outcome, summary
from scheduler_lib.exceptions import SchedulerLibError
from scheduler_lib.model.stats import ALIASES, KNOWN
from tests.serving import typed
from tests.twin.deviations import DEVIATIONS, MENDED, TOLERATED_HEADERS

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.rglob("*.rst"))


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def tree() -> dict[str, str]:
    classes = [getattr(exceptions, name) for name in exceptions.__all__]
    return {item.__name__: item.code for item in classes if issubclass(item, SchedulerLibError)}


def test_every_error_is_in_the_table_with_its_code() -> None:
    rows = re.findall(r"\* - ``(\w+)``\n     - ``([\w.]+)``", page("reference/errors.rst"))
    assert len(rows) == len(dict(rows))
    assert dict(rows) == tree()


def test_the_tree_is_drawn_as_in_the_code() -> None:
    drawn = (exceptions.__doc__ or "").split("::\n\n")[1].split("\n\nEach class")[0]
    assert textwrap.indent(textwrap.dedent(drawn), "   ") in page("reference/errors.rst")


def test_every_error_of_the_tree_is_exported_and_has_a_code_of_its_own() -> None:
    everything = {
        name
        for name, item in vars(exceptions).items()
        if isinstance(item, type) and issubclass(item, SchedulerLibError)
    }
    assert everything == set(tree())
    assert len(set(tree().values())) == len(everything)


def test_every_field_of_a_report_is_in_the_table() -> None:
    text = page("reference/stats.rst")
    rows = set(re.findall(r"\* - ``(\w+)``", text))
    aside = set(re.findall(r"``(\w+)``", text.split("Left aside")[1]))
    assert rows | aside | set(ALIASES) == KNOWN
    for alias in ALIASES:
        assert f"``{alias}``" in text


def test_every_figure_of_a_replay_is_in_the_table() -> None:
    figures = summary([Outcome(1, Count(), Amounts(), Amounts(), True)])
    rows = set(re.findall(r"\* - ``(\w+)``", page("howto/replay.rst")))
    assert set(figures) <= rows


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r":doc:`(?:[^`<]*<)?([^`>]+)>?`", text):
        base = DOCS if target.startswith("/") else path.parent
        assert (base / f"{target.lstrip('/')}.rst").is_file(), target


def blocks(text: str, kind: str) -> list[str]:
    found = re.findall(rf"^\.\. code-block:: {kind}\n\n((?:   .*\n|\n)+)", text, re.MULTILINE)
    return [textwrap.dedent(item).strip() + "\n" for item in found]


PROGRAMS = (
    "tutorial.rst",
    "howto/emulator.rst",
    "howto/move.rst",
    "howto/reshape.rst",
    "howto/shared_storage.rst",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_page_that_is_a_program_prints_what_it_says(name: str, tmp_path: Path) -> None:
    text = page(name)
    code = "\n".join(blocks(text, "python"))
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(blocks(text, "text"))


def test_the_example_of_devices_prints_what_its_page_says(tmp_path: Path) -> None:
    (told,) = blocks(page("howto/devices.rst"), "text")
    done = subprocess.run(
        [sys.executable, str(DOCS.parent / "examples" / "devices.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(done.stdout.splitlines()) == sorted(told.splitlines())


def test_the_commands_that_serve_answer(tmp_path: Path) -> None:
    (commands,) = blocks(page("howto/serve_placement.rst"), "sh")
    listed = json.loads(typed(commands, tmp_path))["resource_classes"]
    assert listed[0]["name"] == "VCPU"


@pytest.mark.parametrize("name", ["howto/serve_placement.rst", "howto/databases.rst"])
def test_every_option_that_is_named_is_one_and_takes_the_value(name: str, tmp_path: Path) -> None:
    known = options.load()
    options.placement.register_libraries(known)
    known.register_opts(auth_token_options(), group="keystone_authtoken")
    for number, text in enumerate(blocks(page(name), "ini")):
        path = tmp_path / f"{number}.conf"
        path.write_text(text, encoding="utf-8")
        parser = configparser.ConfigParser(interpolation=None)
        parser.read_string(text)
        read = cfg.ConfigOpts()
        for group in parser.sections():
            for option in parser[group]:
                read.register_opt(known._get_opt_info(option, group)["opt"], group=group)
        read([], default_config_files=[str(path)])
        for group in parser.sections():
            for option in parser[group]:
                assert read[group][option] is not None


def test_every_operation_is_in_the_reference_of_the_placement_api() -> None:
    titles = Counter(re.findall(r"^([A-Z]+ /\S*)", "\n".join(extension().reference()), re.M))
    assert set(titles) == {f"{item.method} {item.path}" for item in OPERATIONS}


def test_every_rule_and_every_parameter_is_in_the_reference_of_the_placement_api() -> None:
    text = "\n".join(extension().reference())
    document = openapi.document(OPERATIONS, "1.2.3")
    for rule in policies.list_rules():
        assert not rule.name.startswith("placement:") or f"``{rule.name}``" in text
    for path in document["paths"].values():
        for described in path.values():
            for parameter in described["parameters"]:
                assert "name" not in parameter or f"``{parameter['name']}``" in text


def test_every_microversion_is_in_the_reference_of_the_placement_api() -> None:
    told = re.findall(r"^   \* - (1\.\d+)$", "\n".join(extension().history()), re.M)
    assert told == [versions.text(minor) for minor in range(versions.LATEST + 1)]


def test_every_code_of_the_placement_api_is_explained() -> None:
    told = re.findall(r"\* - ``(placement\.[\w.]+)``", page("reference/placement_api.rst"))
    codes = {value for value in vars(errors).values() if str(value).startswith("placement.")}
    assert sorted(told) == sorted(codes)


def test_every_difference_from_openstack_placement_is_explained() -> None:
    text = page("explanation/placement.rst")
    for name in (*[item.name for item in DEVIATIONS], *[name for name, _ in MENDED]):
        assert f"*{name}*" in text
    for name, _, _ in TOLERATED_HEADERS:
        assert f"``{name}``" in text


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_page_is_found_from_the_first_one(path: Path) -> None:
    name = str(path.relative_to(DOCS).with_suffix(""))
    assert name == "index" or name in page("index.rst")


def extension() -> ModuleType:
    """Return what writes the reference of the Placement API."""
    sys.path.insert(0, str(DOCS / "ext"))
    try:
        return importlib.import_module("placement_reference")
    finally:
        sys.path.pop(0)


def auth_token_options() -> list[cfg.Opt]:
    """Return the options of keystonemiddleware, and those of signing in by a password."""
    from keystoneauth1 import loading
    from keystonemiddleware.auth_token import _opts

    listed = [option for _, found in _opts.list_opts() for option in found]
    plugin = loading.get_plugin_loader("password").get_options()
    names = {option.dest for option in listed}
    more = [option._to_oslo_opt() for option in plugin]
    return [*listed, *[option for option in more if option.dest not in names]]
