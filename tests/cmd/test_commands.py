"""The commands on a database: what they print, and how they say no."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scheduler_lib.cmd.demo import shown_code
from scheduler_lib.cmd.main import main
from tests.cmd.conftest import Command

CONSUMER = "5a1cf4bb-8d0b-4d53-9d9c-0f4e2d2a7a55"
COMMANDS = [
    "demo", "replay", "select", "explain", "host list", "host show", "host delete",
    "provider tree", "db upgrade", "db current", "db import-placement", "serve placement",
]  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(command: Command, name: str) -> None:
    done = command(*name.split(), "--help")
    assert done.code == 0
    assert f"usage: scheduler-lib {name}" in done.out


def test_without_arguments_the_commands_are_listed(command: Command) -> None:
    with pytest.raises(SystemExit) as caught:
        command()
    assert not caught.value.code


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_no_color_is_honoured_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    with pytest.raises(SystemExit):
        main(["--help"], out, io.StringIO())
    assert "host list" in out.getvalue()
    assert "\x1b" not in out.getvalue()


def test_an_unknown_command_is_bad_usage(command: Command) -> None:
    assert command("hosts", "list").code == 2


@pytest.mark.parametrize("arguments", [("select", "--count", "0"), ("replay",), ("host", "show")])
def test_arguments_that_cannot_be_understood_are_bad_usage(
    command: Command, arguments: tuple[str, ...]
) -> None:
    with pytest.raises(SystemExit) as caught:
        command(*arguments)
    assert caught.value.code == 2


def test_the_demonstration_shows_who_went_where_and_why_not_in_under_ten_seconds(
    command: Command,
) -> None:
    started = time.monotonic()
    done = command("demo")
    assert time.monotonic() - started < 10
    assert (done.code, done.err) == (0, "")
    assert "6 hosts reported; 8 instances have a place" in done.out
    assert len(re.findall(r"^  (?:web|db|batch)-\d +host\d$", done.out, re.MULTILINE)) == 8
    refused = done.out.partition("cannot be met. huge:")[2].partition("ten lines")[0]
    assert len(re.findall(r"^  host\d .*90112.*$", refused, re.MULTILINE)) == 6
    assert "\x1b" not in done.out


def test_the_demonstration_shows_the_ten_lines_that_ran(command: Command) -> None:
    shown = shown_code()
    assert len(shown.splitlines()) == 10
    assert all(f"    {line}\n" in command("demo").out for line in shown.splitlines())


@pytest.mark.usefixtures("two_hosts")
def test_hosts_are_listed_with_what_is_used_of_what_may_be_used(on_books: Command) -> None:
    first, second = on_books("host", "list", "-f", "json").json
    assert (first["host"], first["node"], first["state"]) == ("h1", "h1", "enabled")
    assert first["resources"] == {"DISK_GB": "0/100", "MEMORY_MB": "0/8192", "VCPU": "0/4"}
    assert (second["host"], second["node"]) == ("h2", "n2")


@pytest.mark.usefixtures("two_hosts")
@pytest.mark.parametrize("form", ["table", "json", "yaml", "csv", "value"])
def test_every_format_can_print_a_list(on_books: Command, form: str) -> None:
    done = on_books("host", "list", "-f", form)
    assert (done.code, done.err) == (0, "")
    assert "h1" in done.out
    assert "\x1b" not in done.out


@pytest.mark.usefixtures("two_hosts")
def test_one_host_is_shown_with_everything(on_books: Command) -> None:
    shown = on_books("host", "show", "h2", "n2", "-f", "json").json
    assert (shown["host"], shown["hypervisor_hostname"], shown["vcpus"]) == ("h2", "n2", 8)
    assert shown["traits"] == ["STORAGE_DISK_SSD"]


@pytest.mark.usefixtures("two_hosts")
def test_a_selection_claims_and_a_dry_run_does_not(on_books: Command) -> None:
    ask = ("select", "--resource", "VCPU=2", "--consumer", CONSUMER, "-f", "json")
    (dry,) = on_books(*ask, "--dry-run").json
    assert (dry["consumer"], dry["host"], dry["claimed"]) == (CONSUMER, "h2", False)
    assert on_books("host", "list", "-f", "json").json[1]["resources"]["VCPU"] == "0/8"
    (wet,) = on_books(*ask).json
    assert (wet["host"], wet["node"], wet["claimed"], wet["alternates"]) == (
        "h2", "n2", True, ["h1"],
    )  # fmt: skip
    assert list(wet["allocations"].values()) == [{"VCPU": 2}]
    assert on_books("host", "list", "-f", "json").json[1]["resources"]["VCPU"] == "2/8"


@pytest.mark.usefixtures("two_hosts")
def test_a_group_is_served_by_a_nested_provider(on_books: Command) -> None:
    group = "gpu:CUSTOM_GPU_MILLI=400;required=CUSTOM_GPU_T4"
    (got,) = on_books("select", "--resource", "VCPU=1", "--group", group, "-f", "json").json
    assert got["host"] == "h2"
    root, gpu = on_books("provider", "tree", "n2", "-f", "json").json
    assert (root["parent"], gpu["parent"]) == (None, root["uuid"])
    assert root["resources"]["VCPU"] == "1/8"
    assert (gpu["name"], gpu["resources"]) == ("h2-gpu0", {"CUSTOM_GPU_MILLI": "400/1000"})
    assert gpu["traits"] == ["CUSTOM_GPU_T4"]


@pytest.mark.usefixtures("two_hosts")
def test_a_tree_is_indented_for_people(on_books: Command) -> None:
    assert "|   h2-gpu0 " in on_books("provider", "tree", "n2").out


@pytest.mark.usefixtures("two_hosts")
def test_the_same_request_key_claims_once(on_books: Command) -> None:
    ask = (
        "select", "--resource", "VCPU=2", "--consumer", CONSUMER, "--request-key", "k",
        "-f", "json",
    )  # fmt: skip
    assert on_books(*ask).json == on_books(*ask).json
    assert on_books("host", "list", "-f", "json").json[1]["resources"]["VCPU"] == "2/8"


@pytest.mark.usefixtures("two_hosts")
def test_a_request_that_cannot_be_met_is_told_in_one_line_with_what_to_do(
    on_books: Command,
) -> None:
    done = on_books("select", "--resource", "VCPU=99")
    assert (done.code, done.out) == (1, "")
    assert done.err.count("\n") == 1
    assert "scheduler-lib explain" in done.err


@pytest.mark.usefixtures("two_hosts")
def test_every_host_says_why_not_with_its_numbers(on_books: Command) -> None:
    verdicts = on_books("explain", "--resource", "VCPU=6", "-f", "json").json
    assert [(item["host"], item["fits"]) for item in verdicts] == [("h2", True), ("h1", False)]
    (reason,) = verdicts[1]["reasons"]
    assert (reason["check"], reason["kind"]) == ("VCPU", "never")
    assert (reason["asked"], reason["free"], reason["limit"]) == (6, 4, 4)


@pytest.mark.usefixtures("two_hosts")
def test_a_host_in_use_is_not_deleted_and_an_empty_one_is(on_books: Command) -> None:
    on_books("select", "--resource", "VCPU=2")
    refused = on_books("host", "delete", "h2", "n2")
    assert refused.code == 1
    assert refused.err.count("\n") == 1
    assert on_books("host", "delete", "h1").code == 0
    assert [item["host"] for item in on_books("host", "list", "-f", "json").json] == ["h2"]


def test_an_error_shows_its_traceback_only_on_demand(on_books: Command) -> None:
    plain = on_books("host", "show", "nobody")
    assert plain.code == 1
    assert "Traceback" not in plain.err
    loud = on_books("host", "show", "nobody", "--debug")
    assert loud.code == 1
    assert "Traceback" in loud.err


def test_the_schema_is_made_and_named(on_books: Command) -> None:
    first = on_books("db", "upgrade", "-f", "json").json
    assert first["revision"]
    assert on_books("db", "upgrade", "-f", "json").json == {
        "before": first["revision"],
        "revision": first["revision"],
    }
    assert on_books("db", "current", "-f", "json").json == {"revision": first["revision"]}


def test_a_configuration_file_is_read_and_the_connection_wins(
    command: Command, url: str, tmp_path: Path
) -> None:
    file = tmp_path / "my.conf"
    file.write_text(f"[database]\nconnection = {url}\n")
    assert command("--config-file", str(file), "host", "list", "-f", "json").json == []
    assert Path(url.removeprefix("sqlite:///")).exists()
    other = tmp_path / "other.sqlite"
    arguments = ("--config-file", str(file), "--connection", f"sqlite:///{other}")
    assert command(*arguments, "host", "list", "-f", "json").json == []
    assert other.exists()


def test_a_broken_configuration_is_told_in_one_line(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "my.conf"
    file.write_text("[database]\nmax_pool_size = many\n")
    done = command("--config-file", str(file), "host", "list")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "max_pool_size" in done.err


def test_whoever_stops_reading_gets_no_complaint(url: str, two_hosts: None) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "scheduler_lib", "--connection", url, "host", "list"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ},
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)
    assert (process.returncode, err) == (141, b"")


@pytest.mark.usefixtures("two_hosts")
def test_a_request_may_come_from_a_file(on_books: Command, tmp_path: Path) -> None:
    file = tmp_path / "request.json"
    file.write_text(json.dumps({"groups": {"": {"resources": {"VCPU": 2}}}, "alternates": 0}))
    (got,) = on_books("select", "--request", str(file), "--dry-run", "-f", "json").json
    assert (got["host"], got["alternates"]) == ("h2", [])
