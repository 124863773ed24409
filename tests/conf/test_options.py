"""Every option tells its reader what to write, and the sample can be generated."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import pytest
from oslo_config import cfg, generator

from scheduler_lib.conf.opts import list_opts

OPTIONS = [
    pytest.param(group, option, id=f"{group}.{option.name}")
    for group, options in list_opts()
    for option in options
]


@pytest.mark.parametrize(("group", "option"), OPTIONS)
def test_help_names_the_unit_or_the_possible_values(group: str, option: cfg.Opt) -> None:
    text = " ".join((option.help or "").split())
    assert re.search(r"(Possible values|Unit): \S+", text), group
    assert text.endswith(".")


def test_no_option_is_listed_twice() -> None:
    names = [(group, option.dest) for group, options in list_opts() for option in options]
    assert len(names) == len(set(names))


def test_the_entry_point_leads_to_the_list() -> None:
    (entry,) = importlib.metadata.entry_points(group="oslo.config.opts", name="scheduler_lib")
    assert entry.load() is list_opts


def test_the_sample_has_every_option(tmp_path: Path) -> None:
    sample = tmp_path / "sample.conf"
    conf = cfg.ConfigOpts()
    generator.register_cli_opts(conf)
    conf(
        ["--namespace", "scheduler_lib", "--output-file", str(sample)],
        project="x",
        default_config_files=[],
        default_config_dirs=[],
    )
    generator.generate(conf)
    text = sample.read_text()
    for group, options in list_opts():
        assert f"[{group}]" in text
        for option in options:
            assert re.search(rf"^#{option.dest} =", text, re.MULTILINE), option.dest
    assert str(Path.home()) not in text
